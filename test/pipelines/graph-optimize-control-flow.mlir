// RUN: mlc-opt %s --graph-optimize | filecheck %s

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_32 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Rewrites work inside of bodies, across their borders, and leave the bodies whole: batch normalisation in a
// branch folds into the convolution of that branch; a GELU in a loop is recognised, its factors being outside;
// what does not change from iteration to iteration, and what depends on constants only, is computed before. A
// loop that runs once becomes a straight line.
// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = "graph.reshape"
// CHECK: %[[W:.*]] = "graph.mul"
// CHECK-NEXT: "graph.if"(%arg1) ({
// CHECK-NEXT: %[[C:.*]] = "graph.conv"(%arg2, %[[W]])
// CHECK-NEXT: %[[S:.*]] = "graph.add"(%[[C]], %[[B]])
// CHECK-NEXT: "graph.relu"(%[[S]])
// CHECK: "graph.yield"
// CHECK: }, {
// CHECK: "graph.max_pool"
// CHECK: "graph.yield"
// CHECK: %[[P:.*]] = "graph.exp"(%arg3)
// CHECK-NEXT: "graph.loop"(%arg0, %arg1, %arg3) ({
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %[[X:.*]]: tensor<4x8xf32>):
// CHECK-NEXT: %[[G:.*]] = "graph.gelu"(%[[X]]) {approximate = "none"}
// CHECK-NEXT: %[[A:.*]] = "graph.add"(%[[G]], %[[P]])
// CHECK-NEXT: "graph.yield"(%{{.*}}, %[[A]], %[[A]])
// CHECK: %[[N:.*]] = "graph.neg"(%arg3)
// CHECK-NEXT: return
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %img: tensor<1x4x8x8xf32>, %x0: tensor<4x8xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4x8xf32>, tensor<?x4x8xf32>, tensor<4x8xf32>) {
  %w = "graph.weight"() {source = "m", offset = 0, size = 576, hash = "a"} : () -> tensor<4x4x3x3xf32>
  %s = "graph.weight"() {source = "m", offset = 576, size = 16, hash = "b"} : () -> tensor<4xf32>
  %b = "graph.weight"() {source = "m", offset = 592, size = 16, hash = "c"} : () -> tensor<4xf32>
  %0 = "graph.if"(%c) ({
    %1 = "graph.conv"(%img, %w) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, group = 1} : (tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x8x8xf32>
    %2 = "graph.batch_norm"(%1, %s, %b, %b, %s) {epsilon = 1.0e-5} : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
    %3 = "graph.relu"(%2) : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    "graph.yield"(%3) {operandSegmentSizes = #first_1_of_32} : (tensor<1x4x8x8xf32>) -> ()
  }, {
    %1 = "graph.max_pool"(%img) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %2 = "graph.identity"(%1) : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    "graph.yield"(%2) {operandSegmentSizes = #first_1_of_32} : (tensor<1x4x8x8xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<1x4x8x8xf32>
  %root = "graph.constant"() {value = dense<1.41421356> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %l:2 = "graph.loop"(%n, %c, %x0) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4x8xf32>):
    %1 = "graph.div"(%x, %root) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %2 = "graph.erf"(%1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = "graph.add"(%2, %one) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %4 = "graph.mul"(%x, %3) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %5 = "graph.mul"(%4, %half) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %6 = "graph.exp"(%x0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %7 = "graph.add"(%5, %6) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "graph.yield"(%go, %7, %7) {operandSegmentSizes = #first_3_of_32} : (tensor<i1>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_2_of_32} : (tensor<i64>, tensor<i1>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<?x4x8xf32>)
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %once = "graph.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %m = "graph.loop"(%once, %t, %x0) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<4x8xf32>):
    %1 = "graph.if"(%go) ({
      %2 = "graph.neg"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      "graph.yield"(%2) {operandSegmentSizes = #first_1_of_32} : (tensor<4x8xf32>) -> ()
    }, {
      "graph.yield"(%x) {operandSegmentSizes = #first_1_of_32} : (tensor<4x8xf32>) -> ()
    }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<4x8xf32>
    "graph.yield"(%go, %1) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<4x8xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %l#0, %l#1, %m : tensor<1x4x8x8xf32>, tensor<4x8xf32>, tensor<?x4x8xf32>, tensor<4x8xf32>
}
