// RUN: mlc-opt %s --graph-verify-no-control-flow --verify-diagnostics --split-input-file
// RUN: mlc-opt %s --lower-graph --verify-diagnostics --split-input-file
// RUN: mlc-opt %s --graph-form-kernels --verify-diagnostics --split-input-file
// RUN: mlc-opt %s --form-kernels --verify-diagnostics --split-input-file

// Every op, the nested ones first.
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{'graph.loop' op is not compiled yet}}
  %0 = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>):
    // expected-error @below {{'graph.if' op is not compiled yet: only control flow whose course constants tell, which graph-optimize removes, can be lowered}}
    %1 = "graph.if"(%go) ({
      "graph.yield"(%x) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32>) -> ()
    }, {
      "graph.yield"(%a) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xf32>) -> ()
    }) {resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<i1>) -> tensor<4xf32>
    "graph.yield"(%go, %1) {operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<i1>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
