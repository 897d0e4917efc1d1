// RUN: mlc-opt %s --graph-optimize --graph-split-prepare | filecheck %s

// Convolution with bias, batch normalisation and relu: the normalisation goes into weights and bias, which are
// computed once.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[WEIGHTS:.*]] = "graph.prepared"() {{.*}} -> tensor<4x3x3x3xf32>
// CHECK-NEXT: %[[CONV:.*]] = "graph.conv"(%arg0, %[[WEIGHTS]]) {{.*}} -> tensor<?x4x8x8xf32>
// CHECK-NEXT: %[[OFFSET:.*]] = "graph.prepared"() {{.*}} -> tensor<1x4x1x1xf32>
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%[[CONV]], %[[OFFSET]])
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[SUM]])
// CHECK-NEXT: return %[[RELU]] : tensor<?x4x8x8xf32>
// CHECK: func.func @prepare() -> (tensor<4x3x3x3xf32>, tensor<1x4x1x1xf32>)
// CHECK: "graph.mul"({{.*}}) : (tensor<4x3x3x3xf32>, tensor<4x1x1x1xf32>) -> tensor<4x3x3x3xf32>
func.func @main(%x: tensor<?x3x8x8xf32>) -> tensor<?x?x?x?xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 432 : i64, hash = "w"} : () -> tensor<4x3x3x3xf32>
  %b = "graph.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %scale = "graph.weight"() {source = "m.onnx", offset = 432 : i64, size = 16 : i64, hash = "s"} : () -> tensor<4xf32>
  %bias = "graph.weight"() {source = "m.onnx", offset = 448 : i64, size = 16 : i64, hash = "b"} : () -> tensor<4xf32>
  %mean = "graph.weight"() {source = "m.onnx", offset = 464 : i64, size = 16 : i64, hash = "m"} : () -> tensor<4xf32>
  %variance = "graph.weight"() {source = "m.onnx", offset = 480 : i64, size = 16 : i64, hash = "v"} : () -> tensor<4xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<?x?x?x?xf32>
  %1 = "graph.reshape"(%b) {shape = array<i64: 1, 4, 1, 1>} : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
  %2 = "graph.add"(%0, %1) : (tensor<?x?x?x?xf32>, tensor<1x4x1x1xf32>) -> tensor<?x?x?x?xf32>
  %3 = "graph.batch_norm"(%2, %scale, %bias, %mean, %variance) {epsilon = 1.0e-5 : f64} : (tensor<?x?x?x?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x?x?xf32>
  %4 = "graph.clamp"(%3) {min = 0.0 : f64} : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %4 : tensor<?x?x?x?xf32>
}
