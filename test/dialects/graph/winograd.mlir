// RUN: mlc-opt %s | mlc-opt | filecheck %s

// The transforms around the products of Winograd's convolution; shapes are verified against the tiles.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<1x2x18x10x16xf32>, %d: tensor<?x2x18x18x16xf32>, %y: tensor<36x8x3x32xf32>, %z: tensor<16x?x3x8xf32>) {
  // CHECK-NEXT: %{{.*}} = "graph.winograd_input"(%{{.*}}) {{.*}}tile = 4{{.*}} : (tensor<1x2x18x10x16xf32>) -> tensor<36x8x32xf32>
  %0 = "graph.winograd_input"(%x) {tile = 4 : i64} : (tensor<1x2x18x10x16xf32>) -> tensor<36x8x32xf32>
  // CHECK-NEXT: %{{.*}} = "graph.winograd_input"(%{{.*}}) {{.*}}tile = 2{{.*}} : (tensor<?x2x18x18x16xf32>) -> tensor<16x?x32xf32>
  %1 = "graph.winograd_input"(%d) {tile = 2 : i64} : (tensor<?x2x18x18x16xf32>) -> tensor<16x?x32xf32>
  // CHECK-NEXT: %{{.*}} = "graph.winograd_output"(%{{.*}}) {{.*}} : (tensor<36x8x3x32xf32>) -> tensor<1x3x16x8x32xf32>
  %2 = "graph.winograd_output"(%y) {tile = 4 : i64, shape = array<i64: 1, 16, 8>} : (tensor<36x8x3x32xf32>) -> tensor<1x3x16x8x32xf32>
  // CHECK-NEXT: %{{.*}} = "graph.winograd_output"(%{{.*}}) {{.*}} : (tensor<16x?x3x8xf32>) -> tensor<1x3x4x4x8xf32>
  %3 = "graph.winograd_output"(%z) {tile = 2 : i64, shape = array<i64: 1, 4, 4>} : (tensor<16x?x3x8xf32>) -> tensor<1x3x4x4x8xf32>
  return
}

// Tiles may reach beyond images, and images may have any size.
// CHECK-LABEL: func.func @beyond
func.func @beyond(%x: tensor<1x2x17x18x16xf32>, %y: tensor<36x6x3x32xf32>, %d: tensor<?x2x?x?x16xf32> {graph.dims = ["n", "", "h", "w", ""]}, %p: tensor<36x?x3x32xf32>, %dims: tensor<3xi64>) {
  // CHECK-NEXT: "graph.winograd_input"(%{{.*}}) {{.*}} : (tensor<1x2x17x18x16xf32>) -> tensor<36x16x32xf32>
  %0 = "graph.winograd_input"(%x) {tile = 4 : i64} : (tensor<1x2x17x18x16xf32>) -> tensor<36x16x32xf32>
  // CHECK-NEXT: "graph.winograd_output"(%{{.*}}) {{.*}} : (tensor<36x6x3x32xf32>) -> tensor<1x3x5x9x32xf32>
  %1 = "graph.winograd_output"(%y) {tile = 4 : i64, shape = array<i64: 1, 5, 9>} : (tensor<36x6x3x32xf32>) -> tensor<1x3x5x9x32xf32>
  // CHECK-NEXT: "graph.winograd_input"(%{{.*}}) {{.*}} : (tensor<?x2x?x?x16xf32>) -> tensor<36x?x32xf32>
  %2 = "graph.winograd_input"(%d) {tile = 4 : i64} : (tensor<?x2x?x?x16xf32>) -> tensor<36x?x32xf32>
  // CHECK-NEXT: "graph.winograd_output"(%{{.*}}, %{{.*}}) {{.*}} : (tensor<36x?x3x32xf32>, tensor<3xi64>) -> tensor<?x3x?x?x32xf32>
  %3 = "graph.winograd_output"(%p, %dims) {tile = 4 : i64, shape = array<i64: -1, -1, -1>} : (tensor<36x?x3x32xf32>, tensor<3xi64>) -> tensor<?x3x?x?x32xf32>
  return
}
