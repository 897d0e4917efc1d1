// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// A tile of b is copied for each tile of the result.
// CHECK-LABEL: func.func private @product
// CHECK: affine.for %[[V0:.*]] = 0 to 48 step 16 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 32 step 8 {
// CHECK-NEXT: %[[V2:.*]] = memref.alloc() : memref<8x16xf32>
// CHECK-NEXT: affine.for %[[V3:.*]] = 0 to 8 {
// CHECK-NEXT: affine.for %[[V4:.*]] = 0 to 16 {
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg1[%[[V1]] + %[[V3]], %[[V0]] + %[[V4]]] : memref<32x48xf32>
// CHECK-NEXT: affine.store %[[V5]], %[[V2]][%[[V3]], %[[V4]]] {tloop.block = "tile"} : memref<8x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %[[V6:.*]] = 0 to 64 {
// CHECK-NEXT: affine.for %[[V7:.*]] = 0 to 16 {
// CHECK-NEXT: affine.for %[[V8:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V9:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V0]], %[[V7]])
// CHECK-NEXT: %[[V10:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V1]], %[[V8]])
// CHECK-NEXT: %[[V11:.*]] = affine.load %arg0[%[[V6]], %[[V10]]] : memref<64x32xf32>
// CHECK-NEXT: %[[V12:.*]] = affine.load %[[V2]][%[[V8]], %[[V7]]] : memref<8x16xf32>
// CHECK-NEXT: %[[V13:.*]] = affine.load %arg2[%[[V6]], %[[V9]]] : memref<64x48xf32>
// CHECK-NEXT: %[[V14:.*]] = arith.mulf %[[V11]], %[[V12]] : f32
// CHECK-NEXT: %[[V15:.*]] = arith.addf %[[V13]], %[[V14]] : f32
// CHECK-NEXT: affine.store %[[V15]], %arg2[%[[V6]], %[[V9]]] {tloop.block = "c"} : memref<64x48xf32>
// CHECK-NEXT: } {tloop.name = "k.1"}
// CHECK-NEXT: } {tloop.name = "j.1"}
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: } {tloop.name = "k.0"}
// CHECK-NEXT: } {tloop.name = "j.0"}
// CHECK-NEXT: return
func.func private @product(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %r: memref<64x48xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 32 {
        %0 = affine.load %a[%i, %k] : memref<64x32xf32>
        %1 = affine.load %b[%k, %j] : memref<32x48xf32>
        %2 = affine.load %r[%i, %j] : memref<64x48xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<64x48xf32>
      } {tloop.name = "k"}
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop, !tloop.loop)
  %jo, %ji = "tloop.split"(%j) {factors = array<i64: -1, 16>, tail = "exact"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  %ko, %ki = "tloop.split"(%k) {factors = array<i64: -1, 8>, tail = "exact"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  "tloop.reorder"(%jo, %ko, %i, %ji, %ki) : (!tloop.loop, !tloop.loop, !tloop.loop, !tloop.loop, !tloop.loop) -> ()
  %k1 = "tloop.cache_read"(%c, %ko) {operand = 1, block_name = "tile"} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @product} : () -> ()

// -----

// Structured: the slice that the loop takes becomes a separate tensor.
// CHECK-LABEL: func.func private @product
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = tensor.empty() : tensor<64x48xf32>
// CHECK-NEXT: %[[V2:.*]] = linalg.fill ins(%[[V0]] : f32) outs(%[[V1]] : tensor<64x48xf32>) -> tensor<64x48xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V4:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V5:.*]] = arith.constant 48 : index
// CHECK-NEXT: %[[V6:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[V7:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[V8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[V9:.*]] = scf.for %[[V10:.*]] = %[[V3]] to %[[V5]] step %[[V7]] iter_args(%[[V11:.*]] = %[[V2]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V12:.*]] = scf.for %[[V13:.*]] = %[[V4]] to %[[V6]] step %[[V8]] iter_args(%[[V14:.*]] = %[[V11]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V15:.*]] = tensor.extract_slice %arg0[0, %[[V13]]] [64, 8] [1, 1] : tensor<64x32xf32> to tensor<64x8xf32>
// CHECK-NEXT: %[[V16:.*]] = tensor.extract_slice %arg1[%[[V13]], %[[V10]]] [8, 16] [1, 1] : tensor<32x48xf32> to tensor<8x16xf32>
// CHECK-NEXT: %[[V17:.*]] = bufferization.alloc_tensor() : tensor<8x16xf32>
// CHECK-NEXT: %[[V18:.*]] = bufferization.materialize_in_destination %[[V16]] in %[[V17]] {tloop.block = "tile"} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %[[V19:.*]] = tensor.extract_slice %[[V14]][0, %[[V10]]] [64, 16] [1, 1] : tensor<64x48xf32> to tensor<64x16xf32>
// CHECK-NEXT: %[[V20:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[V15]], %[[V18]] : tensor<64x8xf32>, tensor<8x16xf32>) outs(%[[V19]] : tensor<64x16xf32>) attrs =  {tloop.block = "c"} {
// CHECK-NEXT: ^bb0(%in: f32, %in_3: f32, %out: f32):
// CHECK-NEXT: %[[V21:.*]] = arith.mulf %in, %in_3 : f32
// CHECK-NEXT: %[[V22:.*]] = arith.addf %out, %[[V21]] : f32
// CHECK-NEXT: linalg.yield %[[V22]] : f32
// CHECK-NEXT: } -> tensor<64x16xf32>
// CHECK-NEXT: %[[V23:.*]] = tensor.insert_slice %[[V20]] into %[[V14]][0, %[[V10]]] [64, 16] [1, 1] : tensor<64x16xf32> into tensor<64x48xf32>
// CHECK-NEXT: scf.yield %[[V23]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V12]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V9]] : tensor<64x48xf32>
func.func private @product(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x48xf32>
  return %p : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%c) {sizes = array<i64: 0, 16, 8>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  %j, %k = "tloop.get_loops"(%t) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %k1 = "tloop.cache_read"(%t, %k) {operand = 1, block_name = "tile"} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @product} : () -> ()
