// RUN: mlc-opt %s --graph-form-kernels --canonicalize --cse | filecheck %s

#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_32 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Kernels are formed in each block by itself: exp, in the body, does not join neg, which runs once. A gather by the iteration
// is a row, also one that counts down; the sum that counts is gone.
// CHECK-LABEL: func.func @main
// CHECK: %[[TRIPS:.*]] = "graph.constant"() {value = dense<3> : tensor<i64>}
// CHECK: %[[NEG:.*]] = "tloop.launch"(%arg0) {kernel = @neg_
// CHECK: %[[LOOP:.*]]:2 = "graph.loop"(%[[TRIPS]], %{{.*}}, %arg1)
// CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %[[GO:.*]]: tensor<i1>, %[[A:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[ROW:.*]] = "tloop.row"(%[[NEG]], %[[I]]) {first = 0 : i64, step = 1 : i64} : (tensor<3x4xf32>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: %[[BACK:.*]] = "tloop.row"(%arg0, %[[I]]) {first = 2 : i64, step = -1 : i64} : (tensor<3x4xf32>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: %[[SUM:.*]] = "tloop.launch"(%[[ROW]], %[[BACK]], %[[A]]) {kernel = @exp_add_add_
// CHECK-NEXT: "graph.yield"(%[[GO]], %[[SUM]], %[[SUM]])
// CHECK: return %[[LOOP]]#0, %[[LOOP]]#1
func.func @main(%x: tensor<3x4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  %n = "graph.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %last = "graph.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.neg"(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %1:2 = "graph.loop"(%n, %t, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<4xf32>):
    %2 = "graph.gather"(%0, %i) {axis = 0} : (tensor<3x4xf32>, tensor<i64>) -> tensor<4xf32>
    %3 = "graph.exp"(%2) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = "graph.sub"(%last, %i) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %5 = "graph.gather"(%x, %4) {axis = 0} : (tensor<3x4xf32>, tensor<i64>) -> tensor<4xf32>
    %6 = "graph.add"(%3, %5) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %7 = "graph.add"(%6, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "graph.yield"(%go, %7, %7) {operandSegmentSizes = #first_3_of_32} : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_2_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>)
  return %1#0, %1#1 : tensor<4xf32>, tensor<3x4xf32>
}
