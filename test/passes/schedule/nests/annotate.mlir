// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// Loops and computations.
// CHECK-LABEL: func.func private @add
// CHECK: affine.for %[[V0:.*]] = 0 to 8 {
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 6 {
// CHECK-NEXT: %[[V2:.*]] = affine.load %arg0[%[[V0]], %[[V1]]] : memref<8x6xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.addf %[[V2]], %[[V2]] : f32
// CHECK-NEXT: affine.store %[[V3]], %arg1[%[[V0]], %[[V1]]] {my.unit, tloop.block = "c"} : memref<8x6xf32>
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {my.hint = 3 : i64, tloop.name = "i"}
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
  "tloop.annotate"(%i) {key = "my.hint", value = 3 : i64} : (!tloop.loop) -> ()
  "tloop.annotate"(%c) {key = "my.unit", value} : (!tloop.block) -> ()
}) {kernel = @add} : () -> ()
