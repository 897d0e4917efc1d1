// RUN: %python %S/../../examples/fashion_mlp.py --mlir | filecheck %s

// One program: kernels beside ops of the graph dialect ...
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[IMAGES:.*]]: tensor<1x28x28xf32> {graph.name = "images"}) -> tensor<1x10xf32>
// CHECK: %[[X:.*]] = "graph.reshape"(%[[IMAGES]])
// CHECK: "graph.weight"() {{.*}} -> tensor<784x128xf32>
// CHECK: %[[HIDDEN:.*]] = "tloop.launch"(%[[X]], %{{.*}}, %{{.*}}) {kernel = @[[FIRST:linear_.*]], operandSegmentSizes
// CHECK: %[[POSITIVE:.*]] = "graph.relu"(%[[HIDDEN]])
// CHECK: %[[SCORES:.*]] = "tloop.launch"(%[[POSITIVE]], %{{.*}}, %{{.*}}) {kernel = @[[SECOND:linear_.*]], operandSegmentSizes
// CHECK: "tloop.launch"(%[[SCORES]]) {kernel = @[[SOFTMAX:softmax_.*]], operandSegmentSizes

// ... and the kernels that it launches: loops for each of the two sizes,
// CHECK: func.func private @[[FIRST]](%{{.*}}: tensor<1x784xf32>
// CHECK: affine.for %[[I:.*]] = 0 to 1 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 128 {
// CHECK: tloop.block = "bias"
// CHECK: affine.for %[[K:.*]] = 0 to 784 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 128 {
// CHECK: tloop.block = "product"
// CHECK: func.func private @[[SECOND]](%{{.*}}: tensor<1x128xf32>

// and computations on tensors.
// CHECK: func.func private @[[SOFTMAX]](%{{.*}}: tensor<1x10xf32>
// CHECK: linalg.generic {{.*}}tloop.block = "top"
// CHECK: linalg.generic {{.*}}tloop.block = "power"
// CHECK: linalg.generic {{.*}}tloop.block = "total"
// CHECK: linalg.generic {{.*}}tloop.block = "probability"
