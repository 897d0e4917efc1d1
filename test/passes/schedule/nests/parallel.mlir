// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s


// CHECK-LABEL: func.func private @add
// CHECK: affine.parallel (%[[V0:.*]]) = (0) to (8) {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 6 {
// CHECK-NEXT: %[[V2:.*]] = affine.load %arg0[%[[V0]], %[[V1]]] : memref<8x6xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.addf %[[V2]], %[[V2]] : f32
// CHECK-NEXT: affine.store %[[V3]], %arg1[%[[V0]], %[[V1]]] {tloop.block = "c"} : memref<8x6xf32>
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "i"}
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
  "tloop.parallel"(%i) : (!tloop.loop) -> ()
}) {kernel = @add} : () -> ()

// -----

// A loop of a split one: its iterations touch different elements.
// CHECK-LABEL: func.func private @copy
// CHECK: affine.parallel (%[[V0:.*]]) = (0) to (10) step (4) {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to min affine_map<(d0) -> (4, -d0 + 10)>(%[[V0]]) {
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V0]], %[[V1]])
// CHECK-NEXT: %[[V3:.*]] = affine.load %arg0[%[[V2]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V3]], %arg1[%[[V2]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: } {tloop.name = "i.1"}
// CHECK-NEXT: } {tloop.name = "i.0"}
// CHECK-NEXT: return
func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 4>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  "tloop.parallel"(%o) : (!tloop.loop) -> ()
}) {kernel = @copy} : () -> ()

// -----

// Slices of a tensor are inserted in parallel.
// CHECK-LABEL: func.func private @tensor
// CHECK: %[[V0:.*]] = tensor.empty() : tensor<64x48xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V2:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V3:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[V4:.*]] = arith.constant 48 : index
// CHECK-NEXT: %[[V5:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[V6:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[V7:.*]] = scf.for %[[V8:.*]] = %[[V1]] to %[[V3]] step %[[V5]] iter_args(%[[V9:.*]] = %[[V0]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V10:.*]] = scf.forall (%[[V11:.*]]) = (0) to (48) step (16) shared_outs(%[[V12:.*]] = %[[V9]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V13:.*]] = tensor.extract_slice %arg0[%[[V8]], %[[V11]]] [8, 16] [1, 1] : tensor<64x48xf32> to tensor<8x16xf32>
// CHECK-NEXT: %[[V14:.*]] = tensor.extract_slice %[[V12]][%[[V8]], %[[V11]]] [8, 16] [1, 1] : tensor<64x48xf32> to tensor<8x16xf32>
// CHECK-NEXT: %[[V15:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
// CHECK-SAME: iterator_types = ["parallel", "parallel"]} ins(%[[V13]] : tensor<8x16xf32>) outs(%[[V14]] : tensor<8x16xf32>) attrs =  {tloop.block = "c"} {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: %[[V16:.*]] = math.exp %in : f32
// CHECK-NEXT: linalg.yield %[[V16]] : f32
// CHECK-NEXT: } -> tensor<8x16xf32>
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[V15]] into %[[V12]][%[[V8]], %[[V11]]] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V10]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V7]] : tensor<64x48xf32>
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
  "tloop.parallel"(%j) : (!tloop.loop) -> ()
}) {kernel = @tensor} : () -> ()

// -----


// CHECK-LABEL: func.func private @memory
// CHECK: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V2:.*]] = arith.constant 6 : index
// CHECK-NEXT: %[[V3:.*]] = arith.constant 8 : index
// CHECK-NEXT: scf.parallel (%[[V4:.*]]) = (%[[V0]]) to (%[[V3]]) step (%[[V1]]) {
// CHECK-NEXT: scf.for %[[V5:.*]] = %[[V0]] to %[[V2]] step %[[V1]] {
// CHECK-NEXT: %[[V6:.*]] = memref.load %arg0[%[[V4]], %[[V5]]] : memref<8x6xf32>
// CHECK-NEXT: memref.store %[[V6]], %arg1[%[[V4]], %[[V5]]] {tloop.block = "c"} : memref<8x6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.reduce
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
  "tloop.parallel"(%i) : (!tloop.loop) -> ()
}) {kernel = @memory} : () -> ()
