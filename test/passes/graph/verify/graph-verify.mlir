// RUN: mlc-opt %s --graph-verify --verify-diagnostics --split-input-file | filecheck %s

// CHECK-LABEL: func.func @complete
func.func @complete(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = "graph.relu"(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

func.func @every_violation(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  // expected-error @below {{'graph.relu' op result is tensor<?x3xf32> where its operands imply tensor<2x3xf32>: run graph-infer-shapes first}}
  %0 = "graph.relu"(%x) : (tensor<2x3xf32>) -> tensor<?x3xf32>
  // expected-note @below {{'graph.exp' op result is tensor<*xf32> where its operands imply tensor<?x3xf32>: run graph-infer-shapes first}}
  %1 = "graph.exp"(%0) : (tensor<?x3xf32>) -> tensor<*xf32>
  // expected-note @below {{'graph.abs' op has a tensor of unknown rank, tensor<*xf32>: run graph-infer-shapes first}}
  %2 = "graph.abs"(%1) : (tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}
