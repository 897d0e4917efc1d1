// RUN: mlc-opt %s --split-input-file --graph-winograd | filecheck %s

// 16 x 24 results, of which 15 x 23 count: the input gets a row and a column more of padding. What is too much is cut off
// after bias and relu, where the next padding covers it.
// CHECK-LABEL: func.func @cut
// CHECK: "graph.pad"(%arg0) {high = array<i64: 0, 0, 2, 2, 0>, low = array<i64: 0, 0, 1, 1, 0>
// CHECK: "graph.winograd_input"({{.*}}tensor<1x4x18x26x16xf32>) -> tensor<36x24x64xf32>
// CHECK: %[[Y:.*]] = "graph.winograd_output"{{.*}}shape = array<i64: 1, 16, 24>
// CHECK: %[[A:.*]] = "graph.add"(%[[Y]], %arg1) : (tensor<1x4x16x24x16xf32>
// CHECK: %[[R:.*]] = "graph.relu"(%[[A]])
// CHECK: %[[S:.*]] = "graph.slice"(%[[R]]) {sizes = array<i64: 1, 4, 15, 23, 16>, starts = array<i64: 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>}
// CHECK: "graph.pad"(%[[S]])
func.func @cut(%x: tensor<1x4x15x23x16xf32>, %b: tensor<1x4x1x1x16xf32>) -> tensor<1x4x17x25x16xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 147456, hash = "ab"} : () -> tensor<64x64x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x64x3x3xf32>) -> tensor<4x4x3x3x16x16xf32>
  %0 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x15x23x16xf32>) -> tensor<1x4x17x25x16xf32>
  %1 = "graph.conv"(%0, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x4x17x25x16xf32>, tensor<4x4x3x3x16x16xf32>) -> tensor<1x4x15x23x16xf32>
  %2 = "graph.add"(%1, %b) : (tensor<1x4x15x23x16xf32>, tensor<1x4x1x1x16xf32>) -> tensor<1x4x15x23x16xf32>
  %3 = "graph.relu"(%2) : (tensor<1x4x15x23x16xf32>) -> tensor<1x4x15x23x16xf32>
  %4 = "graph.pad"(%3) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x15x23x16xf32>) -> tensor<1x4x17x25x16xf32>
  return %4 : tensor<1x4x17x25x16xf32>
}

// -----

// The pool computes a row and a column more, which the padding after it covers.
// CHECK-LABEL: func.func @pool
// CHECK: %[[Y:.*]] = "graph.winograd_output"{{.*}}shape = array<i64: 1, 32, 24>
// CHECK: %[[M:.*]] = "graph.max_pool"(%[[Y]]) {{.*}} -> tensor<1x4x16x12x16xf32>
// CHECK: %[[S:.*]] = "graph.slice"(%[[M]]) {sizes = array<i64: 1, 4, 15, 11, 16>
// CHECK: "graph.pad"(%[[S]])
func.func @pool(%x: tensor<1x4x31x23x16xf32>) -> tensor<1x4x17x13x16xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 147456, hash = "ab"} : () -> tensor<64x64x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x64x3x3xf32>) -> tensor<4x4x3x3x16x16xf32>
  %0 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x31x23x16xf32>) -> tensor<1x4x33x25x16xf32>
  %1 = "graph.conv"(%0, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x4x33x25x16xf32>, tensor<4x4x3x3x16x16xf32>) -> tensor<1x4x31x23x16xf32>
  %2 = "graph.max_pool"(%1) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x4x31x23x16xf32>) -> tensor<1x4x15x11x16xf32>
  %3 = "graph.pad"(%2) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x15x11x16xf32>) -> tensor<1x4x17x13x16xf32>
  return %3 : tensor<1x4x17x13x16xf32>
}

// -----

// Tiles of 4 exceed 14 x 30 by two rows and columns. The padding between the convolutions covers but one, but grows by what
// the second exceeds its result by.
// CHECK-LABEL: func.func @chain
// CHECK: "graph.pad"(%arg0) {high = array<i64: 0, 0, 3, 3, 0>
// CHECK: "graph.winograd_output"{{.*}}shape = array<i64: 1, 16, 32>, tile = 4
// CHECK: "graph.winograd_output"{{.*}}shape = array<i64: 1, 16, 32>, tile = 4
// CHECK: "graph.pad"{{.*}}high = array<i64: 0, 0, 2, 2, 0>
// CHECK-NOT: graph.conv
func.func @chain(%x: tensor<1x4x14x30x16xf32>) -> tensor<1x4x17x33x16xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 147456, hash = "ab"} : () -> tensor<64x64x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x64x3x3xf32>) -> tensor<4x4x3x3x16x16xf32>
  %0 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x14x30x16xf32>) -> tensor<1x4x16x32x16xf32>
  %1 = "graph.conv"(%0, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x4x16x32x16xf32>, tensor<4x4x3x3x16x16xf32>) -> tensor<1x4x14x30x16xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x14x30x16xf32>) -> tensor<1x4x16x32x16xf32>
  %3 = "graph.conv"(%2, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x4x16x32x16xf32>, tensor<4x4x3x3x16x16xf32>) -> tensor<1x4x14x30x16xf32>
  %4 = "graph.pad"(%3) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 2, 2, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x14x30x16xf32>) -> tensor<1x4x17x33x16xf32>
  return %4 : tensor<1x4x17x33x16xf32>
}

// -----

// A sum with another image, a second reader, a result of the model, an input without padding: nothing covers the rest.
// CHECK-LABEL: func.func @direct
// CHECK-COUNT-4: graph.conv
// CHECK-NOT: graph.winograd
func.func @direct(%x: tensor<1x4x15x23x16xf32>, %y: tensor<1x4x15x23x16xf32>, %z: tensor<1x4x17x25x16xf32>)
    -> (tensor<1x4x17x25x16xf32>, tensor<1x4x15x23x16xf32>, tensor<1x4x17x25x16xf32>, tensor<1x4x15x23x16xf32>, tensor<1x4x17x25x16xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 147456, hash = "ab"} : () -> tensor<64x64x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x64x3x3xf32>) -> tensor<4x4x3x3x16x16xf32>
  %x0 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x15x23x16xf32>) -> tensor<1x4x17x25x16xf32>
  %c0 = "graph.conv"(%x0, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x4x17x25x16xf32>, tensor<4x4x3x3x16x16xf32>) -> tensor<1x4x15x23x16xf32>
  %x1 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x15x23x16xf32>) -> tensor<1x4x17x25x16xf32>
  %c1 = "graph.conv"(%x1, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x4x17x25x16xf32>, tensor<4x4x3x3x16x16xf32>) -> tensor<1x4x15x23x16xf32>
  %x2 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x15x23x16xf32>) -> tensor<1x4x17x25x16xf32>
  %c2 = "graph.conv"(%x2, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x4x17x25x16xf32>, tensor<4x4x3x3x16x16xf32>) -> tensor<1x4x15x23x16xf32>
  %c3 = "graph.conv"(%z, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x4x17x25x16xf32>, tensor<4x4x3x3x16x16xf32>) -> tensor<1x4x15x23x16xf32>
  %s = "graph.add"(%c0, %y) : (tensor<1x4x15x23x16xf32>, tensor<1x4x15x23x16xf32>) -> tensor<1x4x15x23x16xf32>
  %r0 = "graph.pad"(%s) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x15x23x16xf32>) -> tensor<1x4x17x25x16xf32>
  %r1 = "graph.pad"(%c1) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x15x23x16xf32>) -> tensor<1x4x17x25x16xf32>
  %r3 = "graph.pad"(%c3) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x4x15x23x16xf32>) -> tensor<1x4x17x25x16xf32>
  return %r0, %c1, %r1, %c2, %r3 : tensor<1x4x17x25x16xf32>, tensor<1x4x15x23x16xf32>, tensor<1x4x17x25x16xf32>, tensor<1x4x15x23x16xf32>, tensor<1x4x17x25x16xf32>
}
