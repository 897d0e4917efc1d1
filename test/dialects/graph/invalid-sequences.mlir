// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @f(%s: tensor<!graph.sequence>, %x: tensor<4xf32>) {
  // expected-error @below {{'graph.call_runtime' op 'result' must have elements !graph.sequence or i64: tensor<f32>}}
  %0 = "graph.call_runtime"(%s, %x) {function = "sequence_append", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64>}
      : (tensor<!graph.sequence>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%s: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @below {{'graph.call_runtime' op 'values (sequence)' must have elements !graph.sequence or i64: tensor<f32>}}
  %0 = "graph.call_runtime"(%s, %x) {function = "sequence_append", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64>}
      : (tensor<f32>, tensor<4xf32>) -> tensor<!graph.sequence>
  return
}

// -----

func.func @f(%s: tensor<!graph.sequence>) {
  // expected-error @below {{'graph.call_runtime' op 'values' number 1, the function takes sequence, x}}
  %0 = "graph.call_runtime"(%s) {function = "sequence_append", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>, options = array<i64>} : (tensor<!graph.sequence>) -> tensor<!graph.sequence>
  return
}

// -----

func.func @f(%s: tensor<!graph.sequence>, %p: tensor<i64>) {
  // expected-error @below {{'graph.call_runtime' op 'options' [] has 0 entries instead of 1 (one per option of the function)}}
  %0 = "graph.call_runtime"(%s, %p) {function = "sequence_dims", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64>}
      : (tensor<!graph.sequence>, tensor<i64>) -> tensor<2xi64>
  return
}

// -----

func.func @f(%s: tensor<!graph.sequence>, %p: tensor<i64>) {
  // expected-error @below {{'graph.call_runtime' op 'result' must have rank 1: tensor<2x2xi64>}}
  %0 = "graph.call_runtime"(%s, %p) {function = "sequence_dims", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64: 1>}
      : (tensor<!graph.sequence>, tensor<i64>) -> tensor<2x2xi64>
  return
}

// -----

func.func @f(%s: tensor<!graph.sequence>, %p: tensor<1xi64>) {
  // expected-error @below {{'graph.call_runtime' op 'values (position)' must have rank 0: tensor<1xi64>}}
  %0 = "graph.call_runtime"(%s, %p) {function = "sequence_erase", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64>}
      : (tensor<!graph.sequence>, tensor<1xi64>) -> tensor<!graph.sequence>
  return
}

// -----

func.func @f(%s: tensor<!graph.sequence>, %d: tensor<3xi64>) {
  // expected-error @below {{'graph.call_runtime' op 'values (dims)' must have 2 elements: tensor<3xi64>}}
  %0 = "graph.call_runtime"(%s, %d) {function = "sequence_joined", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64: 0>}
      : (tensor<!graph.sequence>, tensor<3xi64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %l: tensor<i32>) {
  // expected-error @below {{'graph.call_runtime' op 'values (lengths)' must have elements i64: tensor<i32>}}
  %0 = "graph.call_runtime"(%x, %l) {function = "sequence_split", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64: 0, 1>}
      : (tensor<4xf32>, tensor<i32>) -> tensor<!graph.sequence>
  return
}

// -----

func.func @f(%s: tensor<!graph.sequence>) {
  // expected-error @below {{'graph.call_runtime' op 'function' is "sequence_size" instead of one of}}
  %0 = "graph.call_runtime"(%s) {function = "sequence_size", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>, options = array<i64>} : (tensor<!graph.sequence>) -> tensor<i64>
  return
}
