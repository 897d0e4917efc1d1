// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(graph-name-dims))' --split-input-file | filecheck %s

// Dims of arguments go through ops; what cancels has one form, what does not divide is a quotient.

// CHECK-LABEL: func.func @sizes
func.func @sizes(%x: tensor<?x?x8xf32> {graph.dims = ["batch", "seq", ""]}, %w: tensor<8x6xf32>) -> (tensor<?x?x6xf32>, tensor<?x6xf32>, tensor<?x?x6xf32>) {
  // CHECK: "graph.matmul"{{.*}}graph.dims = {{.}}["batch", "seq", ""]
  %0 = "graph.matmul"(%x, %w) : (tensor<?x?x8xf32>, tensor<8x6xf32>) -> tensor<?x?x6xf32>
  // CHECK: "graph.reshape"{{.*}}graph.dims = {{.}}["batch*seq", ""]
  %1 = "graph.reshape"(%0) {shape = array<i64: -1, 6>} : (tensor<?x?x6xf32>) -> tensor<?x6xf32>
  // CHECK: "graph.concat"{{.*}}graph.dims = {{.}}["2*batch", "seq", ""]
  %2 = "graph.concat"(%0, %0) {axis = 0, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x?x6xf32>, tensor<?x?x6xf32>) -> tensor<?x?x6xf32>
  %3 = "graph.transpose"(%0) {permutation = array<i64: 0, 2, 1>} : (tensor<?x?x6xf32>) -> tensor<?x6x?xf32>
  // CHECK: "graph.max_pool"{{.*}}graph.dims = {{.}}["batch", "", "floordiv(seq, 2)"]
  %4 = "graph.max_pool"(%3) {kernel = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 0, 0>} : (tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
  return %0, %1, %2 : tensor<?x?x6xf32>, tensor<?x6xf32>, tensor<?x?x6xf32>
}

// -----

// Shape arithmetic on small integer tensors is followed to the dims that it says.

// CHECK-LABEL: func.func @arithmetic
func.func @arithmetic(%x: tensor<?x?x8xf32> {graph.dims = ["batch", "seq", ""]}) -> tensor<?x?x2x4xf32> {
  %heads = "graph.constant"() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %dims = "graph.shape_of"(%x) : (tensor<?x?x8xf32>) -> tensor<3xi64>
  %lead = "graph.slice"(%dims) {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : (tensor<3xi64>) -> tensor<2xi64>
  %shape = "graph.concat"(%lead, %heads) {axis = 0, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  // CHECK: "graph.reshape"{{.*}}graph.dims = {{.}}["batch", "seq", "", ""]
  %0 = "graph.reshape"(%x, %shape) {shape = array<i64: -1, -1, 2, 4>} : (tensor<?x?x8xf32>, tensor<4xi64>) -> tensor<?x?x2x4xf32>
  return %0 : tensor<?x?x2x4xf32>
}

// -----

// Without names, arguments' dims are called by their positions; different ones may differ, so a sum is none of them.

// CHECK-LABEL: func.func @unnamed
func.func @unnamed(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: "graph.concat"{{.*}}graph.dims = {{.}}["arg0.shape[0] + arg1.shape[0]", ""]
  %0 = "graph.concat"(%x, %y) {axis = 0, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: "graph.add"{{.*}}graph.dims = {{.}}["broadcast(arg0.shape[0], arg1.shape[0])", ""]
  %1 = "graph.add"(%x, %y) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A size that a value of the model gives has a separate name.

// CHECK-LABEL: func.func @values
func.func @values(%x: tensor<1x4xf32>, %count: tensor<2xi64>) -> tensor<?x4xf32> {
  // CHECK: "graph.expand"{{.*}}graph.dims = {{.}}["expand#0.shape[0]", ""]
  %0 = "graph.expand"(%x, %count) {shape = array<i64: -1, 4>} : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// What sizes leave open is true: indices have no more rows than data, slopes broadcast to x.

// CHECK-LABEL: func.func @open
func.func @open(%x: tensor<?x?xf32> {graph.dims = ["a", "b"]}, %i: tensor<?x1xi64> {graph.dims = ["c", ""]}, %u: tensor<?x1xf32> {graph.dims = ["c", ""]},
    %s: tensor<?xf32> {graph.dims = ["d"]}) -> (tensor<?x1xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  // CHECK: "graph.gather_elements"{{.*}}graph.dims = {{.}}["c", ""]
  %0 = "graph.gather_elements"(%x, %i) {axis = 1} : (tensor<?x?xf32>, tensor<?x1xi64>) -> tensor<?x1xf32>
  // CHECK: "graph.scatter_elements"{{.*}}graph.dims = {{.}}["a", "b"]
  %1 = "graph.scatter_elements"(%x, %i, %u) {axis = 1} : (tensor<?x?xf32>, tensor<?x1xi64>, tensor<?x1xf32>) -> tensor<?x?xf32>
  // CHECK: "graph.prelu"{{.*}}graph.dims = {{.}}["a", "b"]
  %2 = "graph.prelu"(%x, %s) : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x1xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// What a loop carries has the dims that it has at first, unless the body yields others; what both branches yield equally has its names.

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_32 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_4_of_34 = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// CHECK-LABEL: func.func @bodies
func.func @bodies(%x: tensor<?x2xf32> {graph.dims = ["a", ""]}, %n: tensor<i64>, %c: tensor<i1>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  // CHECK: "graph.loop"
  %0:2 = "graph.loop"(%n, %c, %x, %x) ({
  ^bb0(%i: tensor<i64>, %going: tensor<i1>, %kept: tensor<?x2xf32>, %grown: tensor<?x2xf32>):
    %e = "graph.exp"(%kept) : (tensor<?x2xf32>) -> tensor<?x2xf32>
    %g = "graph.concat"(%grown, %grown) {axis = 0, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    "graph.yield"(%going, %e, %g) {operandSegmentSizes = #first_3_of_32} : (tensor<i1>, tensor<?x2xf32>, tensor<?x2xf32>) -> ()
  // CHECK: }) {graph.dims = {{\[\[}}"a", ""], ["loop#{{[0-9]+}}.1.shape[0]", ""]]
  }) {operandSegmentSizes = #first_4_of_34, resultSegmentSizes = #first_2_of_32} : (tensor<i64>, tensor<i1>, tensor<?x2xf32>, tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  // CHECK: "graph.if"
  %1 = "graph.if"(%c) ({
    %e = "graph.exp"(%x) : (tensor<?x2xf32>) -> tensor<?x2xf32>
    "graph.yield"(%e) {operandSegmentSizes = #first_1_of_32} : (tensor<?x2xf32>) -> ()
  }, {
    "graph.yield"(%x) {operandSegmentSizes = #first_1_of_32} : (tensor<?x2xf32>) -> ()
  // CHECK: }) {graph.dims = {{\[\[}}"a", ""]]
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<?x2xf32>
  return %0#0, %0#1, %1 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
