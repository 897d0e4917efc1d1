// RUN: mlc-opt %s --graph-split-products | filecheck %s

// Three parts of the columns, after a bias and a reshape: three products with parts of weight and bias.
// CHECK-LABEL: func.func @three
// CHECK-DAG: %[[W:.*]] = "graph.weight"
// CHECK-DAG: %[[C:.*]] = "graph.constant"
// CHECK: %[[W0:.*]] = "graph.slice"(%[[W]]) {sizes = array<i64: 4, 4>, starts = array<i64: 0, 0>
// CHECK: %[[P0:.*]] = "graph.matmul"(%arg0, %[[W0]]) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
// CHECK: %[[C0:.*]] = "graph.slice"(%[[C]]) {sizes = array<i64: 4>, starts = array<i64: 0>
// CHECK: %[[S0:.*]] = "graph.add"(%[[P0]], %[[C0]])
// CHECK: %[[R0:.*]] = "graph.reshape"(%[[S0]]) {shape = array<i64: 2, 4, 4>}
// CHECK: "graph.slice"(%[[W]]) {sizes = array<i64: 4, 4>, starts = array<i64: 0, 4>
// CHECK: %[[W2:.*]] = "graph.slice"(%[[W]]) {sizes = array<i64: 4, 4>, starts = array<i64: 0, 8>
// CHECK: %[[P2:.*]] = "graph.matmul"(%arg0, %[[W2]])
// CHECK-NOT: tensor<8x12xf32>
// CHECK: return %[[R0]]
func.func @three(%x: tensor<8x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 192, hash = "ab"} : () -> tensor<4x12xf32>
  %c = "graph.constant"() {value = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]> : tensor<12xf32>} : () -> tensor<12xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<8x4xf32>, tensor<4x12xf32>) -> tensor<8x12xf32>
  %1 = "graph.add"(%0, %c) : (tensor<8x12xf32>, tensor<12xf32>) -> tensor<8x12xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: 2, 4, 12>} : (tensor<8x12xf32>) -> tensor<2x4x12xf32>
  %3 = "graph.slice"(%2) {starts = array<i64: 0, 0, 0>, sizes = array<i64: 2, 4, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x4x12xf32>) -> tensor<2x4x4xf32>
  %4 = "graph.slice"(%2) {starts = array<i64: 0, 0, 4>, sizes = array<i64: 2, 4, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x4x12xf32>) -> tensor<2x4x4xf32>
  %5 = "graph.slice"(%2) {starts = array<i64: 0, 0, 8>, sizes = array<i64: 2, 4, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x4x12xf32>) -> tensor<2x4x4xf32>
  return %3, %4, %5 : tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
}

// Overlapping parts, a second reader of the whole, one row (then the slices are views), a matrix that is no constant: all
// stay.
// CHECK-LABEL: func.func @stay
// CHECK: "graph.matmul"(%arg0, %{{.*}}) : (tensor<8x4xf32>, tensor<4x12xf32>)
// CHECK: "graph.matmul"(%arg1, %{{.*}}) : (tensor<9x4xf32>, tensor<4x12xf32>)
// CHECK: "graph.matmul"(%arg2, %{{.*}}) : (tensor<1x4xf32>, tensor<4x12xf32>)
// CHECK: "graph.matmul"(%arg0, %arg3) : (tensor<8x4xf32>, tensor<4x12xf32>)
func.func @stay(%x: tensor<8x4xf32>, %y: tensor<9x4xf32>, %z: tensor<1x4xf32>, %v: tensor<4x12xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<9x4xf32>, tensor<9x12xf32>, tensor<1x4xf32>, tensor<8x4xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 192, hash = "ab"} : () -> tensor<4x12xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<8x4xf32>, tensor<4x12xf32>) -> tensor<8x12xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 0>, sizes = array<i64: 8, 8>, steps = array<i64: 1, 1>} : (tensor<8x12xf32>) -> tensor<8x8xf32>
  %2 = "graph.slice"(%0) {starts = array<i64: 0, 4>, sizes = array<i64: 8, 8>, steps = array<i64: 1, 1>} : (tensor<8x12xf32>) -> tensor<8x8xf32>
  %3 = "graph.matmul"(%y, %w) : (tensor<9x4xf32>, tensor<4x12xf32>) -> tensor<9x12xf32>
  %4 = "graph.slice"(%3) {starts = array<i64: 0, 0>, sizes = array<i64: 9, 4>, steps = array<i64: 1, 1>} : (tensor<9x12xf32>) -> tensor<9x4xf32>
  %5 = "graph.matmul"(%z, %w) : (tensor<1x4xf32>, tensor<4x12xf32>) -> tensor<1x12xf32>
  %6 = "graph.slice"(%5) {starts = array<i64: 0, 0>, sizes = array<i64: 1, 4>, steps = array<i64: 1, 1>} : (tensor<1x12xf32>) -> tensor<1x4xf32>
  %7 = "graph.matmul"(%x, %v) : (tensor<8x4xf32>, tensor<4x12xf32>) -> tensor<8x12xf32>
  %8 = "graph.slice"(%7) {starts = array<i64: 0, 0>, sizes = array<i64: 8, 4>, steps = array<i64: 1, 1>} : (tensor<8x12xf32>) -> tensor<8x4xf32>
  return %1, %2, %4, %3, %6, %8 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<9x4xf32>, tensor<9x12xf32>, tensor<1x4xf32>, tensor<8x4xf32>
}

// A product that becomes a scalar has no columns.
// CHECK-LABEL: func.func @number
// CHECK: "graph.matmul"
func.func @number(%x: tensor<1x4xf32>) -> tensor<f32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 16, hash = "ab"} : () -> tensor<4x1xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64>} : (tensor<1x1xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// Rows of unknown count.
// CHECK-LABEL: func.func @dynamic
// CHECK: "graph.matmul"({{.*}}) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 192, hash = "ab"} : () -> tensor<4x12xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<?x4xf32>, tensor<4x12xf32>) -> tensor<?x12xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 0>, sizes = array<i64: -1, 4>, steps = array<i64: 1, 1>} : (tensor<?x12xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
