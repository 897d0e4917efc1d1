// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Movement that keeps the elements: shapes, orders, repetition.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x?x4xf32>,
            %s: tensor<2x3x4xf32>,
            %y: tensor<2x5x4xf32>,
            %dims: tensor<2xi64>,
            %one: tensor<1x?x1xui8>,
            %b: tensor<3x1xi1>) {
  // CHECK-NEXT: %{{.*}} = "graph.reshape"(%{{.*}}) {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %0 = "graph.reshape"(%s) {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reshape"(%{{.*}}) {shape = array<i64: -1, 8>} : (tensor<2x3x4xf32>) -> tensor<3x8xf32>
  %1 = "graph.reshape"(%s) {shape = array<i64: -1, 8>} : (tensor<2x3x4xf32>) -> tensor<3x8xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reshape"(%{{.*}}) {shape = array<i64: -1, 8>} : (tensor<2x?x4xf32>) -> tensor<?x8xf32>
  %2 = "graph.reshape"(%x) {shape = array<i64: -1, 8>} : (tensor<2x?x4xf32>) -> tensor<?x8xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reshape"(%{{.*}}) {shape = array<i64: 24>} : (tensor<2x?x4xf32>) -> tensor<24xf32>
  %3 = "graph.reshape"(%x) {shape = array<i64: 24>} : (tensor<2x?x4xf32>) -> tensor<24xf32>
  // CHECK-NEXT: %{{.*}} = "graph.reshape"(%{{.*}}, %{{.*}}) {shape = array<i64: -1, -1>} : (tensor<2x?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %4 = "graph.reshape"(%x, %dims) {shape = array<i64: -1, -1>} : (tensor<2x?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.expand"(%{{.*}}) {shape = array<i64: 2, 1, 4>} : (tensor<3x1xi1>) -> tensor<2x3x4xi1>
  %5 = "graph.expand"(%b) {shape = array<i64: 2, 1, 4>} : (tensor<3x1xi1>) -> tensor<2x3x4xi1>
  // CHECK-NEXT: %{{.*}} = "graph.expand"(%{{.*}}) {shape = array<i64: 2, -1, 1>} : (tensor<1x?x1xui8>) -> tensor<2x?x1xui8>
  %6 = "graph.expand"(%one) {shape = array<i64: 2, -1, 1>} : (tensor<1x?x1xui8>) -> tensor<2x?x1xui8>
  // CHECK-NEXT: %{{.*}} = "graph.expand"(%{{.*}}) {shape = array<i64: 1, 5, 3>} : (tensor<1x?x1xui8>) -> tensor<1x5x3xui8>
  %7 = "graph.expand"(%one) {shape = array<i64: 1, 5, 3>} : (tensor<1x?x1xui8>) -> tensor<1x5x3xui8>
  // CHECK-NEXT: %{{.*}} = "graph.expand"(%{{.*}}, %{{.*}}) {shape = array<i64: -1, -1>} : (tensor<3x1xi1>, tensor<2xi64>) -> tensor<3x?xi1>
  %8 = "graph.expand"(%b, %dims) {shape = array<i64: -1, -1>} : (tensor<3x1xi1>, tensor<2xi64>) -> tensor<3x?xi1>
  // CHECK-NEXT: %{{.*}} = "graph.transpose"(%{{.*}}) {permutation = array<i64: 2, 0, 1>} : (tensor<2x?x4xf32>) -> tensor<4x2x?xf32>
  %9 = "graph.transpose"(%x) {permutation = array<i64: 2, 0, 1>} : (tensor<2x?x4xf32>) -> tensor<4x2x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.concat"(%{{.*}}, %{{.*}}) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x8x4xf32>
  %10 = "graph.concat"(%s, %y) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x8x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.concat"(%{{.*}}, %{{.*}}, %{{.*}}) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}
  // CHECK-SAME: : (tensor<2x?x4xf32>, tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x?x4xf32>
  %11 = "graph.concat"(%x, %s, %y) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x?x4xf32>, tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x?x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.concat"(%{{.*}}, %{{.*}}) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x?x4xf32>, tensor<2x3x4xf32>) -> tensor<4x3x4xf32>
  %12 = "graph.concat"(%x, %s) {axis = 0, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x?x4xf32>, tensor<2x3x4xf32>) -> tensor<4x3x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.squeeze"(%{{.*}}) {axes = array<i64: 0, 1>} : (tensor<1x?x1xui8>) -> tensor<1xui8>
  %13 = "graph.squeeze"(%one) {axes = array<i64: 0, 1>} : (tensor<1x?x1xui8>) -> tensor<1xui8>
  // CHECK-NEXT: %{{.*}} = "graph.unsqueeze"(%{{.*}}) {axes = array<i64: 0, 4>} : (tensor<2x?x4xf32>) -> tensor<1x2x?x4x1xf32>
  %14 = "graph.unsqueeze"(%x) {axes = array<i64: 0, 4>} : (tensor<2x?x4xf32>) -> tensor<1x2x?x4x1xf32>
  // CHECK-NEXT: %{{.*}} = "graph.tile"(%{{.*}}) {repeats = array<i64: 1, 2, 3>} : (tensor<2x?x4xf32>) -> tensor<2x?x12xf32>
  %15 = "graph.tile"(%x) {repeats = array<i64: 1, 2, 3>} : (tensor<2x?x4xf32>) -> tensor<2x?x12xf32>
  // CHECK-NEXT: %{{.*}} = "graph.trilu"(%{{.*}}) {k = -1 : i64, upper = false} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %16 = "graph.trilu"(%x) {k = -1, upper = false} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  return
}

// CHECK-LABEL: func.func @no_elements
func.func @no_elements(%x: tensor<0x?x8xf32>, %dims: tensor<3xi64>) {
  // CHECK-NEXT: %{{.*}} = "graph.reshape"(%{{.*}}, %{{.*}}) {shape = array<i64: 0, -1, 4>} : (tensor<0x?x8xf32>, tensor<3xi64>) -> tensor<0x?x4xf32>
  %0 = "graph.reshape"(%x, %dims) {shape = array<i64: 0, -1, 4>} : (tensor<0x?x8xf32>, tensor<3xi64>) -> tensor<0x?x4xf32>
  return
}
