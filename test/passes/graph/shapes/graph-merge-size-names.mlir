// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(graph-merge-size-names))' --split-input-file | filecheck %s

// Two names of the same element: the first one replaces the other in sizes and dims, and what was a broadcast is
// the dim itself.

// CHECK-LABEL: func.func @equal_elements
func.func @equal_elements(%x: tensor<?xf32> {graph.dims = ["n"]}, %count: tensor<1xi64>, %other: tensor<1xi64>) -> tensor<?xf32> {
  // CHECK: "graph.sizes"(%arg1) {dims = ["a"], names = ["a"]
  %0 = "graph.sizes"(%count) {names = ["a"], dims = ["a"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<1xi64>) -> tensor<1xi64>
  // CHECK: "graph.expand"{{.*}}graph.dims = {{.}}["a"]
  %1 = "graph.expand"(%x, %0) {shape = array<i64: -1>, graph.dims = [["a"]]} : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  // CHECK: "graph.sizes"(%arg1, %arg2) {dims = ["a + c"], names = ["a", "c"]
  %2 = "graph.sizes"(%count, %other) {names = ["b", "c"], dims = ["b + c"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  // CHECK: "graph.sizes"(%arg1, %arg1) {dims = ["a"], names = ["a", "a"]
  %3 = "graph.sizes"(%count, %count) {names = ["a", "b"], dims = ["broadcast(a, b)"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  // CHECK: "graph.expand"{{.*}}graph.dims = {{.}}["a"]
  %4 = "graph.expand"(%x, %3) {shape = array<i64: -1>, graph.dims = [["broadcast(a, b)"]]} : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  %5 = "graph.add"(%1, %4) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %5 : tensor<?xf32>
}

// -----

// Names of arguments' dims stay, and elements that are different ones keep their names.

// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<?x?xf32> {graph.dims = ["n", "m"]}, %counts: tensor<2xi64>) -> tensor<2xi64> {
  %dims = "graph.shape_of"(%x) : (tensor<?x?xf32>) -> tensor<2xi64>
  // CHECK: "graph.sizes"(%0, %arg1) {dims = ["n + a", "b"], names = ["n", "", "a", "b"]
  %0 = "graph.sizes"(%dims, %counts) {names = ["n", "", "a", "b"], dims = ["n + a", "b"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
