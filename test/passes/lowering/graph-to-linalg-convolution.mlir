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
// CHECK-SAME: attrs = {tloop.padding = array<i64: 0, 0, 1, 1, 0, 0, 0, 1, 1, 0>}
func.func private @blocked(%x: tensor<1x2x6x6x16xf32>, %w: tensor<3x2x3x3x16x32xf32>) -> tensor<1x3x4x4x32xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, graph.padding = array<i64: 0, 0, 1, 1, 0, 0, 0, 1, 1, 0>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
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

// Pools with few elements in a window, in larger steps than one: each element is an operand, read at its offset.
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2 * 2)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2 * 2 + 1)>
// CHECK-DAG: #[[THIRD:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2 * 2 + 2)>
// CHECK-LABEL: func.func private @pool
// CHECK: linalg.generic {indexing_maps = [#[[FIRST]], #[[SECOND]], #[[THIRD]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[M:.*]] = arith.maximumf %[[A]], %[[B]] fastmath<nsz>
// CHECK: arith.maximumf %[[M]], %[[C]] fastmath<nsz>
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: arith.constant 0.333333343 : f32
// CHECK: arith.mulf
func.func private @pool(%x: tensor<1x2x9xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 2>} : (tensor<1x2x9xf32>) -> tensor<1x2x4xf32>
  %1 = "graph.average_pool"(%x) {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 2>} : (tensor<1x2x9xf32>) -> tensor<1x2x4xf32>
  return %0, %1 : tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

// -----

// Rows of the image first, four of which are one; then their columns.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 * 4 + 3, d3)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3 * 4 + 1)>
// CHECK-LABEL: func.func private @rows_first
// CHECK: %[[ROWS:.*]] = linalg.generic {indexing_maps = [{{.*}}#[[ROW]], #{{.*}}]{{.*}} ins(%arg0, %arg0, %arg0, %arg0 : {{.*}}) outs(%{{.*}} : tensor<1x2x3x21xf32>)
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[COLUMN]], #{{.*}}]{{.*}} ins(%[[ROWS]], %[[ROWS]] : {{.*}}) outs(%{{.*}} : tensor<1x2x3x5xf32>)
func.func private @rows_first(%x: tensor<1x2x13x21xf32>) -> tensor<1x2x3x5xf32> attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 4, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 4, 4>} : (tensor<1x2x13x21xf32>) -> tensor<1x2x3x5xf32>
  return %0 : tensor<1x2x3x5xf32>
}

// -----

// Windows one element apart, and long ones, are reductions: the maximum begins with minus infinity.
// CHECK-LABEL: func.func private @overlap
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: linalg.generic {{{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK: arith.maximumf
// CHECK: linalg.generic {{{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK: arith.addf
func.func private @overlap(%x: tensor<1x2x40xf32>) -> (tensor<1x2x38xf32>, tensor<1x2x12xf32>) attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x2x40xf32>) -> tensor<1x2x38xf32>
  %1 = "graph.average_pool"(%x) {dilations = array<i64: 1>, kernel = array<i64: 17>, pads = array<i64: 0, 0>, strides = array<i64: 2>} : (tensor<1x2x40xf32>) -> tensor<1x2x12xf32>
  return %0, %1 : tensor<1x2x38xf32>, tensor<1x2x12xf32>
}
