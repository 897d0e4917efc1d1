// RUN: mlc-opt %s --graph-channels-last | filecheck %s
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(graph-channels-last,graph-sink-transposes),graph-simplify,func.func(graph-sink-reshapes{windows=true}),graph-simplify,canonicalize)' \
// RUN:   | filecheck %s --check-prefix=MOVED

// One block of all channels; padding stays.
// CHECK-LABEL: func.func @block
// CHECK: %[[X:.*]] = "graph.transpose"(%arg0) {permutation = array<i64: 0, 2, 3, 1>} : {{.*}} -> tensor<2x56x56x64xf32>
// CHECK: %[[W:.*]] = "graph.transpose"(%arg1) {permutation = array<i64: 2, 3, 1, 0>} : {{.*}} -> tensor<3x3x64x32xf32>
// CHECK: %[[V:.*]] = "graph.reshape"(%[[W]]) {shape = array<i64: 1, 1, 3, 3, 64, 32>}
// CHECK: %[[B:.*]] = "graph.reshape"(%[[X]]) {shape = array<i64: 2, 1, 56, 56, 64>}
// CHECK: %[[C:.*]] = "graph.conv"(%[[B]], %[[V]]) {{.*}}group = 1{{.*}}layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>{{.*}} -> tensor<2x1x28x28x32xf32>
// CHECK: %[[F:.*]] = "graph.reshape"(%[[C]]) {shape = array<i64: 2, 28, 28, 32>}
// CHECK: "graph.transpose"(%[[F]]) {permutation = array<i64: 0, 3, 1, 2>} : {{.*}} -> tensor<2x32x28x28xf32>
func.func @block(%x: tensor<2x64x56x56xf32>, %w: tensor<32x64x3x3xf32>) -> tensor<2x32x28x28xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
      : (tensor<2x64x56x56xf32>, tensor<32x64x3x3xf32>) -> tensor<2x32x28x28xf32>
  return %0 : tensor<2x32x28x28xf32>
}

// A product of all pixels.
// CHECK-LABEL: func.func @points
// CHECK: "graph.matmul"({{.*}}) : (tensor<392x64xf32>, tensor<64x32xf32>) -> tensor<392x32xf32>
// CHECK-NOT: graph.conv
func.func @points(%x: tensor<2x64x14x14xf32>, %w: tensor<32x64x1x1xf32>) -> tensor<2x32x14x14xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<2x64x14x14xf32>, tensor<32x64x1x1xf32>) -> tensor<2x32x14x14xf32>
  return %0 : tensor<2x32x14x14xf32>
}

// Groups, depthwise convolutions, pools; a dim that is not known stays plain.
// CHECK-LABEL: func.func @others
// CHECK: "graph.conv"({{.*}}) {{.*}} : (tensor<1x4x8x8x16xf32>, tensor<4x1x3x3x16x8xf32>) -> tensor<1x4x6x6x8xf32>
// CHECK: "graph.conv"({{.*}}) {{.*}} : (tensor<1x1x8x8x64xf32>, tensor<1x3x3x64xf32>) -> tensor<1x1x6x6x64xf32>
// CHECK: "graph.max_pool"({{.*}}) {{.*}}layout = "NCHWc"{{.*}} : (tensor<1x1x8x8x64xf32>) -> tensor<1x1x4x4x64xf32>
// CHECK: "graph.conv"(%arg4, %arg2) {{.*}}layout = "NCHW",
func.func @others(%x: tensor<1x64x8x8xf32>, %w: tensor<32x16x3x3xf32>, %d: tensor<64x1x3x3xf32>, %unused: tensor<1xf32>, %u: tensor<?x64x8x8xf32>)
    -> (tensor<1x32x6x6xf32>, tensor<1x64x6x6xf32>, tensor<1x64x4x4xf32>, tensor<?x64x6x6xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 4 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x64x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x6x6xf32>
  %1 = "graph.conv"(%x, %d) {dilations = array<i64: 1, 1>, group = 64 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x64x8x8xf32>, tensor<64x1x3x3xf32>) -> tensor<1x64x6x6xf32>
  %2 = "graph.max_pool"(%x) {ceil_mode = false, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 2, 2>} : (tensor<1x64x8x8xf32>) -> tensor<1x64x4x4xf32>
  %3 = "graph.conv"(%u, %d) {dilations = array<i64: 1, 1>, group = 64 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<?x64x8x8xf32>, tensor<64x1x3x3xf32>) -> tensor<?x64x6x6xf32>
  return %0, %1, %2, %3 : tensor<1x32x6x6xf32>, tensor<1x64x6x6xf32>, tensor<1x64x4x4xf32>, tensor<?x64x6x6xf32>
}

// Bias, activation and addition between two convolutions work on images with their channels last, directly after
// the convolutions: one transpose before, one after.
// MOVED-LABEL: func.func @chain
// MOVED: "graph.transpose"(%arg0) {permutation = array<i64: 0, 2, 3, 1>}
// MOVED: %[[A:.*]] = "graph.conv"
// MOVED-NOT: "graph.transpose"(%[[A]]
// MOVED: %[[S:.*]] = "graph.add"(%[[A]], %{{.*}}) : (tensor<1x1x8x8x16xf32>, {{.*}}) -> tensor<1x1x8x8x16xf32>
// MOVED: %[[R:.*]] = "graph.relu"(%[[S]])
// MOVED: %[[C:.*]] = "graph.conv"(%[[R]],
// MOVED: "graph.add"(%[[R]], %[[C]]) : (tensor<1x1x8x8x16xf32>, tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
// MOVED: "graph.transpose"({{.*}}) {permutation = array<i64: 0, 3, 1, 2>}
func.func @chain(%x: tensor<1x16x8x8xf32>, %b: tensor<16x1x1xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x16x8x8xf32>, tensor<16x1x1xf32>) -> tensor<1x16x8x8xf32>
  %2 = "graph.relu"(%1) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %3 = "graph.conv"(%2, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %4 = "graph.add"(%3, %2) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %4 : tensor<1x16x8x8xf32>
}

// What belongs to the convolution converts what has been moved. One channel is summed on its own.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[X:.*]] = "graph.transpose"(%arg0) {permutation = array<i64: 0, 2, 3, 1>} : {{.*}} -> tensor<1x8x8x32xui8>
// CHECK: %[[W:.*]] = "graph.transpose"(%arg1) {permutation = array<i64: 2, 3, 1, 0>} : {{.*}} -> tensor<3x3x32x4xi8>
// CHECK: %[[V:.*]] = "graph.reshape"(%[[W]]) {shape = array<i64: 1, 1, 3, 3, 32, 4>}
// CHECK: %[[F:.*]] = "graph.cast"(%[[V]]) {graph.rematerialize, saturate = true} : {{.*}} -> tensor<1x1x3x3x32x4xi32>
// CHECK: %[[B:.*]] = "graph.reshape"(%[[X]]) {shape = array<i64: 1, 1, 8, 8, 32>}
// CHECK: %[[I:.*]] = "graph.cast"(%[[B]]) {graph.rematerialize, saturate = true} : {{.*}} -> tensor<1x1x8x8x32xi32>
// CHECK: "graph.conv"(%[[I]], %[[F]]) {{.*}}group = 1
// CHECK: "graph.conv"({{.*}}) {{.*}} : (tensor<1x1x8x8x1xi32>, tensor<1x3x3x1xi32>) -> tensor<1x1x8x8x1xi32>
func.func @narrow(%x: tensor<1x32x8x8xui8>, %w: tensor<4x32x3x3xi8>, %y: tensor<1x1x8x8xi32>, %v: tensor<1x1x3x3xi32>) -> (tensor<1x4x8x8xi32>, tensor<1x1x8x8xi32>) {
  %0 = "graph.cast"(%x) {graph.rematerialize} : (tensor<1x32x8x8xui8>) -> tensor<1x32x8x8xi32>
  %1 = "graph.cast"(%w) {graph.rematerialize} : (tensor<4x32x3x3xi8>) -> tensor<4x32x3x3xi32>
  %2 = "graph.conv"(%0, %1) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x32x8x8xi32>, tensor<4x32x3x3xi32>) -> tensor<1x4x8x8xi32>
  %3 = "graph.conv"(%y, %v) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8xi32>, tensor<1x1x3x3xi32>) -> tensor<1x1x8x8xi32>
  return %2, %3 : tensor<1x4x8x8xi32>, tensor<1x1x8x8xi32>
}
