// RUN: mlc-opt %s --split-input-file --graph-hoist-invariants | filecheck %s

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Out of a loop goes what follows from outside, chains and branches included; what may fail stays, because
// the loop may never run.
// CHECK-LABEL: func.func @loop
// CHECK-NEXT: %[[W:.*]] = "graph.constant"
// CHECK-NEXT: %[[E:.*]] = "graph.exp"(%arg2)
// CHECK-NEXT: %[[M:.*]] = "graph.mul"(%[[E]], %[[W]])
// CHECK-NEXT: %[[F:.*]] = "graph.if"(%arg1)
// CHECK: "graph.loop"(%arg0, %arg1, %arg3) ({
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %[[X:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[G:.*]] = "graph.gather"(%arg2, %arg4)
// CHECK-NEXT: %[[D:.*]] = "graph.div"(%arg4, %arg5)
// CHECK-NEXT: "graph.cast"(%[[D]])
// CHECK-NEXT: "graph.add"(%[[X]], %[[M]])
func.func @loop(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>, %j: tensor<4xi64>, %k: tensor<4xi64>) -> tensor<4xf32> {
  %0 = "graph.loop"(%n, %c, %b) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>):
    %w = "graph.constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %1 = "graph.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "graph.mul"(%1, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = "graph.if"(%c) ({
      "graph.yield"(%2) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
    }, {
      "graph.yield"(%1) {operandSegmentSizes = #first_1_of_32} : (tensor<4xf32>) -> ()
    }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<4xf32>
    %4 = "graph.gather"(%a, %j) {axis = 0} : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    %5 = "graph.div"(%j, %k) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %6 = "graph.cast"(%5) : (tensor<4xi64>) -> tensor<4xf32>
    %7 = "graph.add"(%x, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %8 = "graph.add"(%7, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %9 = "graph.add"(%8, %4) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %10 = "graph.add"(%9, %6) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "graph.yield"(%go, %10) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Constants say that the loop runs: what may fail goes too, but not what has side effects.
// CHECK-LABEL: func.func @sure
// CHECK: %[[G:.*]] = "graph.gather"
// CHECK-NEXT: %[[D:.*]] = "graph.add"(%[[G]], %arg2)
// CHECK-NEXT: "graph.loop"
// CHECK-NEXT: ^bb0
// CHECK-NEXT: func.call @effect
// CHECK-NEXT: "graph.add"
func.func private @effect()
func.func @sure(%a: tensor<4xf32>, %j: tensor<?xi64>, %k: tensor<?xf32>) -> tensor<?xf32> {
  %n = "graph.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %c = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.loop"(%n, %c, %k) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<?xf32>):
    func.call @effect() : () -> ()
    %1 = "graph.gather"(%a, %j) {axis = 0} : (tensor<4xf32>, tensor<?xi64>) -> tensor<?xf32>
    %2 = "graph.add"(%1, %k) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %3 = "graph.add"(%x, %2) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    "graph.yield"(%go, %3) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<?xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Sizes that are known at run time only may contradict each other where the loop does not run.
// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: "graph.exp"
// CHECK-NEXT: "graph.loop"
// CHECK: "graph.add"
// CHECK: "graph.add"
func.func @dynamic(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<?xf32>):
    %1 = "graph.exp"(%a) : (tensor<?xf32>) -> tensor<?xf32>
    %2 = "graph.add"(%1, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %3 = "graph.add"(%x, %2) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    "graph.yield"(%go, %3) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<?xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Out of branches goes what both compute, once, what may fail included, and what costs nothing: constants,
// views and constant work. What one branch computes stays, and so does constant work that grows threefold.
// CHECK-LABEL: func.func @branches
// CHECK-NEXT: %[[W:.*]] = "graph.weight"
// CHECK-NEXT: %[[N:.*]] = "graph.neg"(%[[W]])
// CHECK-NEXT: %[[R:.*]] = "graph.reshape"(%arg1)
// CHECK-NEXT: %[[V:.*]] = "graph.weight"
// CHECK-NEXT: %[[G:.*]] = "graph.gather"(%arg1, %arg2)
// CHECK-NEXT: %[[E:.*]] = "graph.exp"(%[[G]])
// CHECK-NEXT: "graph.if"(%arg0) ({
// CHECK-NEXT: %[[S:.*]] = "graph.sqrt"(%[[E]])
// CHECK-NEXT: %[[A:.*]] = "graph.add"(%[[S]], %[[N]])
// CHECK-NEXT: "graph.yield"(%[[A]], %[[R]])
// CHECK: }, {
// CHECK-NEXT: %[[T:.*]] = "graph.tile"(%[[V]])
// CHECK-NEXT: "graph.yield"(%[[E]], %[[T]])
func.func @branches(%c: tensor<i1>, %a: tensor<4xf32>, %j: tensor<4xi64>) -> (tensor<4xf32>, tensor<?x?xf32>) {
  %0:2 = "graph.if"(%c) ({
    %w = "graph.weight"() {source = "m", offset = 0, size = 16, hash = "a"} : () -> tensor<4xf32>
    %1 = "graph.neg"(%w) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "graph.gather"(%a, %j) {axis = 0} : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    %3 = "graph.exp"(%2) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = "graph.sqrt"(%3) : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "graph.add"(%4, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %6 = "graph.reshape"(%a) {shape = array<i64: 2, 2>} : (tensor<4xf32>) -> tensor<2x2xf32>
    "graph.yield"(%5, %6) {operandSegmentSizes = #first_2_of_32} : (tensor<4xf32>, tensor<2x2xf32>) -> ()
  }, {
    %7 = "graph.gather"(%a, %j) {axis = 0} : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    %8 = "graph.exp"(%7) : (tensor<4xf32>) -> tensor<4xf32>
    %w = "graph.weight"() {source = "m", offset = 0, size = 16, hash = "a"} : () -> tensor<1x4xf32>
    %9 = "graph.tile"(%w) {repeats = array<i64: 3, 1>} : (tensor<1x4xf32>) -> tensor<3x4xf32>
    "graph.yield"(%8, %9) {operandSegmentSizes = #first_2_of_32} : (tensor<4xf32>, tensor<3x4xf32>) -> ()
  }) {resultSegmentSizes = #first_2_of_32} : (tensor<i1>) -> (tensor<4xf32>, tensor<?x?xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<?x?xf32>
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Constant work that grows by a part of its operand, as padding to whole registers does, moves out of branches,
// and what follows from it; padding that doubles a weight stays.
// CHECK-LABEL: func.func @padded
// CHECK-NEXT: %[[V:.*]] = "graph.weight"
// CHECK-NEXT: %[[P:.*]] = "graph.pad"(%[[V]]) {{{.*}}} : (tensor<30xf32>) -> tensor<32xf32>
// CHECK-NEXT: %[[N:.*]] = "graph.neg"(%[[P]])
// CHECK-NEXT: %[[W:.*]] = "graph.weight"
// CHECK-NEXT: "graph.if"(%arg0) ({
// CHECK-NEXT: "graph.yield"(%[[N]])
// CHECK: }, {
// CHECK-NEXT: %[[D:.*]] = "graph.pad"(%[[W]])
// CHECK-NEXT: "graph.yield"(%[[D]])
func.func @padded(%c: tensor<i1>) -> tensor<32xf32> {
  %0 = "graph.if"(%c) ({
    %v = "graph.weight"() {source = "m", offset = 0, size = 120, hash = "a"} : () -> tensor<30xf32>
    %1 = "graph.pad"(%v) {low = array<i64: 0>, high = array<i64: 2>, mode = "constant", value = 0.0} : (tensor<30xf32>) -> tensor<32xf32>
    %2 = "graph.neg"(%1) : (tensor<32xf32>) -> tensor<32xf32>
    "graph.yield"(%2) {operandSegmentSizes = #first_1_of_32} : (tensor<32xf32>) -> ()
  }, {
    %w = "graph.weight"() {source = "m", offset = 120, size = 64, hash = "b"} : () -> tensor<16xf32>
    %3 = "graph.pad"(%w) {low = array<i64: 0>, high = array<i64: 16>, mode = "constant", value = 0.0} : (tensor<16xf32>) -> tensor<32xf32>
    "graph.yield"(%3) {operandSegmentSizes = #first_1_of_32} : (tensor<32xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// What calls the runtime may fail: it stays in a loop that may never run.
// CHECK-LABEL: func.func @runtime
// CHECK-NEXT: "graph.loop"
// CHECK-NEXT: ^bb0
// CHECK-NEXT: "graph.call_runtime"(%arg1, %arg2)
func.func @runtime(%n: tensor<i64>, %s: tensor<i64>, %p: tensor<i64>, %c: tensor<i1>) -> tensor<i64> {
  %0 = "graph.loop"(%n, %c, %n) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<i64>):
    %1 = "graph.call_runtime"(%s, %p) {function = "sequence_erase", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64>} : (tensor<i64>, tensor<i64>) -> tensor<i64>
    "graph.yield"(%go, %1) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<i64>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// A loop that does not run checks nothing.
// CHECK-LABEL: func.func @check
// CHECK-NEXT: "graph.loop"
// CHECK-NEXT: ^bb0
// CHECK-NEXT: "graph.check"(%arg1, %arg3)
func.func @check(%n: tensor<i64>, %s: tensor<i64>, %p: tensor<i64>, %c: tensor<i1>) -> tensor<i64> {
  %0 = "graph.loop"(%n, %c, %n) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<i64>):
    %1 = "graph.check"(%s, %c) {message = "wrong"} : (tensor<i64>, tensor<i1>) -> tensor<i64>
    "graph.yield"(%go, %1) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<i64>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
