// RUN: mlc-opt %s --lower-graph --form-kernels | filecheck %s
// RUN: not mlc-opt %s --lower-graph --host-verify 2>&1 | filecheck %s --check-prefix=BEFORE

// Before, the host holds ops that it cannot run.
// BEFORE: a host function cannot hold 'graph.

// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.{{conv|add|relu|matmul|pad|pack}}
// CHECK: "tloop.launch"({{.*}}) {kernel = @[[CONV:conv_add_relu_[0-9a-f]*]],
// CHECK: "tloop.launch"({{.*}}) {kernel = @[[PRODUCT:matmul_packed_add_[0-9a-f]*]],
// CHECK: "graph.reshape"
// CHECK-LABEL: func.func @prepare
// CHECK-NOT: "graph.pack"
// CHECK: return
// CHECK: func.func private @[[CONV]](%arg0: tensor<1x1x10x10x16xf32>, %arg1: tensor<1x1x3x3x16x32xf32>, %arg2: tensor<1x1x1x1x32xf32>) -> tensor<1x1x8x8x32xf32> attributes {tloop.kernel}
// CHECK: func.func private @[[PRODUCT]](%arg0: tensor<4x64xf32>, %arg1: tensor<3x64x32xf32>, %arg2: tensor<1x3x32xf32>)
func.func @main(%x: tensor<1x16x8x8xf32>, %y: tensor<4x64xf32>) -> (tensor<1x32x8x8xf32>, tensor<4x96xf32>) {
  %w = "graph.weight"() {source = "w", offset = 0, size = 18432, hash = "0"} : () -> tensor<32x16x3x3xf32>
  %b = "graph.weight"() {source = "w", offset = 18432, size = 128, hash = "1"} : () -> tensor<32x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x8x8xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x32x8x8xf32>, tensor<32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %2 = "graph.relu"(%1) : (tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %v = "graph.weight"() {source = "w", offset = 20000, size = 24576, hash = "2"} : () -> tensor<64x96xf32>
  %c = "graph.weight"() {source = "w", offset = 60000, size = 384, hash = "3"} : () -> tensor<96xf32>
  %3 = "graph.matmul"(%y, %v) : (tensor<4x64xf32>, tensor<64x96xf32>) -> tensor<4x96xf32>
  %4 = "graph.add"(%3, %c) : (tensor<4x96xf32>, tensor<96xf32>) -> tensor<4x96xf32>
  return %2, %4 : tensor<1x32x8x8xf32>, tensor<4x96xf32>
}
