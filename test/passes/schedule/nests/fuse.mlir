// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// The indices are the quotient and the remainder of the new one.
// CHECK-LABEL: func.func private @add
// CHECK: affine.for %[[V0:.*]] = 0 to 48 {
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0) -> (d0 floordiv 6)>(%[[V0]])
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0) -> (d0 mod 6)>(%[[V0]])
// CHECK-NEXT: %[[V3:.*]] = affine.load %arg0[%[[V1]], %[[V2]]] : memref<8x6xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[V3]], %[[V3]] : f32
// CHECK-NEXT: affine.store %[[V4]], %arg1[%[[V1]], %[[V2]]] {tloop.block = "c"} : memref<8x6xf32>
// CHECK-NEXT: } {tloop.name = "i*j"}
// CHECK-NEXT: return
func.func private @add(%a: memref<8x6xf32>, %b: memref<8x6xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 6 {
      %0 = affine.load %a[%i, %j] : memref<8x6xf32>
      %1 = arith.addf %0, %0 : f32
      affine.store %1, %b[%i, %j] {tloop.block = "c"} : memref<8x6xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %f = "tloop.fuse"(%i, %j) : (!tloop.loop, !tloop.loop) -> !tloop.loop
}) {kernel = @add} : () -> ()

// -----

// The dependence check sees through both: the fused loop of a product's rows and columns is parallel.
// CHECK-LABEL: func.func private @product
// CHECK: affine.parallel (%[[V0:.*]]) = (0) to (3072) {
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0) -> (d0 floordiv 48)>(%[[V0]])
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0) -> (d0 mod 48)>(%[[V0]])
// CHECK-NEXT: affine.for %[[V3:.*]] = 0 to 32 {
// CHECK-NEXT: %[[V4:.*]] = affine.load %arg0[%[[V1]], %[[V3]]] : memref<64x32xf32>
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg1[%[[V3]], %[[V2]]] : memref<32x48xf32>
// CHECK-NEXT: %[[V6:.*]] = affine.load %arg2[%[[V1]], %[[V2]]] : memref<64x48xf32>
// CHECK-NEXT: %[[V7:.*]] = arith.mulf %[[V4]], %[[V5]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.addf %[[V6]], %[[V7]] : f32
// CHECK-NEXT: affine.store %[[V8]], %arg2[%[[V1]], %[[V2]]] {tloop.block = "c"} : memref<64x48xf32>
// CHECK-NEXT: } {tloop.name = "k"}
// CHECK-NEXT: } {tloop.name = "i*j"}
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
  %f = "tloop.fuse"(%i, %j) : (!tloop.loop, !tloop.loop) -> !tloop.loop
  "tloop.parallel"(%f) : (!tloop.loop) -> ()
}) {kernel = @product} : () -> ()

// -----

// Loops of tensors.
// CHECK-LABEL: func.func private @tensor
// CHECK: %[[V0:.*]] = tensor.empty() : tensor<64x48xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V2:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V3:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[V4:.*]] = arith.constant 48 : index
// CHECK-NEXT: %[[V5:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[V6:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[V7:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V8:.*]] = arith.constant 24 : index
// CHECK-NEXT: %[[V9:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V10:.*]] = scf.for %[[V11:.*]] = %[[V7]] to %[[V8]] step %[[V9]] iter_args(%[[V12:.*]] = %[[V0]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V13:.*]] = affine.apply affine_map<(d0) -> ((d0 floordiv 3) * 8)>(%[[V11]])
// CHECK-NEXT: %[[V14:.*]] = affine.apply affine_map<(d0) -> ((d0 mod 3) * 16)>(%[[V11]])
// CHECK-NEXT: %[[V15:.*]] = tensor.extract_slice %arg0[%[[V13]], %[[V14]]] [8, 16] [1, 1] : tensor<64x48xf32> to tensor<8x16xf32>
// CHECK-NEXT: %[[V16:.*]] = tensor.extract_slice %[[V12]][%[[V13]], %[[V14]]] [8, 16] [1, 1] : tensor<64x48xf32> to tensor<8x16xf32>
// CHECK-NEXT: %[[V17:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
// CHECK-SAME: iterator_types = ["parallel", "parallel"]} ins(%[[V15]] : tensor<8x16xf32>) outs(%[[V16]] : tensor<8x16xf32>) attrs =  {tloop.block = "c"} {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: %[[V18:.*]] = math.exp %in : f32
// CHECK-NEXT: linalg.yield %[[V18]] : f32
// CHECK-NEXT: } -> tensor<8x16xf32>
// CHECK-NEXT: %[[V19:.*]] = tensor.insert_slice %[[V17]] into %[[V12]][%[[V13]], %[[V14]]] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<64x48xf32>
// CHECK-NEXT: scf.yield %[[V19]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V10]] : tensor<64x48xf32>
func.func private @tensor(%a: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) attrs = {tloop.block = "c"} {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  } -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%c) {sizes = array<i64: 8, 16>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  %i, %j = "tloop.get_loops"(%t) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %f = "tloop.fuse"(%i, %j) : (!tloop.loop, !tloop.loop) -> !tloop.loop
}) {kernel = @tensor} : () -> ()
