// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2xi64>) {
  // expected-error @below {{'graph.objects' op 'result' must have elements of type !graph.string or !graph.sequence}}
  %0 = "graph.objects"(%x) : (tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{'graph.object_ids' op 'x'}}
  %0 = "graph.object_ids"(%x) : (tensor<2xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2x!graph.string>) {
  // expected-error @below {{'graph.call_runtime' op 'function' is "string_reverse" instead of one of string_concat}}
  %0 = "graph.call_runtime"(%x) {function = "string_reverse", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x!graph.string>) -> tensor<2x!graph.string>
  return
}

// -----

func.func @f(%x: tensor<2x!graph.string>) {
  // expected-error @below {{'graph.call_runtime' op 'values' number 1, the function takes x, y}}
  %0 = "graph.call_runtime"(%x) {function = "string_concat", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x!graph.string>) -> tensor<2x!graph.string>
  return
}

// -----

func.func @f(%x: tensor<2x!graph.string>, %y: tensor<3x!graph.string>) {
  // expected-error @below {{'graph.call_runtime' op 'values' they have different dims}}
  %0 = "graph.call_runtime"(%x, %y) {function = "string_concat", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>}
      : (tensor<2x!graph.string>, tensor<3x!graph.string>) -> tensor<2x!graph.string>
  return
}

// -----

func.func @f(%x: tensor<2x!graph.string>, %y: tensor<!graph.string>) {
  // expected-error @below {{'graph.call_runtime' op 'options'}}
  %0 = "graph.call_runtime"(%x, %y) {function = "string_split_count", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x!graph.string>, tensor<!graph.string>) -> tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2x!graph.string>, %table: tensor<9xi64>) {
  // expected-error @below {{'graph.call_runtime' op 'values (table)' must have elements i32}}
  %0 = "graph.call_runtime"(%x, %table) {function = "string_match", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x!graph.string>, tensor<9xi64>) -> tensor<2xi1>
  return
}

// -----

func.func @f(%x: tensor<2x!graph.string>, %y: tensor<1x!graph.string>, %dims: tensor<2xi64>) {
  // expected-error @below {{'graph.call_runtime' op 'values (delimiter)' must have rank 0}}
  %0 = "graph.call_runtime"(%x, %y, %dims) {function = "string_split", options = array<i64: -1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}
      : (tensor<2x!graph.string>, tensor<1x!graph.string>, tensor<2xi64>) -> tensor<2x?x!graph.string>
  return
}

// -----

func.func @f(%x: tensor<2x!graph.string>, %y: tensor<!graph.string>, %dims: tensor<3xi64>) {
  // expected-error @below {{'graph.call_runtime' op 'values (dims)' must have 2 elements}}
  %0 = "graph.call_runtime"(%x, %y, %dims) {function = "string_split", options = array<i64: -1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}
      : (tensor<2x!graph.string>, tensor<!graph.string>, tensor<3xi64>) -> tensor<2x?x!graph.string>
  return
}
