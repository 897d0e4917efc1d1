// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// The consumer reads each row when it has been produced.
// CHECK-LABEL: func.func private @chain
// CHECK: %[[V0:.*]] = memref.alloc() : memref<16x8xf32>
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 16 {
// CHECK-NEXT: affine.for %[[V2:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V3:.*]] = affine.load %arg0[%[[V1]], %[[V2]]] : memref<16x8xf32>
// CHECK-NEXT: %[[V4:.*]] = math.exp %[[V3]] : f32
// CHECK-NEXT: affine.store %[[V4]], %[[V0]][%[[V1]], %[[V2]]] {tloop.block = "p"} : memref<16x8xf32>
// CHECK-NEXT: } {tloop.name = "pj"}
// CHECK-NEXT: affine.for %[[V5:.*]] = 0 to 1 {
// CHECK-NEXT: %[[V6:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V1]], %[[V5]])
// CHECK-NEXT: affine.for %[[V7:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V8:.*]] = affine.load %[[V0]][%[[V6]], %[[V7]]] : memref<16x8xf32>
// CHECK-NEXT: %[[V9:.*]] = arith.negf %[[V8]] : f32
// CHECK-NEXT: affine.store %[[V9]], %arg1[%[[V6]], %[[V7]]] {tloop.block = "c"} : memref<16x8xf32>
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: } {tloop.name = "pi"}
// CHECK-NEXT: return
func.func private @chain(%a: memref<16x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<16x8xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<16x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<16x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<16x8xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%p) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %m = "tloop.reverse_compute_at"(%c, %i) {} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @chain} : () -> ()
