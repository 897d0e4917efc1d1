// RUN: mlc-opt %s --graph-verify-fixed-sizes --verify-diagnostics --split-input-file
// RUN: mlc-opt %s --lower-graph-gpu --verify-diagnostics --split-input-file

// Every op from which sizes come that are not known; not those that they reach.
func.func @main(%n: tensor<i64>, %m: tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>) {
  %zero = "graph.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "graph.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  // expected-error @below {{'graph.range' op cannot be part of a GPU's program: the data say what sizes its result has, and the plan of a GPU has fixed ones}}
  %0 = "graph.range"(%zero, %n, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %1 = "graph.neg"(%0) : (tensor<?xi64>) -> tensor<?xi64>
  // expected-note @below {{'graph.range' op cannot be part of a GPU's program}}
  %2 = "graph.range"(%zero, %m, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %1, %2 : tensor<?xi64>, tensor<?xi64>
}

// -----

// Of known sizes only.
func.func @main(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = "graph.neg"(%x) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
