// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --graph-infer-shapes | filecheck %s --check-prefix=INFER

#first_0_of_32 = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_32 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_34 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Branches take no arguments, see the values around them, and may yield different shapes.
// CHECK-LABEL: func.func @choice
// CHECK: %[[R:.*]]:2 = "graph.if"(%arg0) ({
// CHECK-NEXT: %[[E:.*]] = "graph.exp"(%arg1)
// CHECK-NEXT: "graph.yield"(%[[E]], %arg1)
// CHECK: }, {
// CHECK-NEXT: "graph.yield"(%arg1, %arg2)
// CHECK: }) {resultSegmentSizes = {{.*}}} : (tensor<i1>) -> (tensor<2x4xf32>, tensor<?x4xf32>)
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1
// INFER-LABEL: func.func @choice
func.func @choice(%c: tensor<i1>, %a: tensor<2x4xf32>, %b: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<?x4xf32>) {
  %0:2 = "graph.if"(%c) ({
    %1 = "graph.exp"(%a) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    "graph.yield"(%1, %a) {operandSegmentSizes = #first_2_of_32} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
  }, {
    "graph.yield"(%a, %b) {operandSegmentSizes = #first_2_of_32} : (tensor<2x4xf32>, tensor<3x4xf32>) -> ()
  }) {resultSegmentSizes = #first_2_of_32} : (tensor<i1>) -> (tensor<2x4xf32>, tensor<?x4xf32>)
  return %0#0, %0#1 : tensor<2x4xf32>, tensor<?x4xf32>
}

// One carried value and one scanned value, which is stacked.
// CHECK-LABEL: func.func @loop
// CHECK: %[[R:.*]]:2 = "graph.loop"(%arg0, %arg1, %arg2) ({
// CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %[[C:.*]]: tensor<i1>, %[[S:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[N:.*]] = "graph.add"(%[[S]], %arg2)
// CHECK-NEXT: "graph.yield"(%[[C]], %[[N]], %[[N]])
// CHECK: -> (tensor<4xf32>, tensor<?x4xf32>)
// CHECK: return %[[R]]#0, %[[R]]#1
// INFER-LABEL: func.func @loop
func.func @loop(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  %0:2 = "graph.loop"(%n, %c, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %sum: tensor<4xf32>):
    %1 = "graph.add"(%sum, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "graph.yield"(%go, %1, %1) {operandSegmentSizes = #first_3_of_32} : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_2_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<?x4xf32>
}

// A loop that carries nothing, an if without results: both are pure, and go when nobody uses them.
// CHECK-LABEL: func.func @nothing
// CHECK: "graph.loop"
// CHECK: "graph.if"
func.func @nothing(%n: tensor<i64>, %c: tensor<i1>) {
  "graph.loop"(%n, %c) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>):
    "graph.if"(%go) ({
      "graph.yield"() {operandSegmentSizes = #first_0_of_32} : () -> ()
    }, {
      "graph.yield"() {operandSegmentSizes = #first_0_of_32} : () -> ()
    }) {resultSegmentSizes = #first_0_of_32} : (tensor<i1>) -> ()
    "graph.yield"(%go) {operandSegmentSizes = #first_1_of_32} : (tensor<i1>) -> ()
  }) {operandSegmentSizes = #first_2_of_34, resultSegmentSizes = #first_0_of_32} : (tensor<i64>, tensor<i1>) -> ()
  return
}

// Shapes come from the branches: what both yield is known; ranks that differ are not.
// INFER-LABEL: func.func @shapes
// INFER: graph.if
// INFER: -> (tensor<2x?xf32>, tensor<*xf32>)
// INFER: -> (tensor<4x?xf32>, tensor<?x4x4xf32>)
func.func @shapes(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<2x4xf32>, %b: tensor<2x5xf32>, %d: tensor<8xf32>,
    %s: tensor<4x4xf32>) {
  %0:2 = "graph.if"(%c) ({
    "graph.yield"(%a, %a) {operandSegmentSizes = #first_2_of_32} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
  }, {
    "graph.yield"(%b, %d) {operandSegmentSizes = #first_2_of_32} : (tensor<2x5xf32>, tensor<8xf32>) -> ()
  }) {resultSegmentSizes = #first_2_of_32} : (tensor<i1>) -> (tensor<?x?xf32>, tensor<*xf32>)
  %1:2 = "graph.loop"(%n, %c, %s) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %grown: tensor<4x?xf32>):
    %2 = "graph.concat"(%grown, %s) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<4x?xf32>, tensor<4x4xf32>) -> tensor<4x?xf32>
    "graph.yield"(%go, %2, %s) {operandSegmentSizes = #first_3_of_32} : (tensor<i1>, tensor<4x?xf32>, tensor<4x4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_2_of_32} : (tensor<i64>, tensor<i1>, tensor<4x4xf32>) -> (tensor<?x?xf32>, tensor<?x?x4xf32>)
  return
}
