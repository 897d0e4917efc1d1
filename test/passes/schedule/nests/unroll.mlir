// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// By a factor.
// CHECK-LABEL: func.func private @copy
// CHECK: affine.for %[[V0:.*]] = 0 to 10 step 2 {
// CHECK-NEXT: %[[V1:.*]] = affine.load %arg0[%[[V0]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V1]], %arg1[%[[V0]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0) -> (d0 + 1)>(%[[V0]])
// CHECK-NEXT: %[[V3:.*]] = affine.load %arg0[%[[V2]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V3]], %arg1[%[[V2]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: } {tloop.name = "i"}
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
  "tloop.unroll"(%i) {factor = 2} : (!tloop.loop) -> ()
}) {kernel = @copy} : () -> ()

// -----

// Completely.
// CHECK-LABEL: func.func private @copy
// CHECK: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = affine.load %arg0[%[[V0]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V1]], %arg1[%[[V0]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0) -> (d0 + 1)>(%[[V0]])
// CHECK-NEXT: %[[V3:.*]] = affine.load %arg0[%[[V2]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V3]], %arg1[%[[V2]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: %[[V4:.*]] = affine.apply affine_map<(d0) -> (d0 + 2)>(%[[V0]])
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg0[%[[V4]]] : memref<10xf32>
// CHECK-NEXT: affine.store %[[V5]], %arg1[%[[V4]]] {tloop.block = "c"} : memref<10xf32>
// CHECK-NEXT: return
func.func private @copy(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 3 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<10xf32>
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  "tloop.unroll"(%i) {factor = 0} : (!tloop.loop) -> ()
}) {kernel = @copy} : () -> ()
