// RUN: mlc-opt %s | mlc-opt | filecheck %s

// pack and unpack.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<1x16x7x?xf32>,
            %b: tensor<6x10xf32>,
            %p: tensor<1x2x7x?x8xf32>,
            %q: tensor<3x2x4x2xf32>,
            %t: tensor<3x3x4x2xf32>) {
  // CHECK-NEXT: %{{.*}} = "graph.pack"(%{{.*}}) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>} : (tensor<1x16x7x?xf32>) -> tensor<1x2x7x?x8xf32>
  %0 = "graph.pack"(%x) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>} : (tensor<1x16x7x?xf32>) -> tensor<1x2x7x?x8xf32>
  // CHECK-NEXT: %{{.*}} = "graph.pack"(%{{.*}}) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 4, 2>, outer_permutation = array<i64: 1, 0>,
  // CHECK-SAME: padding = 0.000000e+00 : f64} : (tensor<6x10xf32>) -> tensor<3x3x4x2xf32>
  %1 = "graph.pack"(%b) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 4, 2>, outer_permutation = array<i64: 1, 0>, padding = 0.0} : (tensor<6x10xf32>) -> tensor<3x3x4x2xf32>
  // CHECK-NEXT: %{{.*}} = "graph.pack"(%{{.*}}) {inner_dims = array<i64: 3>, inner_tiles = array<i64: 4>, padding = 0.000000e+00 : f64} : (tensor<1x16x7x?xf32>) -> tensor<1x16x7x?x4xf32>
  %2 = "graph.pack"(%x) {inner_dims = array<i64: 3>, inner_tiles = array<i64: 4>, padding = 0.0} : (tensor<1x16x7x?xf32>) -> tensor<1x16x7x?x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.unpack"(%{{.*}}) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>} : (tensor<1x2x7x?x8xf32>) -> tensor<1x16x7x?xf32>
  %3 = "graph.unpack"(%p) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>} : (tensor<1x2x7x?x8xf32>) -> tensor<1x16x7x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.unpack"(%{{.*}}) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>, shape = array<i64: 1, 11, 7, -1>} : (tensor<1x2x7x?x8xf32>) -> tensor<1x11x7x?xf32>
  %4 = "graph.unpack"(%p) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>, shape = array<i64: 1, 11, 7, -1>} : (tensor<1x2x7x?x8xf32>) -> tensor<1x11x7x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.unpack"(%{{.*}}) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 4, 2>, outer_permutation = array<i64: 1, 0>,
  // CHECK-SAME: shape = array<i64: 6, 10>} : (tensor<3x3x4x2xf32>) -> tensor<6x10xf32>
  %5 = "graph.unpack"(%t) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 4, 2>, outer_permutation = array<i64: 1, 0>, shape = array<i64: 6, 10>} : (tensor<3x3x4x2xf32>) -> tensor<6x10xf32>
  // CHECK-NEXT: %{{.*}} = "graph.unpack"(%{{.*}}) {inner_dims = array<i64: 0, 1>, inner_tiles = array<i64: 4, 2>} : (tensor<3x2x4x2xf32>) -> tensor<12x4xf32>
  %6 = "graph.unpack"(%q) {inner_dims = array<i64: 0, 1>, inner_tiles = array<i64: 4, 2>} : (tensor<3x2x4x2xf32>) -> tensor<12x4xf32>
  return
}
