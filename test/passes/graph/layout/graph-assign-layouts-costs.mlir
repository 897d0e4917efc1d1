// RUN: mlc-opt %s --split-input-file --graph-assign-layouts --canonicalize --cse | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-assign-layouts --graph-assign-layouts --canonicalize --cse | filecheck %s
// RUN: not mlc-opt %s --graph-assign-layouts=costs=guessed 2>&1 | filecheck %s --check-prefix=NAME
// RUN: echo "func.func @f() { return }" | not mlc-opt --graph-assign-layouts=costs=guessed 2>&1 | filecheck %s --check-prefix=NAME

// What is blocked, under the analytic model.
// NAME: error: option 'costs': no layout costs 'guessed'; there are always-blocked, always-plain, analytic

// Unpacking both parts moves as much as unpacking their concatenation, and the image itself needs no second pack.
// CHECK-LABEL: func.func @residual_of_input
// CHECK: %[[X32:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 32>
// CHECK: %[[CONV:.*]] = "graph.conv"(%[[X32]], {{.*}} -> tensor<1x4x4x4x8xf32>
// CHECK: %[[PLAIN:.*]] = "graph.unpack"(%[[CONV]])
// CHECK: "graph.conv"(%[[X32]], {{.*}} -> tensor<1x1x4x4x8xf32>
// CHECK: "graph.add"(%[[PLAIN]], %arg0)
func.func @residual_of_input(%x: tensor<1x32x4x4xf32>, %w: tensor<32x32x3x3xf32>, %v: tensor<8x32x3x3xf32>) -> tensor<1x40x4x4xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x32x4x4xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x4x4xf32>
  %1 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x32x4x4xf32>, tensor<8x32x3x3xf32>) -> tensor<1x8x4x4xf32>
  %2 = "graph.add"(%0, %x) : (tensor<1x32x4x4xf32>, tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  %3 = "graph.concat"(%2, %1) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x32x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x40x4x4xf32>
  return %3 : tensor<1x40x4x4xf32>
}

// -----

// A view of few pixels: a depthwise 1x1 convolution saves less than the two conversions around it cost.
// CHECK-LABEL: func.func @small_gain
// CHECK-NOT: graph.pack
// CHECK: "graph.conv"({{.*}}layout = "NCHW",
// CHECK-NOT: graph.unpack
// CHECK: return
func.func @small_gain(%x: tensor<1x32x4x4xf32>, %w: tensor<32x1x1x1xf32>) -> tensor<1x32x4x4xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x4x4xf32>, tensor<32x1x1x1xf32>) -> tensor<1x32x4x4xf32>
  return %0 : tensor<1x32x4x4xf32>
}

// -----

// Four readers share one conversion, so that the same convolution pays four times over.
// CHECK-LABEL: func.func @shared_conversion
// CHECK: %[[X:.*]] = "graph.pack"(%arg0)
// CHECK-NOT: "graph.pack"(%arg0)
// CHECK: "graph.conv"(%[[X]],
// CHECK: "graph.conv"(%[[X]],
// CHECK: "graph.conv"(%[[X]],
// CHECK: "graph.conv"(%[[X]],
// CHECK: return
func.func @shared_conversion(%x: tensor<1x32x64x64xf32>, %w: tensor<32x1x5x5xf32>) -> (tensor<1x32x1x1xf32>, tensor<1x32x1x1xf32>, tensor<1x32x1x1xf32>, tensor<1x32x1x1xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 6, 6>}
      : (tensor<1x32x64x64xf32>, tensor<32x1x5x5xf32>) -> tensor<1x32x10x10xf32>
  %1 = "graph.conv"(%x, %w) {dilations = array<i64: 2, 2>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 6, 6>}
      : (tensor<1x32x64x64xf32>, tensor<32x1x5x5xf32>) -> tensor<1x32x10x10xf32>
  %2 = "graph.conv"(%x, %w) {dilations = array<i64: 3, 3>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 6, 6>}
      : (tensor<1x32x64x64xf32>, tensor<32x1x5x5xf32>) -> tensor<1x32x9x9xf32>
  %3 = "graph.conv"(%x, %w) {dilations = array<i64: 4, 4>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 6, 6>}
      : (tensor<1x32x64x64xf32>, tensor<32x1x5x5xf32>) -> tensor<1x32x8x8xf32>
  %4 = "graph.reduce_mean"(%0) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x32x10x10xf32>) -> tensor<1x32x1x1xf32>
  %5 = "graph.reduce_max"(%1) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x32x10x10xf32>) -> tensor<1x32x1x1xf32>
  %6 = "graph.reduce_sum"(%2) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x32x9x9xf32>) -> tensor<1x32x1x1xf32>
  %7 = "graph.reduce_min"(%3) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x32x8x8xf32>) -> tensor<1x32x1x1xf32>
  return %4, %5, %6, %7 : tensor<1x32x1x1xf32>, tensor<1x32x1x1xf32>, tensor<1x32x1x1xf32>, tensor<1x32x1x1xf32>
}

// -----

// One of the four alone stays plain.
// CHECK-LABEL: func.func @unshared_conversion
// CHECK-NOT: graph.pack
// CHECK: return
func.func @unshared_conversion(%x: tensor<1x32x64x64xf32>, %w: tensor<32x1x5x5xf32>) -> tensor<1x32x1x1xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 6, 6>}
      : (tensor<1x32x64x64xf32>, tensor<32x1x5x5xf32>) -> tensor<1x32x10x10xf32>
  %1 = "graph.reduce_mean"(%0) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x32x10x10xf32>) -> tensor<1x32x1x1xf32>
  return %1 : tensor<1x32x1x1xf32>
}

// -----

// Between two products an elementwise chain stays plain; an op that needs plain values is given them once.
// CHECK-LABEL: func.func @forced
// CHECK: %[[CONV:.*]] = "graph.conv"({{.*}} -> tensor<1x1x16x16x32xf32>
// CHECK: %[[RELU:.*]] = "graph.relu"(%[[CONV]]) : (tensor<1x1x16x16x32xf32>)
// CHECK: %[[PLAIN:.*]] = "graph.unpack"(%[[RELU]])
// CHECK-NOT: graph.unpack
// CHECK: "graph.lrn"(%[[PLAIN]])
// CHECK: "graph.softmax"(%[[PLAIN]])
func.func @forced(%x: tensor<1x3x18x18xf32>, %w: tensor<32x3x3x3xf32>) -> (tensor<1x32x16x16xf32>, tensor<1x32x16x16xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x3x18x18xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x16x16xf32>
  %1 = "graph.relu"(%0) : (tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32>
  %2 = "graph.lrn"(%1) {alpha = 1.0e-04 : f64, beta = 7.5e-01 : f64, bias = 1.0 : f64, size = 31} : (tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32>
  %3 = "graph.softmax"(%1) {axis = 3} : (tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32>
  return %2, %3 : tensor<1x32x16x16xf32>, tensor<1x32x16x16xf32>
}

// -----

// As a product, a 1x1 convolution needs no blocks; between blocked ones it has them.
// CHECK-LABEL: func.func @products
// CHECK: "graph.conv"(%arg0, %arg1) {{.*}}layout = "NCHW",
// CHECK: "graph.conv"({{.*}}layout = "NCHWc",
// CHECK: "graph.conv"({{.*}}layout = "NCHWc",
// CHECK: "graph.conv"({{.*}}layout = "NCHWc",
// CHECK-NOT: graph.conv
// CHECK: return
func.func @products(%x: tensor<1x32x8x8xf32>, %w: tensor<32x32x1x1xf32>, %y: tensor<1x3x8x8xf32>, %first: tensor<32x3x3x3xf32>, %last: tensor<32x32x3x3xf32>)
    -> (tensor<1x32x8x8xf32>, tensor<1x32x8x8xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %1 = "graph.conv"(%y, %first) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x8x8xf32>
  %2 = "graph.conv"(%1, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %3 = "graph.conv"(%2, %last) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x8x8xf32>
  return %0, %3 : tensor<1x32x8x8xf32>, tensor<1x32x8x8xf32>
}

// -----

// Vectors run along the rows of a plain image: a depthwise convolution between products on groups of 34 channels,
// which no block divides, needs no conversions. With a stride of 3 it does.
// CHECK-LABEL: func.func @depthwise_between_products
// CHECK-NOT: graph.pack
// CHECK: "graph.conv"({{.*}}group = 136{{.*}}layout = "NCHW",
// CHECK-NOT: graph.unpack
// CHECK: return
func.func @depthwise_between_products(%x: tensor<1x136x28x28xf32>, %v: tensor<136x34x1x1xf32>, %w: tensor<136x1x3x3xf32>) -> tensor<1x136x13x13xf32> {
  %0 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 4, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x136x28x28xf32>, tensor<136x34x1x1xf32>) -> tensor<1x136x28x28xf32>
  %1 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, group = 136, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<1x136x28x28xf32>, tensor<136x1x3x3xf32>) -> tensor<1x136x13x13xf32>
  %2 = "graph.conv"(%1, %v) {dilations = array<i64: 1, 1>, group = 4, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x136x13x13xf32>, tensor<136x34x1x1xf32>) -> tensor<1x136x13x13xf32>
  return %2 : tensor<1x136x13x13xf32>
}

// -----

// CHECK-LABEL: func.func @strided_depthwise_between_products
// CHECK: "graph.conv"({{.*}}group = 136{{.*}}layout = "NCHWc"
func.func @strided_depthwise_between_products(%x: tensor<1x136x28x28xf32>, %v: tensor<136x34x1x1xf32>, %w: tensor<136x1x9x9xf32>) -> tensor<1x136x7x7xf32> {
  %0 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 4, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x136x28x28xf32>, tensor<136x34x1x1xf32>) -> tensor<1x136x28x28xf32>
  %1 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, group = 136, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 3, 3>}
      : (tensor<1x136x28x28xf32>, tensor<136x1x9x9xf32>) -> tensor<1x136x7x7xf32>
  %2 = "graph.conv"(%1, %v) {dilations = array<i64: 1, 1>, group = 4, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x136x7x7xf32>, tensor<136x34x1x1xf32>) -> tensor<1x136x7x7xf32>
  return %2 : tensor<1x136x7x7xf32>
}
