// RUN: mlc-opt %s --graph-conv-to-matmul | filecheck %s

// 68 channels per group fill no vector: the filters become the left side, the image the right one.
// CHECK-LABEL: func.func @grouped
// CHECK: %[[X:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 2, 4, 68, 196>}
// CHECK: %[[W:.*]] = "graph.reshape"(%arg1) {shape = array<i64: 4, 68, 68>}
// CHECK: %[[P:.*]] = "graph.matmul"(%[[W]], %[[X]]) : {{.*}} -> tensor<2x4x68x196xf32>
// CHECK: "graph.reshape"(%[[P]]) {shape = array<i64: 2, 272, 14, 14>}
func.func @grouped(%x: tensor<2x272x14x14xf32>, %w: tensor<272x68x1x1xf32>) -> tensor<2x272x14x14xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 4 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<2x272x14x14xf32>, tensor<272x68x1x1xf32>) -> tensor<2x272x14x14xf32>
  return %0 : tensor<2x272x14x14xf32>
}

// Many outputs that no full block divides, as in a classifier.
// CHECK-LABEL: func.func @classifier
// CHECK: "graph.matmul"({{.*}}) : (tensor<1x1000x512xf32>, tensor<1x1x512x169xf32>) -> tensor<1x1x1000x169xf32>
func.func @classifier(%x: tensor<1x512x13x13xf32>, %w: tensor<1000x512x1x1xf32>) -> tensor<1x1000x13x13xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x512x13x13xf32>, tensor<1000x512x1x1xf32>) -> tensor<1x1000x13x13xf32>
  return %0 : tensor<1x1000x13x13xf32>
}

// Full blocks, few outputs, a stride, padding, a larger window and depthwise convolutions stay.
// CHECK-LABEL: func.func @unchanged
// CHECK-COUNT-6: "graph.conv"
// CHECK-NOT: graph.matmul
func.func @unchanged(%x: tensor<1x64x8x8xf32>, %w: tensor<512x64x1x1xf32>, %few: tensor<24x64x1x1xf32>, %odd: tensor<1000x64x1x1xf32>, %wide: tensor<1000x64x3x3xf32>, %single: tensor<64x1x1x1xf32>) -> (tensor<1x512x8x8xf32>, tensor<1x24x8x8xf32>, tensor<1x1000x4x4xf32>, tensor<1x1000x10x10xf32>, tensor<1x1000x6x6xf32>, tensor<1x64x8x8xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x8x8xf32>, tensor<512x64x1x1xf32>) -> tensor<1x512x8x8xf32>
  %1 = "graph.conv"(%x, %few) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x8x8xf32>, tensor<24x64x1x1xf32>) -> tensor<1x24x8x8xf32>
  %2 = "graph.conv"(%x, %odd) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x64x8x8xf32>, tensor<1000x64x1x1xf32>) -> tensor<1x1000x4x4xf32>
  %3 = "graph.conv"(%x, %odd) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x8x8xf32>, tensor<1000x64x1x1xf32>) -> tensor<1x1000x10x10xf32>
  %4 = "graph.conv"(%x, %wide) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x8x8xf32>, tensor<1000x64x3x3xf32>) -> tensor<1x1000x6x6xf32>
  %5 = "graph.conv"(%x, %single) {dilations = array<i64: 1, 1>, group = 64 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x8x8xf32>, tensor<64x1x1x1xf32>) -> tensor<1x64x8x8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x512x8x8xf32>, tensor<1x24x8x8xf32>, tensor<1x1000x4x4xf32>, tensor<1x1000x10x10xf32>, tensor<1x1000x6x6xf32>, tensor<1x64x8x8xf32>
}
