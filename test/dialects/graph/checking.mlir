// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --cse --canonicalize | filecheck %s --check-prefix=SIMPLE

// CHECK-LABEL: func.func @f
// SIMPLE-LABEL: func.func @f
func.func @f(%x: tensor<?xi64> {graph.dims = ["n"]}, %t: tensor<i1>) -> (tensor<?xi64>, tensor<?xi64>) {
  // CHECK-NEXT: "graph.check"(%arg0, %arg1) {message = "Slice 'y': a step is 0"} : (tensor<?xi64>, tensor<i1>) -> tensor<?xi64>
  // One that two need is made once.
  // SIMPLE-COUNT-1: "graph.check"
  // SIMPLE-NEXT: return %0, %0
  %0 = "graph.check"(%x, %t) {message = "Slice 'y': a step is 0"} : (tensor<?xi64>, tensor<i1>) -> tensor<?xi64>
  %1 = "graph.check"(%x, %t) {message = "Slice 'y': a step is 0"} : (tensor<?xi64>, tensor<i1>) -> tensor<?xi64>
  return %0, %1 : tensor<?xi64>, tensor<?xi64>
}

#zeros = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Checks stay without readers, and so does control flow with checks in its bodies; other dead ops go.
// CHECK-LABEL: func.func @unread
// SIMPLE-LABEL: func.func @unread
func.func @unread(%x: tensor<?xi64> {graph.dims = ["n"]}, %i: tensor<4x2xi32>, %t: tensor<i1>) {
  // CHECK: "graph.expect_indices"(%arg1, %{{.*}}) {axis = 1 : i64, front_only = true, what = "GatherND"} : (tensor<4x2xi32>, tensor<2xi64>) -> ()
  // CHECK: "graph.expect_nonzero"(%arg0) {what = "Div"} : (tensor<?xi64>) -> ()
  // SIMPLE-NEXT: "graph.check"
  // SIMPLE-NEXT: "graph.constant"
  // SIMPLE-NEXT: "graph.expect_indices"
  // SIMPLE-NEXT: "graph.expect_nonzero"
  // SIMPLE-NEXT: "graph.if"
  // SIMPLE-NEXT: "graph.expect_nonzero"
  // SIMPLE-NEXT: "graph.yield"
  // SIMPLE-NEXT: }, {
  // SIMPLE-NEXT: "graph.yield"
  // SIMPLE-NEXT: })
  // SIMPLE-NEXT: return
  %0 = "graph.check"(%x, %t) {message = "Slice 'y': a step is 0"} : (tensor<?xi64>, tensor<i1>) -> tensor<?xi64>
  %1 = "graph.neg"(%0) : (tensor<?xi64>) -> tensor<?xi64>
  %e = "graph.constant"() {value = dense<[5, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  "graph.expect_indices"(%i, %e) {axis = 1 : i64, front_only = true, what = "GatherND"} : (tensor<4x2xi32>, tensor<2xi64>) -> ()
  "graph.expect_nonzero"(%x) {what = "Div"} : (tensor<?xi64>) -> ()
  "graph.if"(%t) ({
    "graph.expect_nonzero"(%i) {what = "Mod"} : (tensor<4x2xi32>) -> ()
    "graph.yield"() {operandSegmentSizes = #zeros} : () -> ()
  }, {
    "graph.yield"() {operandSegmentSizes = #zeros} : () -> ()
  }) {resultSegmentSizes = #zeros} : (tensor<i1>) -> ()
  "graph.if"(%t) ({
    %2 = "graph.neg"(%x) : (tensor<?xi64>) -> tensor<?xi64>
    "graph.yield"() {operandSegmentSizes = #zeros} : () -> ()
  }, {
    "graph.yield"() {operandSegmentSizes = #zeros} : () -> ()
  }) {resultSegmentSizes = #zeros} : (tensor<i1>) -> ()
  return
}
