// RUN: mlc-opt %s --graph-verify-no-control-flow --verify-diagnostics --split-input-file
// RUN: mlc-opt %s --lower-graph-gpu --verify-diagnostics --split-input-file

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Every op, the nested ones first.
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{'graph.loop' op cannot be part of a kernel or of a GPU's program}}
  %0 = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>):
    // expected-error @below {{'graph.if' op cannot be part of a kernel or of a GPU's program: its course is only known when the program runs, and GPUs run a list of launches}}
    %1 = "graph.if"(%go) ({
      "graph.yield"(%x) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
    }, {
      "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
    }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<4xf32>
    "graph.yield"(%go, %1) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @runtime(%s: tensor<i64>) -> tensor<i64> {
  // expected-error @below {{'graph.call_runtime' op cannot be part of a GPU's program: only processors compute with strings and sequences}}
  %0 = "graph.call_runtime"(%s) {function = "sequence_length", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>, options = array<i64>} : (tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @check(%x: tensor<2xi64>, %t: tensor<i1>) -> tensor<2xi64> {
  // expected-error @below {{'graph.check' op cannot be part of a GPU's program: data that are wrong end a call, and GPUs run a list of launches}}
  %0 = "graph.check"(%x, %t) {message = "wrong"} : (tensor<2xi64>, tensor<i1>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
