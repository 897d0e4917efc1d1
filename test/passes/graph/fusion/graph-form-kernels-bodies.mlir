// RUN: mlc-opt %s --graph-form-kernels | filecheck %s

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_32 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_4_of_32 = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_5_of_34 = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Constants that enter or leave a body get a launch, and so a buffer; so does a carried value that becomes another one, as
// either may have been written over by the end of a run. What stays as it was needs none, nor does what is computed.
// Counting down below 0 would count from the end: such a gather is a kernel.
// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]] = "tloop.launch"() {kernel = @identity_
// CHECK: "graph.loop"(%arg0, %{{.*}}, %[[FIRST]], %arg2, %arg2)
// CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %[[GO:.*]]: tensor<i1>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>):
// CHECK: %[[BELOW:.*]] = "tloop.launch"({{.*}}) {kernel = @sub_
// CHECK: %[[GATHERED:.*]] = "tloop.launch"(%arg3, %[[BELOW]]) {kernel = @gather_
// CHECK: %[[OLD:.*]] = "tloop.launch"(%[[B]]) {kernel = @identity_
// CHECK: "graph.yield"(%[[GO]], %[[OLD]], %[[GATHERED]], %[[C]])
// CHECK: "graph.if"(%arg1)
// CHECK: %[[ONES:.*]] = "tloop.launch"() {kernel = @identity_
// CHECK: "graph.yield"(%[[ONES]])
// CHECK: "graph.yield"(%arg2)
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %m: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %last = "graph.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %zeros = "graph.constant"() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %ones = "graph.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0:3 = "graph.loop"(%n, %t, %zeros, %x, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>):
    %1 = "graph.sub"(%last, %i) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = "graph.gather"(%m, %1) {axis = 0} : (tensor<3x4xf32>, tensor<i64>) -> tensor<4xf32>
    "graph.yield"(%go, %b, %2, %d) {operandSegmentSizes = #first_4_of_32} : (tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_5_of_34, resultSegmentSizes = #first_3_of_32}
      : (tensor<i64>, tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %3 = "graph.if"(%c) ({
    "graph.yield"(%ones) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }, {
    "graph.yield"(%x) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<4xf32>
  %4 = "graph.add"(%0#1, %0#2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4, %3 : tensor<4xf32>, tensor<4xf32>
}
