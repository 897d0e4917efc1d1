// RUN: mlc-opt %s --graph-to-linalg --canonicalize | filecheck %s

// Padding that covers what a slice cuts off: all of the relu is written in one piece, then the row and the column too many
// are cleared, with the padding's own value.
// CHECK-LABEL: func.func private @cut
// CHECK-DAG: %[[V:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[B:.*]] = linalg.fill ins(%[[V]] : f32) outs(%{{.*}} : tensor<2x7x8xf32>)
// CHECK-DAG: %[[R:.*]] = linalg.generic {{.*}} ins(%arg0
// CHECK: %[[W:.*]] = tensor.insert_slice %[[R]] into %[[B]][0, 1, 2] [2, 4, 5] [1, 1, 1]
// CHECK: %[[ROW:.*]] = linalg.fill ins(%[[V]] : f32) outs(%{{.*}} : tensor<2x1x8xf32>)
// CHECK: %[[C:.*]] = tensor.insert_slice %[[ROW]] into %[[W]][0, 4, 0] [2, 1, 8] [1, 1, 1]
// CHECK: %[[COLUMN:.*]] = linalg.fill ins(%[[V]] : f32) outs(%{{.*}} : tensor<2x7x1xf32>)
// CHECK: %[[D:.*]] = tensor.insert_slice %[[COLUMN]] into %[[C]][0, 0, 6] [2, 7, 1] [1, 1, 1]
// CHECK: return %[[D]]
func.func private @cut(%x: tensor<2x4x5xf32>) -> tensor<2x7x8xf32> attributes {tloop.kernel} {
  %0 = "graph.relu"(%x) : (tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 0, 0>, sizes = array<i64: 2, 3, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x4x5xf32>) -> tensor<2x3x4xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 1, 2>, high = array<i64: 0, 3, 2>, mode = "constant", value = 0.5 : f64} : (tensor<2x3x4xf32>) -> tensor<2x7x8xf32>
  return %2 : tensor<2x7x8xf32>
}

// Padding that does not cover it, a slice that begins after the first element, one of an argument: the part is written.
// CHECK-LABEL: func.func private @part
// CHECK-COUNT-3: tensor.extract_slice
// CHECK-NOT: tensor.insert_slice {{.*}} [2, 4, 5] [1, 1, 1]
func.func private @part(%x: tensor<2x4x5xf32>) -> (tensor<2x6x5xf32>, tensor<2x7x8xf32>, tensor<2x7x8xf32>) attributes {tloop.kernel} {
  %0 = "graph.relu"(%x) : (tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 0, 0>, sizes = array<i64: 2, 3, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x4x5xf32>) -> tensor<2x3x4xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 1, 1>, high = array<i64: 0, 2, 0>, mode = "constant", value = 0.5 : f64} : (tensor<2x3x4xf32>) -> tensor<2x6x5xf32>
  %3 = "graph.slice"(%0) {starts = array<i64: 0, 1, 0>, sizes = array<i64: 2, 3, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x4x5xf32>) -> tensor<2x3x4xf32>
  %4 = "graph.pad"(%3) {low = array<i64: 0, 1, 2>, high = array<i64: 0, 3, 2>, mode = "constant", value = 0.5 : f64} : (tensor<2x3x4xf32>) -> tensor<2x7x8xf32>
  %5 = "graph.slice"(%x) {starts = array<i64: 0, 0, 0>, sizes = array<i64: 2, 3, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x4x5xf32>) -> tensor<2x3x4xf32>
  %6 = "graph.pad"(%5) {low = array<i64: 0, 1, 2>, high = array<i64: 0, 3, 2>, mode = "constant", value = 0.5 : f64} : (tensor<2x3x4xf32>) -> tensor<2x7x8xf32>
  return %2, %4, %6 : tensor<2x6x5xf32>, tensor<2x7x8xf32>, tensor<2x7x8xf32>
}
