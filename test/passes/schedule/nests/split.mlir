// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// A factor that divides: no bound but constants.
// CHECK-LABEL: func.func private @copy
// CHECK: affine.for %[[V0:.*]] = 0 to 10 step 5 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 5 {
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
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 5>, tail = "exact"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @copy} : () -> ()

// -----

// One that does not: the inner loop is bounded by what is left.
// CHECK-LABEL: func.func private @copy
// CHECK: affine.for %[[V0:.*]] = 0 to 10 step 4 {
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
}) {kernel = @copy} : () -> ()

// -----

// Or the rest is a separate loop.
// CHECK-LABEL: func.func private @copy
// CHECK: affine.for %[[V0:.*]] = 0 to 8 step 4 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 4 {
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V0]], %[[V1]])
// CHECK-NEXT: %[[V3:.*]] = affine.load %arg0[%[[V2]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V3]], %arg1[%[[V2]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: } {tloop.name = "i.1"}
// CHECK-NEXT: } {tloop.name = "i.0"}
// CHECK-NEXT: affine.for %[[V4:.*]] = 8 to 10 {
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg0[%[[V4]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V5]], %arg1[%[[V4]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: } {tloop.name = "i.rest"}
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
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 4>, tail = "peel"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @copy} : () -> ()

// -----

// Three loops of given numbers of iterations, which cover more than there is.
// CHECK-LABEL: func.func private @copy
// CHECK: affine.for %[[V0:.*]] = 0 to 10 step 4 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to min affine_map<(d0) -> (2, (-d0 + 10) ceildiv 2)>(%[[V0]]) {
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 2)>(%[[V0]], %[[V1]])
// CHECK-NEXT: affine.for %[[V3:.*]] = 0 to 2 {
// CHECK-NEXT: %[[V4:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V2]], %[[V3]])
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg0[%[[V4]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V5]], %arg1[%[[V4]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: } {tloop.name = "i.2"}
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
  %o, %n, %m = "tloop.split"(%i) {factors = array<i64: 3, 2, 2>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop, !tloop.loop)
}) {kernel = @copy} : () -> ()

// -----

// A loop of tensors carries them through both loops.
// CHECK-LABEL: func.func private @tensor
// CHECK: %[[V0:.*]] = tensor.empty() : tensor<64x48xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V2:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V3:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[V4:.*]] = arith.constant 48 : index
// CHECK-NEXT: %[[V5:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[V6:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[V7:.*]] = scf.for %[[V8:.*]] = %[[V1]] to %[[V3]] step %[[V5]] iter_args(%[[V9:.*]] = %[[V0]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V10:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V11:.*]] = arith.constant 48 : index
// CHECK-NEXT: %[[V12:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[V13:.*]] = scf.for %[[V14:.*]] = %[[V10]] to %[[V11]] step %[[V12]] iter_args(%[[V15:.*]] = %[[V9]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V16:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V17:.*]] = affine.min affine_map<(d0) -> (2, (-d0 + 48) ceildiv 16)>(%[[V14]])
// CHECK-NEXT: %[[V18:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V19:.*]] = scf.for %[[V20:.*]] = %[[V16]] to %[[V17]] step %[[V18]] iter_args(%[[V21:.*]] = %[[V15]]) -> (tensor<64x48xf32>) {
// CHECK-NEXT: %[[V22:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 16)>(%[[V14]], %[[V20]])
// CHECK-NEXT: %[[V23:.*]] = tensor.extract_slice %arg0[%[[V8]], %[[V22]]] [8, 16] [1, 1] : tensor<64x48xf32> to tensor<8x16xf32>
// CHECK-NEXT: %[[V24:.*]] = tensor.extract_slice %[[V21]][%[[V8]], %[[V22]]] [8, 16] [1, 1] : tensor<64x48xf32> to tensor<8x16xf32>
// CHECK-NEXT: %[[V25:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
// CHECK-SAME: iterator_types = ["parallel", "parallel"]} ins(%[[V23]] : tensor<8x16xf32>) outs(%[[V24]] : tensor<8x16xf32>) attrs =  {tloop.block = "c"} {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: %[[V26:.*]] = math.exp %in : f32
// CHECK-NEXT: linalg.yield %[[V26]] : f32
// CHECK-NEXT: } -> tensor<8x16xf32>
// CHECK-NEXT: %[[V27:.*]] = tensor.insert_slice %[[V25]] into %[[V21]][%[[V8]], %[[V22]]] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<64x48xf32>
// CHECK-NEXT: scf.yield %[[V27]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V19]] : tensor<64x48xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V13]] : tensor<64x48xf32>
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
  %o, %n = "tloop.split"(%j) {factors = array<i64: -1, 2>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @tensor} : () -> ()

// -----

// A bound that is not known.
// CHECK-LABEL: func.func private @copy
// CHECK: affine.for %[[V0:.*]] = 0 to affine_map<(d0) -> (d0)>(%arg2) step 4 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to min affine_map<(d0, d1) -> (4, d0 - d1)>(%arg2, %[[V0]]) {
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V0]], %[[V1]])
// CHECK-NEXT: %[[V3:.*]] = affine.load %arg0[%[[V2]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V3]], %arg1[%[[V2]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: } {tloop.name = "i.1"}
// CHECK-NEXT: } {tloop.name = "i.0"}
// CHECK-NEXT: return
func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 4>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @copy} : () -> ()

// -----

// The factor that is left out may stand anywhere: two and a half become three.
// CHECK-LABEL: func.func private @inner_rest
// CHECK: affine.for %[[V0:.*]] = 0 to 10 step 3 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to min affine_map<(d0) -> (3, -d0 + 10)>(%[[V0]]) {
func.func private @inner_rest(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  %o, %n = "tloop.split"(%i) {factors = array<i64: 4, -1>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
}) {kernel = @inner_rest} : () -> ()
