// RUN: mlc-opt %s --graph-form-kernels --split-input-file --verify-diagnostics | filecheck %s

// Names of what turns out to be known give way to it, in the dims of all ops and in types.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<?x?xf32>, tensor<?x5xf32>)
// CHECK: "tloop.launch"(%{{.*}}) {graph.dims = {{\[}}["5*n", "floordiv(m, 5)"]], kernel = @exp_{{.*}} -> tensor<?x?xf32>
// CHECK: "tloop.launch"(%{{.*}}) {graph.dims = {{\[}}["floordiv(m*n, 5)", ""]], kernel = @exp_{{.*}} -> tensor<?x5xf32>
// CHECK-NOT: read
func.func @main(%x: tensor<?x?xf32> {graph.dims = ["n", "m"]}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = "graph.constant"() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = "graph.shape_of"(%x) : (tensor<?x?xf32>) -> tensor<2xi64>
  %2 = "graph.sizes"(%1, %0) {names = ["n", "m", "read#0[0]"], dims = ["n*read#0[0]", "floordiv(m, 5)"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>}
      : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xi64>
  %3 = "graph.reshape"(%x, %2) {shape = array<i64: -1, -1>, graph.dims = [["n*read#0[0]", "floordiv(m, 5)"]]} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %4 = "graph.exp"(%3) {graph.dims = [["n*read#0[0]", "floordiv(m, 5)"]]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %5 = "graph.sizes"(%1, %0) {names = ["n", "m", "read#0[0]"], dims = ["floordiv(n*m, 5)", "read#0[0]"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>}
      : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xi64>
  %6 = "graph.reshape"(%x, %5) {shape = array<i64: -1, -1>, graph.dims = [["floordiv(m*n, 5)", "read#0[0]"]]} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %7 = "graph.exp"(%6) {graph.dims = [["floordiv(m*n, 5)", "read#0[0]"]]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %4, %7 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// The op that gave the name has gone: what follows from the operands is left.
// CHECK-LABEL: func.func @main
// CHECK: "tloop.launch"(%{{.*}}) {graph.dims = {{\[}}["2*n"]], kernel = @concat_
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %0 = "graph.concat"(%x, %x) {axis = 0, graph.dims = [["n*read#0[0]"]], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.exp"(%0) {graph.dims = [["n*read#0[0]"]]} : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A name that a dim of an op's result defines stands for what that dim follows from, in the op itself too.
// CHECK-LABEL: func.func @main
// CHECK: "tloop.expect"() {left = "m + n", relation = "broadcast", right = "broadcast(k, m + n)"
// CHECK: "tloop.launch"(%{{.*}}) {graph.dims = {{\[}}["m + n"]], kernel = @concat_
// CHECK-NOT: concat#0
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}, %z: tensor<?xf32> {graph.dims = ["m"]}, %w: tensor<?xf32> {graph.dims = ["k"]}) -> tensor<?xf32> {
  %0 = "graph.concat"(%x, %z) {axis = 0, graph.dims = [["concat#0.shape[0]"]], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.exp"(%0) {graph.dims = [["concat#0.shape[0]"]]} : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.shape_of"(%0) : (tensor<?xf32>) -> tensor<1xi64>
  %3 = "graph.shape_of"(%w) : (tensor<?xf32>) -> tensor<1xi64>
  %4 = "graph.sizes"(%2, %3) {names = ["concat#0.shape[0]", "k"], dims = ["broadcast(concat#0.shape[0], k)"], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %5 = "graph.expand"(%1, %4) {shape = array<i64: -1>, graph.dims = [["broadcast(concat#0.shape[0], k)"]]} : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %5 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}, %s: tensor<i64>, %d: tensor<i64>) -> tensor<?xf32> {
  %0 = "graph.cast"(%s) : (tensor<i64>) -> tensor<f32>
  %1 = "graph.cast"(%d) : (tensor<i64>) -> tensor<f32>
  // expected-error @below {{nothing determines k, dims of the result}}
  %2 = "graph.range"(%0, %1, %1) {graph.dims = [["k"]]} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
