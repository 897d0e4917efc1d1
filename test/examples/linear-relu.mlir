// RUN: %python %S/../../examples/linear_relu.py --mlir | filecheck %s

// CHECK: func.func private @linear_relu_{{.*}}(%[[X:.*]]: tensor<32x64xf32>, %[[W:.*]]: tensor<64x48xf32>, %[[B:.*]]: tensor<48xf32>) -> tensor<32x48xf32> attributes {tloop.kernel}
// CHECK: affine.for %[[I:.*]] = 0 to 32 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 48 {
// CHECK-NEXT: %[[BIAS:.*]] = affine.load %{{.*}}[%[[J]]] : memref<48xf32>
// CHECK-NEXT: affine.store %[[BIAS]], %[[Y:.*]][%[[I]], %[[J]]] {tloop.block = "bias"}
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: affine.for %[[K:.*]] = 0 to 64 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 48 {
// CHECK-NEXT: affine.load %{{.*}}[%[[I]], %[[K]]]
// CHECK-NEXT: affine.load %{{.*}}[%[[K]], %[[J]]]
// CHECK: affine.store %{{.*}}, %[[Y]][%[[I]], %[[J]]] {tloop.block = "product"}
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "k"}
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 48 {
// CHECK: arith.maximumf
// CHECK-NEXT: affine.store %{{.*}}, %[[Y]][%[[I]], %[[J]]] {tloop.block = "relu"}
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "i"}
