// RUN: mlc-opt %s --graph-materialize-padding | filecheck %s

// Only the elements that windows reach are added: with stride 2 the last column of the padding is not.
// CHECK-LABEL: func.func @conv
// CHECK: "graph.pad"(%arg0) {high = array<i64: 0, 0, 2, 3>, low = array<i64: 0, 0, 3, 3>, mode = "constant", value = 0.000000e+00 : f64}
// CHECK-SAME: -> tensor<1x3x229x230xf32>
// CHECK: "graph.conv"
// CHECK-SAME: pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>
// CHECK-SAME: -> tensor<1x8x112x112xf32>
func.func @conv(%x: tensor<1x3x224x224xf32>, %w: tensor<8x3x7x8xf32>) -> tensor<1x8x112x112xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 3, 3, 3, 3>, strides = array<i64: 2, 2>} : (tensor<1x3x224x224xf32>, tensor<8x3x7x8xf32>) -> tensor<1x8x112x112xf32>
  return %0 : tensor<1x8x112x112xf32>
}

// CHECK-LABEL: func.func @conv_blocked_depthwise
// CHECK: "graph.pad"(%arg0) {high = array<i64: 0, 0, 2, 2, 0>, low = array<i64: 0, 0, 2, 2, 0>
// CHECK: "graph.conv"
// CHECK-SAME: pads = array<i64: 0, 0, 0, 0>
func.func @conv_blocked_depthwise(%x: tensor<1x2x9x9x16xf32>, %w: tensor<2x3x3x16xf32>) -> tensor<1x2x9x9x16xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 2, 2>, group = 32 : i64, layout = "NCHWc", pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 1, 1>}
      : (tensor<1x2x9x9x16xf32>, tensor<2x3x3x16xf32>) -> tensor<1x2x9x9x16xf32>
  return %0 : tensor<1x2x9x9x16xf32>
}

// CHECK-LABEL: func.func @conv_dynamic
// CHECK: "graph.pad"(%arg0) {high = array<i64: 0, 0, 2>, low = array<i64: 0, 0, 1>
// CHECK-SAME: -> tensor<?x3x?xf32>
// CHECK: "graph.conv"
// CHECK-SAME: pads = array<i64: 0, 0>
func.func @conv_dynamic(%x: tensor<?x3x?xf32>, %w: tensor<8x3x3xf32>) -> tensor<?x8x?xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1>, pads = array<i64: 1, 2>, strides = array<i64: 2>} : (tensor<?x3x?xf32>, tensor<8x3x3xf32>) -> tensor<?x8x?xf32>
  return %0 : tensor<?x8x?xf32>
}

// The padding at the end is never reached: no pad, and none at the begin.
// CHECK-LABEL: func.func @conv_unused_padding
// CHECK-NOT: graph.pad
// CHECK: "graph.conv"
// CHECK-SAME: pads = array<i64: 0, 0>
func.func @conv_unused_padding(%x: tensor<1x1x7xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x3xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1>, pads = array<i64: 0, 1>, strides = array<i64: 2>} : (tensor<1x1x7xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// CHECK-LABEL: func.func @conv_without_padding
// CHECK-NEXT: "graph.conv"(%arg0, %arg1)
func.func @conv_without_padding(%x: tensor<1x1x7xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x5xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x7xf32>, tensor<1x1x3xf32>) -> tensor<1x1x5xf32>
  return %0 : tensor<1x1x5xf32>
}

// CHECK-LABEL: func.func @max_pool_ceil
// CHECK: "graph.pad"(%arg0) {high = array<i64: 0, 0, 1>, low = array<i64: 0, 0, 0>, mode = "constant", value = 0xFFF0000000000000 : f64}
// CHECK: "graph.max_pool"
// CHECK-SAME: ceil_mode = false
// CHECK-SAME: -> tensor<1x1x4xf32>
func.func @max_pool_ceil(%x: tensor<1x1x8xf32>) -> tensor<1x1x4xf32> {
  %0 = "graph.max_pool"(%x) {ceil_mode = true, dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 2>} : (tensor<1x1x8xf32>) -> tensor<1x1x4xf32>
  return %0 : tensor<1x1x4xf32>
}

// CHECK-LABEL: func.func @max_pool_integers
// CHECK: "graph.pad"
// CHECK-SAME: value = -128 : i64
// CHECK: "graph.pad"
// CHECK-SAME: value = 0 : i64
func.func @max_pool_integers(%x: tensor<1x1x8xi8>, %y: tensor<1x1x8xui8>) -> (tensor<1x1x8xi8>, tensor<1x1x8xui8>) {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 1, 1>, strides = array<i64: 1>} : (tensor<1x1x8xi8>) -> tensor<1x1x8xi8>
  %1 = "graph.max_pool"(%y) {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 1, 1>, strides = array<i64: 1>} : (tensor<1x1x8xui8>) -> tensor<1x1x8xui8>
  return %0, %1 : tensor<1x1x8xi8>, tensor<1x1x8xui8>
}

// A last window can start in the padding at the end only when the stride is larger than the rest of the window.
// CHECK-LABEL: func.func @max_pool_ceil_dynamic
// CHECK: "graph.pad"(%arg0) {high = array<i64: 0, 0, 1>, low = array<i64: 0, 0, 0>
// CHECK: "graph.max_pool"
// CHECK-SAME: ceil_mode = false
// CHECK: "graph.max_pool"(%arg0)
// CHECK-SAME: ceil_mode = true
func.func @max_pool_ceil_dynamic(%x: tensor<1x1x?xf32>) -> (tensor<1x1x?xf32>, tensor<1x1x?xf32>) {
  %0 = "graph.max_pool"(%x) {ceil_mode = true, dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 2>} : (tensor<1x1x?xf32>) -> tensor<1x1x?xf32>
  %1 = "graph.max_pool"(%x) {ceil_mode = true, dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 4>} : (tensor<1x1x?xf32>) -> tensor<1x1x?xf32>
  return %0, %1 : tensor<1x1x?xf32>, tensor<1x1x?xf32>
}

// Height: 3 / (2, 3, 2); width: no padding, no factor.
// CHECK-LABEL: func.func @average_pool
// CHECK: %[[PAD:.*]] = "graph.pad"(%arg0) {high = array<i64: 0, 0, 1, 0>, low = array<i64: 0, 0, 1, 0>
// CHECK: %[[MEAN:.*]] = "graph.average_pool"(%[[PAD]])
// CHECK-SAME: pads = array<i64: 0, 0, 0, 0>
// CHECK: %[[FACTOR:.*]] = "graph.constant"() {value = dense<{{\[\[\[}}[1.500000e+00], [1.000000e+00], [1.500000e+00]]]]> : tensor<1x1x3x1xf32>}
// CHECK: "graph.mul"(%[[MEAN]], %[[FACTOR]])
// CHECK-NOT: graph.mul
func.func @average_pool(%x: tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32> {
  %0 = "graph.average_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 1>} : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
  return %0 : tensor<1x1x3x2xf32>
}

// Both dims, blocked layout.
// CHECK-LABEL: func.func @average_pool_blocked
// CHECK: tensor<1x1x3x1x1xf32>
// CHECK: tensor<1x1x1x3x1xf32>
// CHECK: return {{.*}} : tensor<1x2x3x3x8xf32>
func.func @average_pool_blocked(%x: tensor<1x2x3x3x8xf32>) -> tensor<1x2x3x3x8xf32> {
  %0 = "graph.average_pool"(%x)
      {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x2x3x3x8xf32>) -> tensor<1x2x3x3x8xf32>
  return %0 : tensor<1x2x3x3x8xf32>
}

// Padding that pads names counts, what ceil_mode adds beyond it does not: 3 / (3, 3, 2).
// CHECK-LABEL: func.func @average_pool_include_pad_ceil
// CHECK: "graph.pad"(%arg0) {high = array<i64: 0, 0, 2>, low = array<i64: 0, 0, 1>
// CHECK: dense<{{\[\[}}[1.000000e+00, 1.000000e+00, 1.500000e+00]]]>
func.func @average_pool_include_pad_ceil(%x: tensor<1x1x4xf32>) -> tensor<1x1x3xf32> {
  %0 = "graph.average_pool"(%x)
      {ceil_mode = true, count_include_pad = true, dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 1, 1>, strides = array<i64: 2>}
      : (tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// CHECK-LABEL: func.func @average_pool_include_pad
// CHECK: graph.pad
// CHECK-NOT: graph.mul
// CHECK: return
func.func @average_pool_include_pad(%x: tensor<1x1x?xf32>) -> tensor<1x1x?xf32> {
  %0 = "graph.average_pool"(%x) {count_include_pad = true, dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 1, 1>, strides = array<i64: 1>}
      : (tensor<1x1x?xf32>) -> tensor<1x1x?xf32>
  return %0 : tensor<1x1x?xf32>
}

// The factors depend on a dim that is not known.
// CHECK-LABEL: func.func @average_pool_dynamic
// CHECK-NEXT: "graph.average_pool"(%arg0)
// CHECK-SAME: pads = array<i64: 1, 1>
func.func @average_pool_dynamic(%x: tensor<1x1x?xf32>) -> tensor<1x1x?xf32> {
  %0 = "graph.average_pool"(%x) {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 1, 1>, strides = array<i64: 1>} : (tensor<1x1x?xf32>) -> tensor<1x1x?xf32>
  return %0 : tensor<1x1x?xf32>
}

// Factors over 1 KiB are put together from constants.
// CHECK-LABEL: func.func @average_pool_long
// CHECK: "graph.constant"() {{.*}} : () -> tensor<1x1x150xf32>
// CHECK: "graph.constant"() {{.*}} : () -> tensor<1x1x150xf32>
// CHECK: "graph.concat"
// CHECK-SAME: -> tensor<1x1x300xf32>
func.func @average_pool_long(%x: tensor<1x1x300xf32>) -> tensor<1x1x300xf32> {
  %0 = "graph.average_pool"(%x) {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 1, 1>, strides = array<i64: 1>} : (tensor<1x1x300xf32>) -> tensor<1x1x300xf32>
  return %0 : tensor<1x1x300xf32>
}
