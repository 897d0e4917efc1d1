// RUN: mlc-opt %s '--graph-form-kernels=fuse=false' | filecheck %s

// Without fusion each op is a separate kernel, in program order; views and constants still are none.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: "graph.weight"
// CHECK-NEXT: %[[P:.*]] = "tloop.launch"(%arg0, %{{.*}}) {kernel = @[[MATMUL:matmul_[0-9a-f]*]]
// CHECK-NEXT: %[[R:.*]] = "tloop.launch"(%[[P]]) {kernel = @[[RELU:relu_[0-9a-f]*]]
// CHECK-NEXT: %[[V:.*]] = "graph.reshape"(%[[R]])
// CHECK-NEXT: %[[E:.*]] = "tloop.launch"(%[[V]]) {kernel = @[[EXP:exp_[0-9a-f]*]]
// CHECK-NEXT: %[[S:.*]] = "tloop.launch"(%[[E]]) {kernel = @[[SOFTMAX:softmax_[0-9a-f]*]]
// CHECK-NEXT: return %[[S]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<2x16xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 256, hash = "0"} : () -> tensor<8x8xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = "graph.relu"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: 2, 16>} : (tensor<4x8xf32>) -> tensor<2x16xf32>
  %3 = "graph.exp"(%2) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %4 = "graph.softmax"(%3) {axis = 1} : (tensor<2x16xf32>) -> tensor<2x16xf32>
  return %4 : tensor<2x16xf32>
}
