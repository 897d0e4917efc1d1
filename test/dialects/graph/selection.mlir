// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Movement that selects or adds elements.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<5x?x4xf32>,
            %data: tensor<7x3xf16>,
            %i: tensor<2x?xi64>,
            %j: tensor<2x3xi32>,
            %s: tensor<i64>,
            %pairs: tensor<5x2x2xi64>,
            %tuple: tensor<1xi32>) {
  // CHECK-NEXT: %{{.*}} = "graph.slice"(%{{.*}}) {sizes = array<i64: 2, -1, 4>, starts = array<i64: 1, 0, 0>, steps = array<i64: 2, 1, 1>} : (tensor<5x?x4xf32>) -> tensor<2x?x4xf32>
  %0 = "graph.slice"(%x) {sizes = array<i64: 2, -1, 4>, starts = array<i64: 1, 0, 0>, steps = array<i64: 2, 1, 1>} : (tensor<5x?x4xf32>) -> tensor<2x?x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.slice"(%{{.*}}) {sizes = array<i64: -1, 1, 4>, starts = array<i64: -1, -1, -1>, steps = array<i64: -2, 1, -1>} : (tensor<5x?x4xf32>) -> tensor<3x1x4xf32>
  %1 = "graph.slice"(%x) {sizes = array<i64: -1, 1, 4>, starts = array<i64: -1, -1, -1>, steps = array<i64: -2, 1, -1>} : (tensor<5x?x4xf32>) -> tensor<3x1x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.slice"(%{{.*}}) {sizes = array<i64: 0, -1, -1>, starts = array<i64: 5, 4, 1>, steps = array<i64: 1, -2, 2>} : (tensor<5x?x4xf32>) -> tensor<0x3x2xf32>
  %2 = "graph.slice"(%x) {sizes = array<i64: 0, -1, -1>, starts = array<i64: 5, 4, 1>, steps = array<i64: 1, -2, 2>} : (tensor<5x?x4xf32>) -> tensor<0x3x2xf32>
  // CHECK-NEXT: %{{.*}} = "graph.pad"(%{{.*}}) {high = array<i64: 1, 0, 2>, low = array<i64: 0, 1, 0>, value = -1.000000e+00 : f64} : (tensor<5x?x4xf32>) -> tensor<6x?x6xf32>
  %3 = "graph.pad"(%x) {high = array<i64: 1, 0, 2>, low = array<i64: 0, 1, 0>, value = -1.0} : (tensor<5x?x4xf32>) -> tensor<6x?x6xf32>
  // CHECK-NEXT: %{{.*}} = "graph.pad"(%{{.*}}) {high = array<i64: 6, 0>, low = array<i64: 0, 2>, mode = "reflect"} : (tensor<7x3xf16>) -> tensor<13x5xf16>
  %4 = "graph.pad"(%data) {high = array<i64: 6, 0>, low = array<i64: 0, 2>, mode = "reflect"} : (tensor<7x3xf16>) -> tensor<13x5xf16>
  // CHECK-NEXT: %{{.*}} = "graph.gather"(%{{.*}}, %{{.*}}) {axis = 0 : i64} : (tensor<7x3xf16>, tensor<2x?xi64>) -> tensor<2x?x3xf16>
  %5 = "graph.gather"(%data, %i) {axis = 0} : (tensor<7x3xf16>, tensor<2x?xi64>) -> tensor<2x?x3xf16>
  // CHECK-NEXT: %{{.*}} = "graph.gather"(%{{.*}}, %{{.*}}) {axis = 1 : i64} : (tensor<7x3xf16>, tensor<i64>) -> tensor<7xf16>
  %6 = "graph.gather"(%data, %s) {axis = 1} : (tensor<7x3xf16>, tensor<i64>) -> tensor<7xf16>
  // CHECK-NEXT: %{{.*}} = "graph.gather"(%{{.*}}, %{{.*}}) {axis = 1 : i64} : (tensor<5x?x4xf32>, tensor<2x3xi32>) -> tensor<5x2x3x4xf32>
  %7 = "graph.gather"(%x, %j) {axis = 1} : (tensor<5x?x4xf32>, tensor<2x3xi32>) -> tensor<5x2x3x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.gather_elements"(%{{.*}}, %{{.*}}) {axis = 0 : i64} : (tensor<7x3xf16>, tensor<2x3xi32>) -> tensor<2x3xf16>
  %8 = "graph.gather_elements"(%data, %j) {axis = 0} : (tensor<7x3xf16>, tensor<2x3xi32>) -> tensor<2x3xf16>
  // CHECK-NEXT: %{{.*}} = "graph.gather_elements"(%{{.*}}, %{{.*}}) {axis = 1 : i64} : (tensor<7x3xf16>, tensor<2x?xi64>) -> tensor<2x?xf16>
  %9 = "graph.gather_elements"(%data, %i) {axis = 1} : (tensor<7x3xf16>, tensor<2x?xi64>) -> tensor<2x?xf16>
  // CHECK-NEXT: %{{.*}} = "graph.gather_nd"(%{{.*}}, %{{.*}}) : (tensor<5x?x4xf32>, tensor<5x2x2xi64>) -> tensor<5x2x4xf32>
  %10 = "graph.gather_nd"(%x, %pairs) : (tensor<5x?x4xf32>, tensor<5x2x2xi64>) -> tensor<5x2x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.gather_nd"(%{{.*}}, %{{.*}}) {batch_dims = 1 : i64} : (tensor<5x?x4xf32>, tensor<5x2x2xi64>) -> tensor<5x2xf32>
  %11 = "graph.gather_nd"(%x, %pairs) {batch_dims = 1} : (tensor<5x?x4xf32>, tensor<5x2x2xi64>) -> tensor<5x2xf32>
  // CHECK-NEXT: %{{.*}} = "graph.gather_nd"(%{{.*}}, %{{.*}}) : (tensor<7x3xf16>, tensor<1xi32>) -> tensor<3xf16>
  %12 = "graph.gather_nd"(%data, %tuple) : (tensor<7x3xf16>, tensor<1xi32>) -> tensor<3xf16>
  return
}
