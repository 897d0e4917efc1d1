// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// The reduction goes outside of the columns: sums may be associated differently.
// CHECK-LABEL: func.func private @product
// CHECK: affine.for %[[V0:.*]] = 0 to 64 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 32 {
// CHECK-NEXT: affine.for %[[V2:.*]] = 0 to 48 {
// CHECK-NEXT: %[[V3:.*]] = affine.load %arg0[%[[V0]], %[[V1]]] : memref<64x32xf32>
// CHECK-NEXT: %[[V4:.*]] = affine.load %arg1[%[[V1]], %[[V2]]] : memref<32x48xf32>
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg2[%[[V0]], %[[V2]]] : memref<64x48xf32>
// CHECK-NEXT: %[[V6:.*]] = arith.mulf %[[V3]], %[[V4]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.addf %[[V5]], %[[V6]] : f32
// CHECK-NEXT: affine.store %[[V7]], %arg2[%[[V0]], %[[V2]]] {tloop.block = "c"} : memref<64x48xf32>
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "k"}
// CHECK-NEXT: } {tloop.name = "i"}
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
  "tloop.reorder"(%k, %j) : (!tloop.loop, !tloop.loop) -> ()
}) {kernel = @product} : () -> ()

// -----

// Tiled for locality. Guards stay inside the loops that they depend on.
// CHECK-LABEL: func.func private @product
// CHECK: affine.for %[[V0:.*]] = 0 to 64 step 5 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 48 step 16 {
// CHECK-NEXT: affine.for %[[V2:.*]] = 0 to 32 {
// CHECK-NEXT: affine.for %[[V3:.*]] = 0 to min affine_map<(d0) -> (5, -d0 + 64)>(%[[V0]]) {
// CHECK-NEXT: affine.for %[[V4:.*]] = 0 to 16 {
// CHECK-NEXT: %[[V5:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V0]], %[[V3]])
// CHECK-NEXT: %[[V6:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V1]], %[[V4]])
// CHECK-NEXT: %[[V7:.*]] = affine.load %arg0[%[[V5]], %[[V2]]] : memref<64x32xf32>
// CHECK-NEXT: %[[V8:.*]] = affine.load %arg1[%[[V2]], %[[V6]]] : memref<32x48xf32>
// CHECK-NEXT: %[[V9:.*]] = affine.load %arg2[%[[V5]], %[[V6]]] : memref<64x48xf32>
// CHECK-NEXT: %[[V10:.*]] = arith.mulf %[[V7]], %[[V8]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.addf %[[V9]], %[[V10]] : f32
// CHECK-NEXT: affine.store %[[V11]], %arg2[%[[V5]], %[[V6]]] {tloop.block = "c"} : memref<64x48xf32>
// CHECK-NEXT: } {tloop.name = "j.1"}
// CHECK-NEXT: } {tloop.name = "i.1"}
// CHECK-NEXT: } {tloop.name = "k"}
// CHECK-NEXT: } {tloop.name = "j.0"}
// CHECK-NEXT: } {tloop.name = "i.0"}
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
  %io, %ii = "tloop.split"(%i) {factors = array<i64: -1, 5>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  %jo, %ji = "tloop.split"(%j) {factors = array<i64: -1, 16>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  "tloop.reorder"(%io, %jo, %k, %ii, %ji) : (!tloop.loop, !tloop.loop, !tloop.loop, !tloop.loop, !tloop.loop) -> ()
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
// CHECK-NEXT: %[[V8:.*]] = arith.constant 48 : index
// CHECK-NEXT: %[[V9:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[V10:.*]] = scf.for %[[V11:.*]] = %[[V7]] to %[[V8]] step %[[V9]] iter_args(%[[V12:.*]] = %[[V0]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V13:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V14:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[V15:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[V16:.*]] = scf.for %[[V17:.*]] = %[[V13]] to %[[V14]] step %[[V15]] iter_args(%[[V18:.*]] = %[[V12]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V19:.*]] = tensor.extract_slice %arg0[%[[V17]], %[[V11]]] [8, 16] [1, 1] : tensor<64x48xf32> to tensor<8x16xf32>
// CHECK-NEXT: %[[V20:.*]] = tensor.extract_slice %[[V18]][%[[V17]], %[[V11]]] [8, 16] [1, 1] : tensor<64x48xf32> to tensor<8x16xf32>
// CHECK-NEXT: %[[V21:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
// CHECK-SAME: iterator_types = ["parallel", "parallel"]} ins(%[[V19]] : tensor<8x16xf32>) outs(%[[V20]] : tensor<8x16xf32>) attrs =  {tloop.block = "c"} {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: %[[V22:.*]] = math.exp %in : f32
// CHECK-NEXT: linalg.yield %[[V22]] : f32
// CHECK-NEXT: } -> tensor<8x16xf32>
// CHECK-NEXT: %[[V23:.*]] = tensor.insert_slice %[[V21]] into %[[V18]][%[[V17]], %[[V11]]] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<64x48xf32>
// CHECK-NEXT: scf.yield %[[V23]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V16]] : tensor<64x48xf32>
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
  "tloop.reorder"(%j, %i) : (!tloop.loop, !tloop.loop) -> ()
}) {kernel = @tensor} : () -> ()

// -----

// Loops of scf over memory.
// CHECK-LABEL: func.func private @memory
// CHECK: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V2:.*]] = arith.constant 6 : index
// CHECK-NEXT: %[[V3:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[V4:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V5:.*]] = arith.constant 6 : index
// CHECK-NEXT: %[[V6:.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[V7:.*]] = %[[V4]] to %[[V5]] step %[[V6]] {
// CHECK-NEXT: %[[V8:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V9:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[V10:.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[V11:.*]] = %[[V8]] to %[[V9]] step %[[V10]] {
// CHECK-NEXT: %[[V12:.*]] = memref.load %arg0[%[[V11]], %[[V7]]] : memref<8x6xf32>
// CHECK-NEXT: memref.store %[[V12]], %arg1[%[[V11]], %[[V7]]] {tloop.block = "c"} : memref<8x6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func private @memory(%a: memref<8x6xf32>, %b: memref<8x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c6 step %c1 {
      %0 = memref.load %a[%i, %j] : memref<8x6xf32>
      memref.store %0, %b[%i, %j] {tloop.block = "c"} : memref<8x6xf32>
    }
  }
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  "tloop.reorder"(%j, %i) : (!tloop.loop, !tloop.loop) -> ()
}) {kernel = @memory} : () -> ()

// -----

// A loop of one iteration.
// CHECK-LABEL: func.func private @once
// CHECK: affine.for %{{.*}} = 0 to 8 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 1 {
func.func private @once(%a: memref<1x8xf32>, %b: memref<1x8xf32>) {
  affine.for %i = 0 to 1 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<1x8xf32>
      affine.store %0, %b[%i, %j] {tloop.block = "c"} : memref<1x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  "tloop.reorder"(%j, %i) : (!tloop.loop, !tloop.loop) -> ()
}) {kernel = @once} : () -> ()
