// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// A row ahead.
// CHECK-LABEL: func.func private @add
// CHECK: affine.for %[[V0:.*]] = 0 to 8 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 6 {
// CHECK-NEXT: affine.prefetch %arg0[%[[V0]] + 1, %[[V1]]], read, locality<3>, data : memref<8x6xf32>
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
  "tloop.prefetch"(%c, %i) {operand = 0, distance = 1} : (!tloop.block, !tloop.loop) -> ()
}) {kernel = @add} : () -> ()

// -----


// CHECK-LABEL: func.func private @memory
// CHECK: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V2:.*]] = arith.constant 6 : index
// CHECK-NEXT: %[[V3:.*]] = arith.constant 8 : index
// CHECK-NEXT: scf.for %[[V4:.*]] = %[[V0]] to %[[V3]] step %[[V1]] {
// CHECK-NEXT: scf.for %[[V5:.*]] = %[[V0]] to %[[V2]] step %[[V1]] {
// CHECK-NEXT: %[[V6:.*]] = affine.apply affine_map<(d0) -> (d0 + 4)>(%[[V5]])
// CHECK-NEXT: memref.prefetch %arg0[%[[V4]], %[[V6]]], read, locality<3>, data : memref<8x6xf32>
// CHECK-NEXT: %[[V7:.*]] = memref.load %arg0[%[[V4]], %[[V5]]] : memref<8x6xf32>
// CHECK-NEXT: memref.store %[[V7]], %arg1[%[[V4]], %[[V5]]] {tloop.block = "c"} : memref<8x6xf32>
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
  "tloop.prefetch"(%c, %j) {operand = 0, distance = 4} : (!tloop.block, !tloop.loop) -> ()
}) {kernel = @memory} : () -> ()
