// RUN: mlc-opt %s --split-input-file --graph-check-data | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-check-data=check=false | filecheck %s --check-prefix=OFF

#first_1_of_160 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Without checks all are dropped.
// OFF-NOT: tloop.expect
// OFF-NOT: graph.expect

// An index may be anything; equal checks of a block are one.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<5x3xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>, %p: tensor<4x2xi64>, %c: tensor<i1>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<5x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  // CHECK: "graph.constant"
  %e0 = "graph.constant"() {value = dense<5> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK-NEXT: "graph.constant"
  %e1 = "graph.constant"() {value = dense<[5, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK-NEXT: "tloop.expect_indices"(%arg1) {axis = 0 : i64, extents = ["5"], what = "gather"} : (tensor<4xi64>) -> ()
  // CHECK-NEXT: "graph.gather"(%arg0, %arg1) {axis = 0 : i64} :
  "graph.expect_indices"(%i, %e0) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  // CHECK-NEXT: "graph.neg"
  %n = "graph.neg"(%x) : (tensor<5x3xf32>) -> tensor<5x3xf32>
  // CHECK-NEXT: "graph.gather"
  "graph.expect_indices"(%i, %e0) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
  %1 = "graph.gather"(%n, %i) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  // Each column of tuples has its own dim.
  // CHECK-NEXT: "tloop.expect_indices"(%arg3) {axis = 0 : i64, extents = ["5", "3"], what = "scatter_nd"}
  // CHECK-NEXT: "graph.scatter_nd"(%arg0, %arg3, %arg2) {reduction = "add"} :
  "graph.expect_indices"(%p, %e1) {axis = 0 : i64, front_only = false, what = "scatter_nd"} : (tensor<4x2xi64>, tensor<2xi64>) -> ()
  %2 = "graph.scatter_nd"(%x, %p, %u) {reduction = "add"} : (tensor<5x3xf32>, tensor<4x2xi64>, tensor<4xf32>) -> tensor<5x3xf32>
  // Negative indices are out of range.
  // CHECK-NEXT: "tloop.expect_indices"(%arg1) {axis = 0 : i64, extents = ["5"], front_only, what = "gather"}
  // CHECK-NEXT: "graph.gather"
  "graph.expect_indices"(%i, %e0) {axis = 0 : i64, front_only = true, what = "gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
  %3 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  // A branch checks when it runs. Without one that asks there is no check.
  // CHECK-NEXT: "graph.if"
  %4 = "graph.if"(%c) ({
    // CHECK-NEXT: "tloop.expect_indices"(%arg1) {axis = 0 : i64, extents = ["5"], what = "gather"}
    "graph.expect_indices"(%i, %e0) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
    %5 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
    "graph.yield"(%5) {operandSegmentSizes = #first_1_of_160} : (tensor<4x3xf32>) -> ()
  }, {
    // CHECK-NOT: tloop.expect
    %5 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
    "graph.yield"(%5) {operandSegmentSizes = #first_1_of_160} : (tensor<4x3xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_160} : (tensor<i1>) -> tensor<4x3xf32>
  return %0, %1, %2, %3, %4 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<5x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// Sizes are texts; a constant needs a size, not a check of its elements.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x3xf32> {graph.dims = ["n", ""]}, %i: tensor<4xi64>) -> (tensor<4x3xf32>, tensor<2x3xf32>) {
  // CHECK: "graph.sizes"
  %shape = "graph.shape_of"(%x) : (tensor<?x3xf32>) -> tensor<2xi64>
  %e0 = "graph.sizes"(%shape) {dims = ["n"], names = ["n", ""], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<1xi64>
  // CHECK-NEXT: "tloop.expect_indices"(%arg1) {axis = 0 : i64, extents = ["n"], what = "gather"}
  "graph.expect_indices"(%i, %e0) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<?x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  %c = "graph.constant"() {value = dense<[-3, 6]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK: "tloop.expect"() {fault = "index 6 is out of bounds for axis 0", left = "n", relation = "at_least", right = "7", what = "gather"}
  "graph.expect_indices"(%c, %e0) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<2xi64>, tensor<1xi64>) -> ()
  %1 = "graph.gather"(%x, %c) {axis = 0 : i64} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<2x3xf32>
}

// -----

#first_1_of_160 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_160 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_162 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// No check of what is always in range: constants, positions, remainders, bounded values and sums of such, rows of a
// loop that runs once for each.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tloop.expect_indices
func.func @main(%x: tensor<?x3xf32> {graph.dims = ["n", ""]}, %y: tensor<5x3xf32>, %i: tensor<4xi64>) -> (tensor<3x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>) {
  %shape = "graph.shape_of"(%x) : (tensor<?x3xf32>) -> tensor<2xi64>
  %e0 = "graph.sizes"(%shape) {dims = ["n"], names = ["n", ""], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<1xi64>
  %e1 = "graph.constant"() {value = dense<5> : tensor<1xi64>} : () -> tensor<1xi64>
  %a = "graph.arg_max"(%x) {axis = 0 : i64, keepdims = false, select_last_index = false} : (tensor<?x3xf32>) -> tensor<3xi64>
  "graph.expect_indices"(%a, %e0) {axis = 0 : i64, front_only = true, what = "gather"} : (tensor<3xi64>, tensor<1xi64>) -> ()
  %0 = "graph.gather"(%x, %a) {axis = 0 : i64} : (tensor<?x3xf32>, tensor<3xi64>) -> tensor<3x3xf32>
  %five = "graph.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %m = "graph.mod"(%i, %five) {fmod = false} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  "graph.expect_indices"(%m, %e1) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
  %1 = "graph.gather"(%y, %m) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  %b = "graph.clamp"(%i) {min = -2 : i64, max = 1 : i64} : (tensor<4xi64>) -> tensor<4xi64>
  %three = "graph.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %s = "graph.add"(%b, %three) : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  "graph.expect_indices"(%s, %e1) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
  %2 = "graph.gather"(%y, %s) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  %c = "graph.constant"() {value = dense<[-5, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  "graph.expect_indices"(%c, %e1) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<2xi64>, tensor<1xi64>) -> ()
  %3 = "graph.gather"(%y, %c) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %d = "graph.shape_of"(%x) : (tensor<?x3xf32>) -> tensor<2xi64>
  %first = "graph.slice"(%d) {starts = array<i64: 0>, sizes = array<i64: 1>, steps = array<i64: 1>} : (tensor<2xi64>) -> tensor<1xi64>
  %trips = "graph.reshape"(%first) {shape = array<i64>} : (tensor<1xi64>) -> tensor<i64>
  %true = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %4 = "graph.loop"(%trips, %true) ({
  ^bb0(%it: tensor<i64>, %going: tensor<i1>):
    "graph.expect_indices"(%it, %e0) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<i64>, tensor<1xi64>) -> ()
    %row = "graph.gather"(%x, %it) {axis = 0 : i64} : (tensor<?x3xf32>, tensor<i64>) -> tensor<3xf32>
    "graph.yield"(%going, %row) {operandSegmentSizes = #first_2_of_160} : (tensor<i1>, tensor<3xf32>) -> ()
  }) {graph.dims = [["n", ""]], operandSegmentSizes = #first_2_of_162, resultSegmentSizes = #first_1_of_160} : (tensor<i64>, tensor<i1>) -> tensor<?x3xf32>
  return %0, %1, %2, %3, %4 : tensor<3x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>
}

// -----

// What may be out of range by one.
// CHECK-LABEL: func.func @main
func.func @main(%y: tensor<5x3xf32>, %i: tensor<4xi64>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  // CHECK: "graph.constant"
  %e0 = "graph.constant"() {value = dense<5> : tensor<1xi64>} : () -> tensor<1xi64>
  %six = "graph.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  // CHECK: %[[M:.*]] = "graph.mod"
  %m = "graph.mod"(%i, %six) {fmod = false} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  // CHECK: "tloop.expect_indices"(%[[M]])
  "graph.expect_indices"(%m, %e0) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
  %1 = "graph.gather"(%y, %m) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  // CHECK: %[[B:.*]] = "graph.clamp"
  %b = "graph.clamp"(%i) {min = -6 : i64, max = 4 : i64} : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: "tloop.expect_indices"(%[[B]])
  "graph.expect_indices"(%b, %e0) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
  %2 = "graph.gather"(%y, %b) {axis = 0 : i64} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

#first_1_of_160 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Divisors of Div and Mod; equal checks of a block are one, those of a branch run with it, constants included.
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<4xi64>, %b: tensor<4xi64>, %u: tensor<ui8>, %v: tensor<ui8>, %c: tensor<i1>) -> (tensor<4xi64>, tensor<4xi64>, tensor<ui8>, tensor<4xi64>, tensor<4xi64>) {
  // CHECK-NEXT: "tloop.expect_nonzero"(%arg1) {what = "div"} : (tensor<4xi64>) -> ()
  // CHECK-NEXT: "graph.div"(%arg0, %arg1) : (
  "graph.expect_nonzero"(%b) {what = "div"} : (tensor<4xi64>) -> ()
  %0 = "graph.div"(%a, %b) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  // CHECK-NEXT: "graph.mod"(%arg0, %arg1) {fmod = false} : (
  "graph.expect_nonzero"(%b) {what = "mod"} : (tensor<4xi64>) -> ()
  %1 = "graph.mod"(%a, %b) {fmod = false} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  // CHECK-NEXT: "tloop.expect_nonzero"(%arg3) {what = "mod"} : (tensor<ui8>) -> ()
  // CHECK-NEXT: "graph.mod"
  "graph.expect_nonzero"(%v) {what = "mod"} : (tensor<ui8>) -> ()
  %2 = "graph.mod"(%u, %v) {fmod = true} : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  // CHECK-NEXT: "graph.if"
  %3 = "graph.if"(%c) ({
    // CHECK-NEXT: "tloop.expect_nonzero"(%arg1) {what = "div"}
    "graph.expect_nonzero"(%b) {what = "div"} : (tensor<4xi64>) -> ()
    %4 = "graph.div"(%a, %b) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    "graph.yield"(%4) {operandSegmentSizes = #first_1_of_160} : (tensor<4xi64>) -> ()
  }, {
    // CHECK: %[[ZERO:.*]] = "graph.constant"
    // CHECK-NEXT: "tloop.expect_nonzero"(%[[ZERO]]) {what = "div"}
    %zero = "graph.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    "graph.expect_nonzero"(%zero) {what = "div"} : (tensor<i64>) -> ()
    %4 = "graph.div"(%a, %zero) : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    "graph.yield"(%4) {operandSegmentSizes = #first_1_of_160} : (tensor<4xi64>) -> ()
  }) {resultSegmentSizes = #first_1_of_160} : (tensor<i1>) -> tensor<4xi64>
  // Without one that asks there is no check.
  // CHECK-NOT: tloop.expect
  %5 = "graph.div"(%b, %a) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %0, %1, %2, %3, %5 : tensor<4xi64>, tensor<4xi64>, tensor<ui8>, tensor<4xi64>, tensor<4xi64>
}

// -----

// No check where the range excludes 0: constants, positive or negative bounds, positions and 1.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tloop.expect
func.func @main(%a: tensor<4xi64>, %b: tensor<4xi64>, %x: tensor<4x3xf32>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  %c = "graph.constant"() {value = dense<[2, -1, 3, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
  "graph.expect_nonzero"(%c) {what = "div"} : (tensor<4xi64>) -> ()
  %0 = "graph.div"(%a, %c) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %n = "graph.clamp"(%b) {min = -9 : i64, max = -1 : i64} : (tensor<4xi64>) -> tensor<4xi64>
  "graph.expect_nonzero"(%n) {what = "div"} : (tensor<4xi64>) -> ()
  %1 = "graph.div"(%a, %n) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %one = "graph.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %m = "graph.max"(%b, %one) : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  "graph.expect_nonzero"(%m) {what = "mod"} : (tensor<4xi64>) -> ()
  %2 = "graph.mod"(%a, %m) {fmod = false} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %at = "graph.arg_max"(%x) {axis = 1 : i64, keepdims = false, select_last_index = false} : (tensor<4x3xf32>) -> tensor<4xi64>
  %s = "graph.add"(%at, %one) : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  "graph.expect_nonzero"(%s) {what = "div"} : (tensor<4xi64>) -> ()
  %3 = "graph.div"(%a, %s) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %0, %1, %2, %3 : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}

// -----

// Ranges that begin or end at 0.
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<4xi64>, %b: tensor<4xi64>, %x: tensor<4x3xf32>) -> (tensor<4xi64>, tensor<4xi64>) {
  // CHECK: %[[AT:.*]] = "graph.arg_max"
  // CHECK-NEXT: "tloop.expect_nonzero"(%[[AT]]) {what = "div"}
  %at = "graph.arg_max"(%x) {axis = 1 : i64, keepdims = false, select_last_index = false} : (tensor<4x3xf32>) -> tensor<4xi64>
  "graph.expect_nonzero"(%at) {what = "div"} : (tensor<4xi64>) -> ()
  %0 = "graph.div"(%a, %at) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  // CHECK: %[[MAX:.*]] = "graph.clamp"
  // CHECK-NEXT: "tloop.expect_nonzero"(%[[MAX]]) {what = "mod"}
  %n = "graph.clamp"(%b) {min = -9 : i64, max = 0 : i64} : (tensor<4xi64>) -> tensor<4xi64>
  "graph.expect_nonzero"(%n) {what = "mod"} : (tensor<4xi64>) -> ()
  %1 = "graph.mod"(%a, %n) {fmod = true} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %0, %1 : tensor<4xi64>, tensor<4xi64>
}

// -----

// Sizes of inputs are compared first, with the other ones where they are computed; equal ones are not compared.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x3xf32> {graph.dims = ["n", ""]}, %s: tensor<1xi64>) -> tensor<?x3xf32> {
  // CHECK-NEXT: "tloop.expect"() {fault = "wrong", left = "n", relation = "equal", right = "3", what = "Conv"}
  // CHECK: "graph.neg"
  // CHECK: "tloop.expect"() {fault = "few", left = "m", relation = "at_least", right = "2", what = "Conv"}
  // CHECK-NEXT: return
  %0 = "graph.neg"(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %shape = "graph.shape_of"(%x) : (tensor<?x3xf32>) -> tensor<2xi64>
  %1 = "graph.sizes"(%shape) {dims = ["n", "n"], names = ["n", ""], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<2xi64>
  %2 = "graph.sizes"(%shape) {dims = ["3", "n"], names = ["n", ""], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<2xi64>
  "graph.expect_sizes"(%1, %2) {fault = "wrong", relation = "equal", what = "Conv"} : (tensor<2xi64>, tensor<2xi64>) -> ()
  %3 = "graph.sizes"(%s) {dims = ["m"], names = ["m"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<1xi64>) -> tensor<1xi64>
  %two = "graph.constant"() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  "graph.expect_sizes"(%3, %two) {fault = "few", relation = "at_least", what = "Conv"} : (tensor<1xi64>, tensor<1xi64>) -> ()
  return %0 : tensor<?x3xf32>
}
