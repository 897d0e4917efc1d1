// RUN: mlc-opt %s --lower-graph-gpu | filecheck %s

// Channels are last: one transpose before, one after; padding stays that of its convolution, a 1x1 window is a
// product of pixels, products take weights as they are.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = "graph.transpose"(%arg0) {permutation = array<i64: 0, 2, 3, 1>}
// CHECK-NOT: graph.transpose
// CHECK: "graph.conv"({{.*}}layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>{{.*}} : (tensor<1x1x8x8x16xf32>, tensor<1x1x3x3x16x32xf32>)
// CHECK-NOT: graph.transpose
// CHECK: "graph.matmul"({{.*}} : (tensor<64x32xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
// CHECK: "graph.transpose"({{.*}}) {permutation = array<i64: 0, 3, 1, 2>}
// CHECK: "graph.matmul"(%arg1, %{{.*}}) : (tensor<4x64xf32>, tensor<64x96xf32>)
// CHECK-NOT: graph.pack
// CHECK: return
// CHECK-LABEL: func.func @prepare
// CHECK: "graph.transpose"({{.*}}) {permutation = array<i64: 2, 3, 1, 0>}
func.func @main(%x: tensor<1x16x8x8xf32>, %y: tensor<4x64xf32>) -> (tensor<1x8x8x8xf32>, tensor<4x96xf32>) {
  %w = "graph.weight"() {source = "w", offset = 0, size = 18432, hash = "0"} : () -> tensor<32x16x3x3xf32>
  %u = "graph.weight"() {source = "w", offset = 18432, size = 1024, hash = "1"} : () -> tensor<8x32x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x8x8xf32>
  %1 = "graph.conv"(%0, %u) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x8x8xf32>, tensor<8x32x1x1xf32>) -> tensor<1x8x8x8xf32>
  %v = "graph.weight"() {source = "w", offset = 20000, size = 24576, hash = "2"} : () -> tensor<64x96xf32>
  %2 = "graph.matmul"(%y, %v) : (tensor<4x64xf32>, tensor<64x96xf32>) -> tensor<4x96xf32>
  return %1, %2 : tensor<1x8x8x8xf32>, tensor<4x96xf32>
}
