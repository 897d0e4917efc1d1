// RUN: mlc-opt %s --graph-infer-shapes --split-input-file | filecheck %s

// Ranks and dims become known from the operands, through a chain of ops; the signature follows.

// CHECK-LABEL: func.func @chain
// CHECK-SAME: -> tensor<?x4x4x4xf32>
func.func @chain(%x: tensor<?x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<*xf32> {
  // CHECK: "graph.conv"{{.*}} -> tensor<?x4x8x8xf32>
  %0 = "graph.conv"(%x, %w) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<*xf32>
  // CHECK: "graph.relu"{{.*}} -> tensor<?x4x8x8xf32>
  %1 = "graph.relu"(%0) : (tensor<*xf32>) -> tensor<*xf32>
  // CHECK: "graph.max_pool"{{.*}} -> tensor<?x4x4x4xf32>
  %2 = "graph.max_pool"(%1) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<*xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: "graph.softmax"{{.*}} -> tensor<?x4x4x4xf32>
  %3 = "graph.softmax"(%2) {axis = 1} : (tensor<?x?x?x?xf32>) -> tensor<*xf32>
  return %3 : tensor<*xf32>
}

// -----

// Dims that only the written type knows are kept; both sides together give the result.

// CHECK-LABEL: func.func @written
func.func @written(%x: tensor<?x?xf32>, %row: tensor<4xf32>, %s: tensor<i64>) -> (tensor<3x?xf32>, tensor<5xi64>) {
  // CHECK: "graph.add"{{.*}} -> tensor<3x4xf32>
  %0 = "graph.add"(%x, %row) : (tensor<?x?xf32>, tensor<4xf32>) -> tensor<3x?xf32>
  // CHECK: "graph.range"{{.*}} -> tensor<5xi64>
  %1 = "graph.range"(%s, %s, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<5xi64>
  // CHECK: return %{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<5xi64>
  return %0, %1 : tensor<3x?xf32>, tensor<5xi64>
}

// -----

// Dims that nobody knows stay unknown.

// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<?x768xf32>, %w: tensor<768x?xf32>) -> tensor<*xf32> {
  // CHECK: "graph.matmul"{{.*}} -> tensor<?x?xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<?x768xf32>, tensor<768x?xf32>) -> tensor<*xf32>
  // CHECK: "graph.reshape"{{.*}} -> tensor<?x12x64xf32>
  %1 = "graph.reshape"(%x) {shape = array<i64: -1, 12, 64>} : (tensor<?x768xf32>) -> tensor<*xf32>
  // CHECK: "graph.transpose"{{.*}} -> tensor<12x?x64xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 1, 0, 2>} : (tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}

// -----

// A function that is called keeps its signature, and ops of other dialects the types that they had: casts stand between.

// CHECK-LABEL: func.func private @callee
// CHECK-SAME: -> tensor<?x?xf32>
func.func private @callee(%x: tensor<?x?xf32>, %c: tensor<2x2xf32>) -> tensor<?x?xf32> {
  // CHECK: %[[SUM:.*]] = "graph.add"{{.*}} -> tensor<2x2xf32>
  // CHECK: %[[CAST:.*]] = tensor.cast %[[SUM]] : tensor<2x2xf32> to tensor<?x?xf32>
  // CHECK: return %[[CAST]]
  %0 = "graph.add"(%x, %c) : (tensor<?x?xf32>, tensor<2x2xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK-SAME: -> tensor<2x?xf32>
func.func @caller(%x: tensor<4x2xf32>, %c: tensor<2x2xf32>) -> tensor<?x?xf32> {
  // CHECK: %[[T:.*]] = "graph.transpose"{{.*}} -> tensor<2x4xf32>
  // CHECK: %[[CAST:.*]] = tensor.cast %[[T]]
  // CHECK: %[[CALL:.*]] = call @callee(%[[CAST]]
  // CHECK: "graph.concat"(%[[CALL]], %[[T]]){{.*}} -> tensor<2x?xf32>
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<?x?xf32>
  %1 = call @callee(%0, %c) : (tensor<?x?xf32>, tensor<2x2xf32>) -> tensor<?x?xf32>
  %2 = "graph.concat"(%1, %0) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
