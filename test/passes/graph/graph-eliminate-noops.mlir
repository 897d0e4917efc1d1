// RUN: mlc-opt %s --graph-eliminate-noops | filecheck %s

// CHECK-LABEL: func.func @no_ops
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @no_ops(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = "graph.identity"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = "graph.cast"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = "graph.reshape"(%x) {shape = array<i64: 2, -1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = "graph.transpose"(%x) {permutation = array<i64: 0, 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = "graph.slice"(%x) {starts = array<i64: 0, 0>, sizes = array<i64: 2, 4>, steps = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = "graph.pad"(%x) {low = array<i64: 0, 0>, high = array<i64: 0, 0>, mode = "constant", value = 0.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %6 = "graph.concat"(%x) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = "graph.expand"(%x) {shape = array<i64: 2, 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %8 = "graph.tile"(%x) {repeats = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @no_ops_dynamic
// CHECK-NEXT: return %arg0, %arg0, %arg0
func.func @no_ops_dynamic(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = "graph.reshape"(%x) {shape = array<i64: -1, 4>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = "graph.slice"(%x) {starts = array<i64: 0, 0>, sizes = array<i64: -1, -1>, steps = array<i64: 1, 1>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = "graph.expand"(%x) {shape = array<i64: -1, 4>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// The types are equal, the dims need not be: two that are not known, some elements, what `dims` says.
// CHECK-LABEL: func.func @kept_dynamic
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.expand
func.func @kept_dynamic(%x: tensor<?x?xf32>, %dims: tensor<2xi64>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = "graph.reshape"(%x, %dims) {shape = array<i64: -1, -1>, operandSegmentSizes = array<i32: 1, 1>} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = "graph.slice"(%x) {starts = array<i64: 1, 0>, sizes = array<i64: -1, -1>, steps = array<i64: 1, 1>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = "graph.slice"(%x) {starts = array<i64: 0, 0>, sizes = array<i64: -1, -1>, steps = array<i64: 2, 1>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = "graph.expand"(%x, %dims) {shape = array<i64: -1, -1>, operandSegmentSizes = array<i32: 1, 1>} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @views
// CHECK-NEXT: %[[VIEW:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 2, 12>}
// CHECK-NEXT: return %[[VIEW]]
func.func @views(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %0 = "graph.unsqueeze"(%x) {axes = array<i64: 0>} : (tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 24, 1>} : (tensor<1x2x3x4xf32>) -> tensor<24x1xf32>
  %2 = "graph.squeeze"(%1) {axes = array<i64: 1>} : (tensor<24x1xf32>) -> tensor<24xf32>
  %3 = "graph.reshape"(%2) {shape = array<i64: 2, 12>} : (tensor<24xf32>) -> tensor<2x12xf32>
  return %3 : tensor<2x12xf32>
}

// CHECK-LABEL: func.func @views_dynamic
// CHECK-NEXT: "graph.unsqueeze"
// CHECK: "graph.reshape"(%arg0) {shape = array<i64: -1>}
func.func @views_dynamic(%x: tensor<?x4xf32>) -> (tensor<?x1x4xf32>, tensor<?xf32>) {
  %0 = "graph.unsqueeze"(%x) {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?x1x4xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: -1>} : (tensor<?x1x4xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?x1x4xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @transposes
// CHECK-NEXT: %[[ONE:.*]] = "graph.transpose"(%arg0) {permutation = array<i64: 2, 0, 1>}
// CHECK-NEXT: return %arg0, %[[ONE]]
func.func @transposes(%x: tensor<?x3x4xf32>) -> (tensor<?x3x4xf32>, tensor<4x?x3xf32>) {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<?x3x4xf32>) -> tensor<3x?x4xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 1, 0, 2>} : (tensor<3x?x4xf32>) -> tensor<?x3x4xf32>
  %2 = "graph.transpose"(%0) {permutation = array<i64: 2, 1, 0>} : (tensor<3x?x4xf32>) -> tensor<4x?x3xf32>
  return %1, %2 : tensor<?x3x4xf32>, tensor<4x?x3xf32>
}

// Dims of 1 move as in a reshape.
// CHECK-LABEL: func.func @transpose_unit
// CHECK-NEXT: "graph.reshape"(%arg0) {shape = array<i64: 3, 1, 4>}
func.func @transpose_unit(%x: tensor<1x3x4xf32>) -> tensor<3x1x4xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<1x3x4xf32>) -> tensor<3x1x4xf32>
  return %0 : tensor<3x1x4xf32>
}

// CHECK-LABEL: func.func @views_of_constants
// CHECK-DAG: "graph.weight"() {hash = "a", offset = 0 : i64, size = 32 : i64, source = "m.onnx"} : () -> tensor<8x1xf32>
// CHECK-DAG: dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>
// CHECK-DAG: dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>
// CHECK-NOT: graph.reshape
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @views_of_constants() -> (tensor<8x1xf32>, tensor<1x2xf32>, tensor<2x1xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 32 : i64, hash = "a"} : () -> tensor<2x4xf32>
  %c = "graph.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = "graph.reshape"(%w) {shape = array<i64: 8>} : (tensor<2x4xf32>) -> tensor<8xf32>
  %1 = "graph.unsqueeze"(%0) {axes = array<i64: 1>} : (tensor<8xf32>) -> tensor<8x1xf32>
  %2 = "graph.reshape"(%c) {shape = array<i64: 1, 2>} : (tensor<2xf32>) -> tensor<1x2xf32>
  %3 = "graph.transpose"(%2) {permutation = array<i64: 1, 0>} : (tensor<1x2xf32>) -> tensor<2x1xf32>
  return %1, %2, %3 : tensor<8x1xf32>, tensor<1x2xf32>, tensor<2x1xf32>
}
