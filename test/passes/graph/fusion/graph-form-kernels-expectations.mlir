// RUN: mlc-opt %s --graph-form-kernels | filecheck %s

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_32 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Assumptions of ops about dims are checked: what follows from inputs' dims before all else, the rest where it is known,
// each once. A batch that may be 1 is spread.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: "tloop.expect"() {fault = "it takes elements after the last one", left = "n", relation = "at_least", right = "5", what = "slice"}
// CHECK-NEXT: "tloop.expect"() {left = "n - 8", relation = "at_least", right = "0", what = "reshape"}
// CHECK-NEXT: "tloop.expect"() {left = "n", relation = "equal", right = "4*n - 32", what = "reshape"}
// CHECK-NEXT: "tloop.expect"() {left = "n", relation = "broadcast", right = "broadcast(b, n)", what = "matmul"}
// CHECK-NEXT: "tloop.expect"() {left = "b", relation = "broadcast", right = "broadcast(b, n)", what = "matmul"}
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}, %l: tensor<?x2x3xf32> {graph.dims = ["n", "", ""]},
                %r: tensor<?x3x2xf32> {graph.dims = ["b", "", ""]}, %s: tensor<1xi64>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<?x4xf32>, tensor<?x2x2xf32>, tensor<3xf32>) {
  // CHECK: "tloop.launch"(%arg1) {{.*}}kernel = @expand_
  // CHECK: "tloop.launch"({{.*}}) {{.*}}kernel = @{{.*}}matmul_
  %0 = "graph.slice"(%x) {starts = array<i64: 2>, sizes = array<i64: 3>, steps = array<i64: 1>} : (tensor<?xf32>) -> tensor<3xf32>
  %1 = "graph.slice"(%x) {starts = array<i64: 4>, sizes = array<i64: 3>, steps = array<i64: -1>} : (tensor<?xf32>) -> tensor<3xf32>
  %2 = "graph.shape_of"(%x) : (tensor<?xf32>) -> tensor<1xi64>
  %3 = "graph.sizes"(%2) {names = ["n"], dims = ["n - 8", "4"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<1xi64>) -> tensor<2xi64>
  %4 = "graph.reshape"(%x, %3) {shape = array<i64: -1, -1>} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %5 = "graph.matmul"(%l, %r) : (tensor<?x2x3xf32>, tensor<?x3x2xf32>) -> tensor<?x2x2xf32>
  // CHECK: "tloop.read_sizes"(%arg3) {names = ["k"]}
  // CHECK: "tloop.expect"() {fault = "it takes elements after the last one", left = "k", relation = "at_least", right = "3", what = "slice"}
  %6 = "graph.sizes"(%s) {names = ["k"], dims = ["k"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<1xi64>) -> tensor<1xi64>
  %7 = "graph.full"(%6) {value = 1.0} : (tensor<1xi64>) -> tensor<?xf32>
  %8 = "graph.exp"(%7) : (tensor<?xf32>) -> tensor<?xf32>
  %9 = "graph.slice"(%8) {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 1>} : (tensor<?xf32>) -> tensor<3xf32>
  %10 = "graph.neg"(%1) : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %10, %4, %5, %9 : tensor<3xf32>, tensor<3xf32>, tensor<?x4xf32>, tensor<?x2x2xf32>, tensor<3xf32>
}

// What leaves a body has the dims of what it becomes: results that say more than the body, carried values, rows of a stack.
// CHECK-LABEL: func.func @prepare
func.func @prepare(%c: tensor<i1>, %t: tensor<i64>, %x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<?xf32> {graph.dims = ["m"]})
    -> (tensor<4xf32>, tensor<?xf32>, tensor<5x?xf32>) {
  // CHECK: "graph.if"
  // CHECK: "tloop.expect"() {left = "n", relation = "equal", right = "4", what = "yield"}
  // CHECK-NEXT: "graph.yield"
  // CHECK: "tloop.expect"() {left = "m", relation = "equal", right = "4", what = "yield"}
  // CHECK-NEXT: "graph.yield"
  %0 = "graph.if"(%c) ({
    %1 = "graph.neg"(%x) : (tensor<?xf32>) -> tensor<?xf32>
    "graph.yield"(%1) {operandSegmentSizes = #first_1_of_32} : (tensor<?xf32>) -> ()
  }, {
    %1 = "graph.exp"(%y) : (tensor<?xf32>) -> tensor<?xf32>
    "graph.yield"(%1) {operandSegmentSizes = #first_1_of_32} : (tensor<?xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<4xf32>
  // CHECK: "graph.loop"
  // CHECK: "tloop.expect"() {left = "m", relation = "equal", right = "k", what = "yield"}
  // CHECK-NEXT: "graph.yield"
  %2:2 = "graph.loop"(%t, %c, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<?xf32>):
    %3 = "graph.exp"(%a) : (tensor<?xf32>) -> tensor<?xf32>
    %4 = "graph.sin"(%y) : (tensor<?xf32>) -> tensor<?xf32>
    "graph.yield"(%go, %3, %4) {operandSegmentSizes = #first_3_of_32} : (tensor<i1>, tensor<?xf32>, tensor<?xf32>) -> ()
  }) {graph.dims = [["n"], ["", "k"]], operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_2_of_32} : (tensor<i64>, tensor<i1>, tensor<?xf32>) -> (tensor<?xf32>, tensor<5x?xf32>)
  return %0, %2#0, %2#1 : tensor<4xf32>, tensor<?xf32>, tensor<5x?xf32>
}
