// RUN: mlc-opt %s --graph-infer-shapes --verify-diagnostics --split-input-file

// A contradiction that shows once an earlier rank is known.

func.func @late(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  %0 = "graph.relu"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @below {{'graph.softmax' op 'axis' 7 is outside [0, 2)}}
  %1 = "graph.softmax"(%0) {axis = 7} : (tensor<*xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}

// -----

func.func @written(%x: tensor<2x3xf32>) -> tensor<4x?xf32> {
  %0 = "graph.relu"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @below {{'graph.exp' op 'result' is tensor<4x?xf32>, the definition gives tensor<2x3xf32>}}
  %1 = "graph.exp"(%0) : (tensor<*xf32>) -> tensor<4x?xf32>
  return %1 : tensor<4x?xf32>
}
