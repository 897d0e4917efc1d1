// RUN: mlc-opt %s --split-input-file --graph-outline-constants | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-outline-constants --graph-outline-constants | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-outline-constants --graph-split-prepare | filecheck %s --check-prefix=SPLIT

// A constant of equal elements stays, others are copied; all their uses are of the copy.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[TWO:.*]] = "graph.constant"() {value = dense<2.000000e+00> : tensor<3xf32>}
// CHECK-NEXT: %[[BIAS:.*]] = "graph.constant"() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// CHECK-NEXT: %[[COPY:.*]] = "graph.identity"(%[[BIAS]])
// CHECK-NEXT: %[[A:.*]] = "graph.add"(%arg0, %[[COPY]])
// CHECK-NEXT: %[[B:.*]] = "graph.mul"(%[[A]], %[[TWO]])
// CHECK-NEXT: %[[C:.*]] = "graph.sub"(%[[B]], %[[COPY]])
// CHECK-NEXT: return %[[C]]
// SPLIT-LABEL: func.func @main
// SPLIT-NEXT: %[[TWO:.*]] = "graph.constant"()
// SPLIT-NEXT: %[[BIAS:.*]] = "graph.prepared"() {index = 0 : i64} : () -> tensor<3xf32>
// SPLIT-NEXT: "graph.add"(%arg0, %[[BIAS]])
// SPLIT-LABEL: func.func @prepare
// SPLIT-NEXT: %[[BIAS:.*]] = "graph.constant"()
// SPLIT-NEXT: "graph.identity"(%[[BIAS]])
func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %two = "graph.constant"() {value = dense<2.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %bias = "graph.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %0 = "graph.add"(%x, %bias) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = "graph.mul"(%0, %two) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = "graph.sub"(%1, %bias) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

// Filters of equal elements are read from memory, too.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[ONES:.*]] = "graph.full"()
// CHECK-NEXT: %[[COPY:.*]] = "graph.identity"(%[[ONES]])
// CHECK-NEXT: "graph.conv"(%arg0, %[[COPY]])
// SPLIT-LABEL: func.func @main
// SPLIT-NEXT: %[[ONES:.*]] = "graph.prepared"()
// SPLIT-NEXT: "graph.conv"(%arg0, %[[ONES]])
func.func @main(%x: tensor<1x1x8x8x1xi32>) -> tensor<1x1x6x6x1xi32> {
  %w = "graph.full"() {value = 1 : i64} : () -> tensor<1x3x3x1xi32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x1xi32>, tensor<1x3x3x1xi32>) -> tensor<1x1x6x6x1xi32>
  return %0 : tensor<1x1x6x6x1xi32>
}
