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
