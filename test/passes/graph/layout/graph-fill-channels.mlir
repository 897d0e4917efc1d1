// RUN: mlc-opt %s --graph-fill-channels | filecheck %s

// 16 elements of 16 bits, 8 of tf32.
// CHECK-LABEL: func.func @first
// CHECK: %[[X:.*]] = "graph.pad"(%arg0) {high = array<i64: 0, 0, 0, 0, 13>, low = array<i64: 0, 0, 0, 0, 0>, mode = "constant", value = 0.000000e+00 : f64}
// CHECK: %[[W:.*]] = "graph.pad"(%arg1) {high = array<i64: 0, 0, 0, 0, 13, 0>,
// CHECK: "graph.conv"(%[[X]], %[[W]]) {{.*}} : (tensor<1x1x9x9x16xbf16>, tensor<1x1x3x3x16x8xbf16>) -> tensor<1x1x7x7x8xbf16>
// CHECK: "graph.conv"({{.*}}) {{.*}} : (tensor<1x1x9x9x8xf32>, tensor<1x1x3x3x8x8xf32>)
func.func @first(%x: tensor<1x1x9x9x3xbf16>, %w: tensor<1x1x3x3x3x8xbf16>, %y: tensor<1x1x9x9x3xf32>, %v: tensor<1x1x3x3x3x8xf32>) -> (tensor<1x1x7x7x8xbf16>, tensor<1x1x7x7x8xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x9x9x3xbf16>, tensor<1x1x3x3x3x8xbf16>) -> tensor<1x1x7x7x8xbf16>
  %1 = "graph.conv"(%y, %v) {accel.precision = "tf32", dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x9x9x3xf32>, tensor<1x1x3x3x3x8xf32>) -> tensor<1x1x7x7x8xf32>
  return %0, %1 : tensor<1x1x7x7x8xbf16>, tensor<1x1x7x7x8xf32>
}

// 4 of exact f32.
// CHECK-LABEL: func.func @exact
// CHECK: "graph.conv"({{.*}}) {{.*}} : (tensor<1x1x9x9x4xf32>, tensor<1x1x3x3x4x8xf32>)
func.func @exact(%y: tensor<1x1x9x9x3xf32>, %v: tensor<1x1x3x3x3x8xf32>) -> tensor<1x1x7x7x8xf32> {
  %0 = "graph.conv"(%y, %v) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x9x9x3xf32>, tensor<1x1x3x3x3x8xf32>) -> tensor<1x1x7x7x8xf32>
  return %0 : tensor<1x1x7x7x8xf32>
}

// 32 integers of 8 bits, before the conversion that belongs to the convolution.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[X:.*]] = "graph.pad"(%arg0) {high = array<i64: 0, 0, 0, 0, 29>, {{.*}} -> tensor<1x1x9x9x32xui8>
// CHECK: %[[Y:.*]] = "graph.cast"(%[[X]]) {graph.rematerialize, saturate = true} : {{.*}} -> tensor<1x1x9x9x32xi32>
// CHECK: %[[W:.*]] = "graph.pad"(%arg1) {high = array<i64: 0, 0, 0, 0, 29, 0>, {{.*}} -> tensor<1x1x3x3x32x8xi8>
// CHECK: %[[V:.*]] = "graph.cast"(%[[W]]) {graph.rematerialize, saturate = true}
// CHECK: "graph.conv"(%[[Y]], %[[V]])
func.func @narrow(%x: tensor<1x1x9x9x3xui8>, %w: tensor<1x1x3x3x3x8xi8>) -> tensor<1x1x7x7x8xi32> {
  %0 = "graph.cast"(%x) {graph.rematerialize} : (tensor<1x1x9x9x3xui8>) -> tensor<1x1x9x9x3xi32>
  %1 = "graph.cast"(%w) {graph.rematerialize} : (tensor<1x1x3x3x3x8xi8>) -> tensor<1x1x3x3x3x8xi32>
  %2 = "graph.conv"(%0, %1) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x9x9x3xi32>, tensor<1x1x3x3x3x8xi32>) -> tensor<1x1x7x7x8xi32>
  return %2 : tensor<1x1x7x7x8xi32>
}

// 24 are more than a half, and are stored 8 by 8.
// CHECK-LABEL: func.func @nearly
// CHECK-NOT: graph.pad
func.func @nearly(%x: tensor<1x1x9x9x24xui8>, %w: tensor<1x1x3x3x24x8xi8>) -> tensor<1x1x7x7x8xi32> {
  %0 = "graph.cast"(%x) {graph.rematerialize} : (tensor<1x1x9x9x24xui8>) -> tensor<1x1x9x9x24xi32>
  %1 = "graph.cast"(%w) {graph.rematerialize} : (tensor<1x1x3x3x24x8xi8>) -> tensor<1x1x3x3x24x8xi32>
  %2 = "graph.conv"(%0, %1) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x9x9x24xi32>, tensor<1x1x3x3x24x8xi32>) -> tensor<1x1x7x7x8xi32>
  return %2 : tensor<1x1x7x7x8xi32>
}

// Enough channels, depthwise convolutions and groups stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT: graph.pad
func.func @others(%y: tensor<1x1x9x9x4xf32>, %v: tensor<1x1x3x3x4x8xf32>, %x: tensor<1x1x9x9x16xbf16>, %w: tensor<1x1x3x3x16x8xbf16>, %d: tensor<1x3x3x8xbf16>,
    %e: tensor<1x1x9x9x8xbf16>, %g: tensor<1x2x9x9x4xbf16>, %f: tensor<2x1x3x3x4x4xbf16>)
    -> (tensor<1x1x7x7x8xf32>, tensor<1x1x7x7x8xbf16>, tensor<1x1x7x7x8xbf16>, tensor<1x2x7x7x4xbf16>) {
  %0 = "graph.conv"(%y, %v) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x9x9x4xf32>, tensor<1x1x3x3x4x8xf32>) -> tensor<1x1x7x7x8xf32>
  %1 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x9x9x16xbf16>, tensor<1x1x3x3x16x8xbf16>) -> tensor<1x1x7x7x8xbf16>
  %2 = "graph.conv"(%e, %d) {dilations = array<i64: 1, 1>, group = 8 : i64, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x9x9x8xbf16>, tensor<1x3x3x8xbf16>) -> tensor<1x1x7x7x8xbf16>
  %3 = "graph.conv"(%g, %f) {dilations = array<i64: 1, 1>, group = 2 : i64, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x9x9x4xbf16>, tensor<2x1x3x3x4x4xbf16>) -> tensor<1x2x7x7x4xbf16>
  return %0, %1, %2, %3 : tensor<1x1x7x7x8xf32>, tensor<1x1x7x7x8xbf16>, tensor<1x1x7x7x8xbf16>, tensor<1x2x7x7x4xbf16>
}
