// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// The initial value gets a separate nest; the rest is a perfect nest.
// CHECK-LABEL: func.func private @init
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 16 {
// CHECK-NEXT: affine.store %[[V0]], %arg1[%[[V1]]] {tloop.block = "start"} : memref<16xf32>
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: affine.for %[[V2:.*]] = 0 to 8 {
// CHECK-NEXT: affine.for %[[V3:.*]] = 0 to 16 {
// CHECK-NEXT: %[[V4:.*]] = affine.load %arg0[%[[V3]], %[[V2]]] : memref<16x8xf32>
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg1[%[[V3]]] : memref<16xf32>
// CHECK-NEXT: %[[V6:.*]] = arith.addf %[[V5]], %[[V4]] : f32
// CHECK-NEXT: affine.store %[[V6]], %arg1[%[[V3]]] {tloop.block = "c"} : memref<16xf32>
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: } {tloop.name = "k"}
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
  %start = "tloop.get_block"() {block_name = "start"} : () -> !tloop.block
  %m = "tloop.decompose_reduction"(%start, %i) {} : (!tloop.block, !tloop.loop) -> !tloop.block
  "tloop.reorder"(%k, %i) : (!tloop.loop, !tloop.loop) -> ()
}) {kernel = @init} : () -> ()
