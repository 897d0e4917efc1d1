// RUN: mlc-opt %s --graph-pad-windows | filecheck %s

// CHECK-LABEL: func.func private @padded
// CHECK: %[[X:.*]] = tensor.pad %arg0 low[0, 0, 1, 2, 0] high[0, 0, 3, 0, 0] {
// CHECK: tensor.yield %{{.*}} : f32
// CHECK: } : tensor<1x1x8x8x16xf32> to tensor<1x1x12x10x16xf32>
// CHECK: "graph.conv"(%[[X]], %arg1) {{.*}}pads = array<i64: 0, 0, 0, 0>{{.*}} -> tensor<1x1x10x8x32xf32>
func.func private @padded(%x: tensor<1x1x8x8x16xf32>, %w: tensor<1x1x3x3x16x32xf32>) -> tensor<1x1x10x8x32xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 1, 2, 3, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x16xf32>, tensor<1x1x3x3x16x32xf32>) -> tensor<1x1x10x8x32xf32>
  return %0 : tensor<1x1x10x8x32xf32>
}

// Without padding, and outside of kernels, nothing changes.
// CHECK-LABEL: func.func private @unpadded
// CHECK-NOT: tensor.pad
func.func private @unpadded(%x: tensor<1x1x8x8x16xf32>, %w: tensor<1x1x3x3x16x32xf32>) -> tensor<1x1x6x6x32xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x16xf32>, tensor<1x1x3x3x16x32xf32>) -> tensor<1x1x6x6x32xf32>
  return %0 : tensor<1x1x6x6x32xf32>
}
// CHECK-LABEL: func.func @no_kernel
// CHECK-NOT: tensor.pad
func.func @no_kernel(%x: tensor<1x1x8x8x16xf32>, %w: tensor<1x1x3x3x16x32xf32>) -> tensor<1x1x8x8x32xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x16xf32>, tensor<1x1x3x3x16x32xf32>) -> tensor<1x1x8x8x32xf32>
  return %0 : tensor<1x1x8x8x32xf32>
}

// Pads in a pool's kernel, with their value.
// CHECK-LABEL: func.func private @pool
// CHECK: %[[X:.*]] = tensor.pad %arg0 low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0] {
// CHECK: tensor.yield %{{.*}} : f32
// CHECK: "graph.max_pool"(%[[X]])
// CHECK: "graph.pad"
func.func private @pool(%x: tensor<1x1x8x8x16xf32>) -> (tensor<1x1x8x8x16xf32>, tensor<1x1x10x10x16xf32>) attributes {tloop.kernel} {
  %0 = "graph.pad"(%x) {graph.rematerialize, low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0xFFF0000000000000 : f64}
      : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x10x10x16xf32>
  %1 = "graph.max_pool"(%0) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x10x10x16xf32>) -> tensor<1x1x8x8x16xf32>
  %2 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x10x10x16xf32>
  return %1, %2 : tensor<1x1x8x8x16xf32>, tensor<1x1x10x10x16xf32>
}

// Integers of 8 bits are padded before the convolution widens them.
// CHECK-LABEL: func.func private @narrow
// CHECK: %[[X:.*]] = tensor.pad %arg0 low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0] {
// CHECK: %[[NUMBER:.*]] = arith.constant 0 : i8
// CHECK-NEXT: %[[ZERO:.*]] = builtin.unrealized_conversion_cast %[[NUMBER]] : i8 to ui8
// CHECK-NEXT: tensor.yield %[[ZERO]] : ui8
// CHECK: %[[Y:.*]] = "graph.cast"(%[[X]]) {graph.rematerialize, saturate = true} : (tensor<1x1x10x10x32xui8>) -> tensor<1x1x10x10x32xi32>
// CHECK: "graph.conv"(%[[Y]], %arg1) {{.*}}pads = array<i64: 0, 0, 0, 0>
func.func private @narrow(%x: tensor<1x1x8x8x32xui8>, %w: tensor<1x1x3x3x32x8xi32>) -> tensor<1x1x8x8x8xi32> attributes {tloop.kernel} {
  %0 = "graph.cast"(%x) {graph.rematerialize} : (tensor<1x1x8x8x32xui8>) -> tensor<1x1x8x8x32xi32>
  %1 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x32xi32>, tensor<1x1x3x3x32x8xi32>) -> tensor<1x1x8x8x8xi32>
  return %1 : tensor<1x1x8x8x8xi32>
}
