// RUN: mlc-opt %s --graph-conv-to-matmul | filecheck %s

// The filters of each group become the left side, the image the right one.
// CHECK-LABEL: func.func @grouped
// CHECK: %[[X:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 2, 4, 68, 196>}
// CHECK: %[[W:.*]] = "graph.reshape"(%arg1) {shape = array<i64: 4, 68, 68>}
// CHECK: %[[P:.*]] = "graph.matmul"(%[[W]], %[[X]]) : {{.*}} -> tensor<2x4x68x196xf32>
// CHECK: "graph.reshape"(%[[P]]) {shape = array<i64: 2, 272, 14, 14>}
func.func @grouped(%x: tensor<2x272x14x14xf32>, %w: tensor<272x68x1x1xf32>) -> tensor<2x272x14x14xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 4 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<2x272x14x14xf32>, tensor<272x68x1x1xf32>) -> tensor<2x272x14x14xf32>
  return %0 : tensor<2x272x14x14xf32>
}

// One group, as in a classifier.
// CHECK-LABEL: func.func @classifier
// CHECK: "graph.matmul"({{.*}}) : (tensor<1x1000x512xf32>, tensor<1x1x512x169xf32>) -> tensor<1x1x1000x169xf32>
func.func @classifier(%x: tensor<1x512x13x13xf32>, %w: tensor<1000x512x1x1xf32>) -> tensor<1x1000x13x13xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x512x13x13xf32>, tensor<1000x512x1x1xf32>) -> tensor<1x1000x13x13xf32>
  return %0 : tensor<1x1000x13x13xf32>
}

// The number of images need not be known.
// CHECK-LABEL: func.func @any_batch
// CHECK: %[[FLAT:.*]] = "graph.reshape"(%arg0) {{{.*}}shape = array<i64: -1, 1, 512, 169>} : (tensor<?x512x13x13xf32>) -> tensor<?x1x512x169xf32>
// CHECK: %[[PRODUCT:.*]] = "graph.matmul"(%{{.*}}, %[[FLAT]]) {{.*}} -> tensor<?x1x1000x169xf32>
// CHECK: "graph.reshape"(%[[PRODUCT]]) {{{.*}}shape = array<i64: -1, 1000, 13, 13>}
func.func @any_batch(%x: tensor<?x512x13x13xf32>, %w: tensor<1000x512x1x1xf32>) -> tensor<?x1000x13x13xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x512x13x13xf32>, tensor<1000x512x1x1xf32>) -> tensor<?x1000x13x13xf32>
  return %0 : tensor<?x1000x13x13xf32>
}

// Nor need the rows be.
// CHECK-LABEL: func.func @any_rows
// CHECK: %[[PRODUCT:.*]] = "graph.matmul"(%{{.*}}, %{{.*}}) {{.*}} -> tensor<1x1x24x?xf32>
// CHECK: "graph.reshape"(%[[PRODUCT]]) {{{.*}}shape = array<i64: 1, 24, -1, 8>}
func.func @any_rows(%x: tensor<1x64x?x8xf32>, %w: tensor<24x64x1x1xf32>) -> tensor<1x24x?x8xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x?x8xf32>, tensor<24x64x1x1xf32>) -> tensor<1x24x?x8xf32>
  return %0 : tensor<1x24x?x8xf32>
}

// With a stride, of the pixels that are read alone.
// CHECK-LABEL: func.func @strided
// CHECK: %[[READ:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 1, 64, 5, 3>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 3>}
// CHECK: %[[FLAT:.*]] = "graph.reshape"(%[[READ]]) {shape = array<i64: 1, 1, 64, 15>}
// CHECK: %[[PRODUCT:.*]] = "graph.matmul"(%{{.*}}, %[[FLAT]])
// CHECK: "graph.reshape"(%[[PRODUCT]]) {shape = array<i64: 1, 24, 5, 3>}
func.func @strided(%x: tensor<1x64x9x8xf32>, %w: tensor<24x64x1x1xf32>) -> tensor<1x24x5x3xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 3>} : (tensor<1x64x9x8xf32>, tensor<24x64x1x1xf32>) -> tensor<1x24x5x3xf32>
  return %0 : tensor<1x24x5x3xf32>
}

// A blocked layout, padding, a larger window and depthwise convolutions stay.
// CHECK-LABEL: func.func @unchanged
// CHECK-COUNT-4: "graph.conv"
// CHECK-NOT: graph.matmul
func.func @unchanged(%x: tensor<1x64x8x8xf32>, %b: tensor<1x2x8x8x32xf32>, %v: tensor<16x2x1x1x32x32xf32>, %w: tensor<24x64x1x1xf32>,
    %wide: tensor<24x64x3x3xf32>, %single: tensor<64x1x1x1xf32>)
    -> (tensor<1x16x8x8x32xf32>, tensor<1x24x10x10xf32>, tensor<1x24x6x6xf32>, tensor<1x64x8x8xf32>) {
  %0 = "graph.conv"(%b, %v) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x8x8x32xf32>, tensor<16x2x1x1x32x32xf32>) -> tensor<1x16x8x8x32xf32>
  %1 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x8x8xf32>, tensor<24x64x1x1xf32>) -> tensor<1x24x10x10xf32>
  %2 = "graph.conv"(%x, %wide) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x8x8xf32>, tensor<24x64x3x3xf32>) -> tensor<1x24x6x6xf32>
  %3 = "graph.conv"(%x, %single) {dilations = array<i64: 1, 1>, group = 64 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x64x8x8xf32>, tensor<64x1x1x1xf32>) -> tensor<1x64x8x8xf32>
  return %0, %1, %2, %3 : tensor<1x16x8x8x32xf32>, tensor<1x24x10x10xf32>, tensor<1x24x6x6xf32>, tensor<1x64x8x8xf32>
}
