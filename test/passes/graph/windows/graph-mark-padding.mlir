// RUN: mlc-opt %s --graph-mark-padding | filecheck %s

// CHECK-LABEL: func.func @zeros
// CHECK: "graph.conv"(%{{.*}}, %arg1) {{{.*}}graph.padding = array<i64: 0, 0, 2, 0, 0, 0, 0, 1, 3, 0>
func.func @zeros(%x: tensor<1x2x9x9x8xf32>, %w: tensor<1x2x3x3x8x8xf32>) -> tensor<1x1x10x10x8xf32> {
  %p = "graph.pad"(%x) {low = array<i64: 0, 0, 2, 0, 0>, high = array<i64: 0, 0, 1, 3, 0>, mode = "constant", value = 0.0} : (tensor<1x2x9x9x8xf32>) -> tensor<1x2x12x12x8xf32>
  %y = "graph.conv"(%p, %w) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 1 : i64, layout = "NCHWc"} : (tensor<1x2x12x12x8xf32>, tensor<1x2x3x3x8x8xf32>) -> tensor<1x1x10x10x8xf32>
  return %y : tensor<1x1x10x10x8xf32>
}

// Elements that are not 0 count, and so do those at the edge.
// CHECK-LABEL: func.func @others
// CHECK-NOT: graph.padding
func.func @others(%x: tensor<1x4x8xf32>, %w: tensor<4x4x3xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %ones = "graph.pad"(%x) {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>, mode = "constant", value = 1.0} : (tensor<1x4x8xf32>) -> tensor<1x4x10xf32>
  %edge = "graph.pad"(%x) {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>, mode = "edge"} : (tensor<1x4x8xf32>) -> tensor<1x4x10xf32>
  %0 = "graph.conv"(%ones, %w) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 1 : i64} : (tensor<1x4x10xf32>, tensor<4x4x3xf32>) -> tensor<1x4x8xf32>
  %1 = "graph.conv"(%edge, %w) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 1 : i64} : (tensor<1x4x10xf32>, tensor<4x4x3xf32>) -> tensor<1x4x8xf32>
  return %0, %1 : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}
