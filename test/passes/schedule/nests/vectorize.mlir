// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// The loaded elements are adjacent, or the same for all iterations; the tail is a scalar loop.
// CHECK-LABEL: func.func private @product
// CHECK: affine.for %[[V0:.*]] = 0 to 64 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 48 step 8 {
// CHECK-NEXT: affine.for %[[V2:.*]] = 0 to 32 {
// CHECK-NEXT: %[[V3:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V4:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V1]], %[[V3]])
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg0[%[[V0]], %[[V2]]] : memref<64x32xf32>
// CHECK-NEXT: %[[V6:.*]] = affine.vector_load %arg1[%[[V2]], %[[V4]]] : memref<32x50xf32>, vector<8xf32>
// CHECK-NEXT: %[[V7:.*]] = affine.vector_load %arg2[%[[V0]], %[[V4]]] : memref<64x50xf32>, vector<8xf32>
// CHECK-NEXT: %[[V8:.*]] = vector.broadcast %[[V5]] : f32 to vector<8xf32>
// CHECK-NEXT: %[[V9:.*]] = arith.mulf %[[V8]], %[[V6]] : vector<8xf32>
// CHECK-NEXT: %[[V10:.*]] = arith.addf %[[V7]], %[[V9]] : vector<8xf32>
// CHECK-NEXT: affine.vector_store %[[V10]], %arg2[%[[V0]], %[[V4]]] {tloop.block = "c"} : memref<64x50xf32>, vector<8xf32>
// CHECK-NEXT: } {tloop.name = "k"}
// CHECK-NEXT: } {tloop.name = "j.0"}
// CHECK-NEXT: affine.for %[[V11:.*]] = 48 to 50 {
// CHECK-NEXT: affine.for %[[V12:.*]] = 0 to 32 {
// CHECK-NEXT: %[[V13:.*]] = affine.load %arg0[%[[V0]], %[[V12]]] : memref<64x32xf32>
// CHECK-NEXT: %[[V14:.*]] = affine.load %arg1[%[[V12]], %[[V11]]] : memref<32x50xf32>
// CHECK-NEXT: %[[V15:.*]] = affine.load %arg2[%[[V0]], %[[V11]]] : memref<64x50xf32>
// CHECK-NEXT: %[[V16:.*]] = arith.mulf %[[V13]], %[[V14]] : f32
// CHECK-NEXT: %[[V17:.*]] = arith.addf %[[V15]], %[[V16]] : f32
// CHECK-NEXT: affine.store %[[V17]], %arg2[%[[V0]], %[[V11]]] {tloop.block = "c"} : memref<64x50xf32>
// CHECK-NEXT: } {tloop.name = "k"}
// CHECK-NEXT: } {tloop.name = "j.rest"}
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: return
func.func private @product(%a: memref<64x32xf32>, %b: memref<32x50xf32>, %r: memref<64x50xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 50 {
      affine.for %k = 0 to 32 {
        %0 = affine.load %a[%i, %k] : memref<64x32xf32>
        %1 = affine.load %b[%k, %j] : memref<32x50xf32>
        %2 = affine.load %r[%i, %j] : memref<64x50xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<64x50xf32>
      } {tloop.name = "k"}
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop, !tloop.loop)
  %jo, %ji = "tloop.split"(%j) {factors = array<i64: -1, 8>, tail = "peel"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  "tloop.reorder"(%jo, %k, %ji) : (!tloop.loop, !tloop.loop, !tloop.loop) -> ()
  "tloop.vectorize"(%ji) : (!tloop.loop) -> ()
}) {kernel = @product} : () -> ()

// -----

// A reduction along the loop.
// CHECK-LABEL: func.func private @init
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 16 {
// CHECK-NEXT: affine.store %[[V0]], %arg1[%[[V1]]] {tloop.block = "start"} : memref<16xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V3:.*]] = affine.vector_load %arg0[%[[V1]], %[[V2]]] : memref<16x8xf32>, vector<8xf32>
// CHECK-NEXT: %[[V4:.*]] = affine.load %arg1[%[[V1]]] : memref<16xf32>
// CHECK-NEXT: %[[V5:.*]] = vector.reduction <add>, %[[V3]], %[[V4]] fastmath<reassoc> : vector<8xf32> into f32
// CHECK-NEXT: affine.store %[[V5]], %arg1[%[[V1]]] {tloop.block = "c"} : memref<16xf32>
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: return
func.func private @init(%a: memref<16x8xf32>, %b: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 16 {
    affine.store %zero, %b[%i] {tloop.block = "start"} : memref<16xf32>
    affine.for %k = 0 to 8 {
      %0 = affine.load %a[%i, %k] : memref<16x8xf32>
      %1 = affine.load %b[%i] : memref<16xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %b[%i] {tloop.block = "c"} : memref<16xf32>
    } {tloop.name = "k"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  "tloop.vectorize"(%k) : (!tloop.loop) -> ()
}) {kernel = @init} : () -> ()

// -----

// Loops of scf over memory.
// CHECK-LABEL: func.func private @memory
// CHECK: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V2:.*]] = arith.constant 6 : index
// CHECK-NEXT: %[[V3:.*]] = arith.constant 8 : index
// CHECK-NEXT: scf.for %[[V4:.*]] = %[[V0]] to %[[V3]] step %[[V1]] {
// CHECK-NEXT: %[[V5:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V6:.*]] = vector.load %arg0[%[[V4]], %[[V5]]] : memref<8x6xf32>, vector<6xf32>
// CHECK-NEXT: vector.store %[[V6]], %arg1[%[[V4]], %[[V5]]] {tloop.block = "c"} : memref<8x6xf32>, vector<6xf32>
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
  "tloop.vectorize"(%j) : (!tloop.loop) -> ()
}) {kernel = @memory} : () -> ()
