// RUN: mlc-opt %s --split-input-file --graph-simplify-control-flow | filecheck %s

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A constant condition: the branch that it takes. The shape that it yields becomes known to its users and
// to the function, which nobody calls.
// CHECK-LABEL: func.func @known
// CHECK-SAME: -> tensor<3x4xf32>
// CHECK: %[[E:.*]] = "graph.exp"(%arg1) : (tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: %[[N:.*]] = "graph.neg"(%[[E]]) : (tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return %[[N]]
// CHECK-NOT: graph.if
func.func @known(%a: tensor<2x4xf32>, %b: tensor<3x4xf32>) -> tensor<?x4xf32> {
  %c = "graph.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.if"(%c) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<2x4xf32>) -> ()
  }, {
    %2 = "graph.exp"(%b) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "graph.yield"(%2) {operandSegmentSizes = #first_1_of_32} : (tensor<3x4xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<?x4xf32>
  %1 = "graph.neg"(%0) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A function that is called keeps its signature.
// CHECK-LABEL: func.func private @called
// CHECK-SAME: -> tensor<?x4xf32>
// CHECK: %[[E:.*]] = "graph.exp"
// CHECK-NEXT: %[[C:.*]] = tensor.cast %[[E]] : tensor<3x4xf32> to tensor<?x4xf32>
// CHECK-NEXT: return %[[C]]
func.func private @called(%a: tensor<2x4xf32>, %b: tensor<3x4xf32>) -> tensor<?x4xf32> {
  %c = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.if"(%c) ({
    %2 = "graph.exp"(%b) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "graph.yield"(%2) {operandSegmentSizes = #first_1_of_32} : (tensor<3x4xf32>) -> ()
  }, {
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<2x4xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @caller(%a: tensor<2x4xf32>, %b: tensor<3x4xf32>) -> tensor<?x4xf32> {
  %0 = call @called(%a, %b) : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Nested: the inner condition is known, which makes the branches equal.
// CHECK-LABEL: func.func @equal
// CHECK: %[[E:.*]] = "graph.exp"(%arg1)
// CHECK-NEXT: return %[[E]]
func.func @equal(%c: tensor<i1>, %a: tensor<?xf32>) -> tensor<?xf32> {
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.if"(%c) ({
    %1 = "graph.exp"(%a) : (tensor<?xf32>) -> tensor<?xf32>
    "graph.yield"(%1) {operandSegmentSizes = #first_1_of_32} : (tensor<?xf32>) -> ()
  }, {
    %2 = "graph.if"(%t) ({
      %3 = "graph.exp"(%a) : (tensor<?xf32>) -> tensor<?xf32>
      "graph.yield"(%3) {operandSegmentSizes = #first_1_of_32} : (tensor<?xf32>) -> ()
    }, {
      "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<?xf32>) -> ()
    }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<?xf32>
    "graph.yield"(%2) {operandSegmentSizes = #first_1_of_32} : (tensor<?xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Branches that differ in an attribute, an operand or what they yield stay.
// CHECK-LABEL: func.func @different
// CHECK-COUNT-3: graph.if
func.func @different(%c: tensor<i1>, %a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = "graph.if"(%c) ({
    %1 = "graph.softmax"(%a) {axis = 0} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    "graph.yield"(%1) {operandSegmentSizes = #first_1_of_32} : (tensor<2x2xf32>) -> ()
  }, {
    %1 = "graph.softmax"(%a) {axis = 1} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    "graph.yield"(%1) {operandSegmentSizes = #first_1_of_32} : (tensor<2x2xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<2x2xf32>
  %2 = "graph.if"(%c) ({
    %1 = "graph.sub"(%a, %b) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    "graph.yield"(%1) {operandSegmentSizes = #first_1_of_32} : (tensor<2x2xf32>) -> ()
  }, {
    %1 = "graph.sub"(%b, %a) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    "graph.yield"(%1) {operandSegmentSizes = #first_1_of_32} : (tensor<2x2xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<2x2xf32>
  %3 = "graph.if"(%c) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<2x2xf32>) -> ()
  }, {
    "graph.yield"(%b) {operandSegmentSizes = #first_1_of_32} : (tensor<2x2xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<2x2xf32>
  return %0, %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

#first_5_of_32 = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Of five results one is left: the first and the last come from outside in both branches, the third equals
// the second, the fourth is unused.
// CHECK-LABEL: func.func @results
// CHECK: %[[R:.*]] = "graph.if"(%arg0) ({
// CHECK-NEXT: %[[E:.*]] = "graph.exp"(%arg1)
// CHECK-NEXT: %{{.*}} = "graph.log"
// CHECK-NEXT: "graph.yield"(%[[E]])
// CHECK: }, {
// CHECK-NEXT: "graph.yield"(%arg1)
// CHECK: -> tensor<2x2xf32>
// CHECK: return %arg1, %[[R]], %[[R]], %arg2
func.func @results(%c: tensor<i1>, %a: tensor<2x2xf32>, %b: tensor<2x?xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x?xf32>) {
  %0:5 = "graph.if"(%c) ({
    %1 = "graph.exp"(%a) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = "graph.log"(%a) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    "graph.yield"(%a, %1, %1, %2, %b) {operandSegmentSizes = #first_5_of_32} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x?xf32>) -> ()
  }, {
    "graph.yield"(%a, %a, %a, %a, %b) {operandSegmentSizes = #first_5_of_32} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x?xf32>) -> ()
  }) {resultSegmentSizes = #first_5_of_32} : (tensor<i1>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x?xf32>)
  return %0#0, %0#1, %0#2, %0#4 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x?xf32>
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Nobody uses it.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: return
func.func @unused(%c: tensor<i1>, %a: tensor<2xf32>) {
  %0 = "graph.if"(%c) ({
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<2xf32>) -> ()
  }, {
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<2xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<2xf32>
  return
}
