// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-place{device=cpu unsupported=true}),form-kernels)" | filecheck %s

// In a GPU's program all values are in the GPU's memory, but results of a kernel on the processor. That kernel reads
// weights, and parts of them, on the host; other launches read them on the device. A part of its result is transferred
// where it is read.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "graph.weight"
// CHECK: %[[I:.*]] = "graph.weight"
// CHECK: %[[ROWS:.*]] = "graph.slice"(%[[W]])
// CHECK: %[[T:.*]] = "tloop.launch"(%arg0, %[[W]]) {kernel = @add_[[ADD:[0-9a-f]*]],
// CHECK: %[[T1:.*]] = "tloop.transfer"(%[[T]]) {to = "cpu"}
// CHECK: %[[U:.*]] = "tloop.launch"(%[[T1]], %[[I]], %[[ROWS]]) {kernel = @scatter_nd_[[SCATTER:[0-9a-f]*]],
// CHECK: %[[P:.*]] = "graph.slice"(%[[U]])
// CHECK: %[[P1:.*]] = "tloop.transfer"(%[[P]]) {to = "gpu"}
// CHECK: %[[U1:.*]] = "tloop.transfer"(%[[U]]) {to = "gpu"}
// CHECK: %[[Y:.*]] = "tloop.launch"(%[[P1]]) {kernel = @tanh_
// CHECK: return %[[Y]], %[[U1]]
// CHECK: func.func private @scatter_nd_[[SCATTER]]
// CHECK-SAME: tloop.device = "cpu"
func.func @main(%x: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  %w = "graph.weight"() {hash = "00", offset = 0 : i64, size = 128 : i64, source = "w"} : () -> tensor<8x4xf32>
  %i = "graph.weight"() {hash = "00", offset = 128 : i64, size = 24 : i64, source = "w"} : () -> tensor<3x1xi64>
  %rows = "graph.slice"(%w) {starts = array<i64: 2, 0>, sizes = array<i64: 3, 4>, steps = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<3x4xf32>
  %t = "graph.add"(%x, %w) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %u = "graph.scatter_nd"(%t, %i, %rows) : (tensor<8x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %part = "graph.slice"(%u) {starts = array<i64: 2, 0>, sizes = array<i64: 4, 4>, steps = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %y = "graph.tanh"(%part) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %u : tensor<4x4xf32>, tensor<8x4xf32>
}
