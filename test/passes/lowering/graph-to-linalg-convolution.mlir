// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// Plain layout, grouped, with strides and dilations; the channel of group g starts at 2 g.
// CHECK: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, (d1 floordiv 3) * 2 + d4, d2 * 2 + d5, d3 + d6 * 2)>
// CHECK: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func private @plain
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
func.func private @plain(%x: tensor<1x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x6x4x5xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 2>, group = 2, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 1>} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x4x5xf32>
  return %0 : tensor<1x6x4x5xf32>
}

// -----

// Blocked: the vector of outputs is the last parallel dim, the channels of a block the last reduction.
// CHECK: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d5, d2 + d6, d3 + d7, d8)>
// CHECK: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d1, d5, d6, d7, d8, d4)>
// CHECK: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1, d2, d3, d4)>
// CHECK-LABEL: func.func private @blocked
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]]
func.func private @blocked(%x: tensor<1x2x6x6x16xf32>, %w: tensor<3x2x3x3x16x32xf32>) -> tensor<1x3x4x4x32xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x6x6x16xf32>, tensor<3x2x3x3x16x32xf32>) -> tensor<1x3x4x4x32xf32>
  return %0 : tensor<1x3x4x4x32xf32>
}

// -----

// CHECK: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2 + d5, d3 + d6, d4)>
// CHECK: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>
// CHECK-LABEL: func.func private @depthwise
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]],
func.func private @depthwise(%x: tensor<1x2x6x6x16xf32>, %w: tensor<2x3x3x16xf32>) -> tensor<1x2x4x4x16xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 32, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x6x6x16xf32>, tensor<2x3x3x16xf32>) -> tensor<1x2x4x4x16xf32>
  return %0 : tensor<1x2x4x4x16xf32>
}

// -----

// Pooling: the maximum starts at minus infinity; the mean divides the sum by the window's size.
// CHECK-LABEL: func.func private @pool
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: arith.maximumf
// CHECK: arith.constant 0.000000e+00 : f32
// CHECK: arith.addf
// CHECK: arith.constant 3.000000e+00 : f32
// CHECK: arith.divf
func.func private @pool(%x: tensor<1x2x9xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 2>} : (tensor<1x2x9xf32>) -> tensor<1x2x4xf32>
  %1 = "graph.average_pool"(%x) {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 2>} : (tensor<1x2x9xf32>) -> tensor<1x2x4xf32>
  return %0, %1 : tensor<1x2x4xf32>, tensor<1x2x4xf32>
}
