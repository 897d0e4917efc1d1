// RUN: mlc-opt %s --split-input-file --graph-winograd=budget=221184 | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-winograd=budget=221184 --graph-winograd=budget=221184 | filecheck %s
// RUN: not mlc-opt %s --split-input-file --graph-winograd=budget=-5 2>&1 | filecheck %s --check-prefix=INVALID

// INVALID: error: option 'budget' must be -1 or a number of bytes, not -5

// F(4, 3) makes 36 elements of 9: a weight of 64 x 32 kernels grows by 4 * 27 * 64 * 32 bytes. The larger image saves more
// for these; the other one stays, whichever comes first.
// CHECK-LABEL: func.func @largest
// CHECK: graph.conv
// CHECK: graph.winograd_input{{.*}}tensor<1x2x34x34x16xf32>
// CHECK-NOT: graph.conv
func.func @largest(%x: tensor<1x2x18x18x16xf32>, %y: tensor<1x2x34x34x16xf32>) -> (tensor<1x4x16x16x16xf32>, tensor<1x4x32x32x16xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 73728, hash = "ab"} : () -> tensor<64x32x3x3xf32>
  %v = "graph.weight"() {source = "m.onnx", offset = 73728, size = 73728, hash = "cd"} : () -> tensor<64x32x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x32x3x3xf32>) -> tensor<4x2x3x3x16x16xf32>
  %q = "graph.pack"(%v) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x32x3x3xf32>) -> tensor<4x2x3x3x16x16xf32>
  %0 = "graph.conv"(%x, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x18x18x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x16x16x16xf32>
  %1 = "graph.conv"(%y, %q) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x34x34x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x32x32x16xf32>
  return %0, %1 : tensor<1x4x16x16x16xf32>, tensor<1x4x32x32x16xf32>
}

// -----

// A weight that two convolutions share costs once.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: graph.conv
// CHECK-COUNT-2: graph.winograd_output
func.func @shared(%x: tensor<1x2x18x18x16xf32>, %y: tensor<1x2x34x34x16xf32>) -> (tensor<1x4x16x16x16xf32>, tensor<1x4x32x32x16xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 73728, hash = "ab"} : () -> tensor<64x32x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x32x3x3xf32>) -> tensor<4x2x3x3x16x16xf32>
  %0 = "graph.conv"(%x, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x18x18x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x16x16x16xf32>
  %1 = "graph.conv"(%y, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x34x34x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x32x32x16xf32>
  return %0, %1 : tensor<1x4x16x16x16xf32>, tensor<1x4x32x32x16xf32>
}

// -----

// A convolution of stride 2 reads the plain weight, too: @prepare would keep both, so that the whole transformed one counts.
// CHECK-LABEL: func.func @both
// CHECK-NOT: graph.winograd
func.func @both(%x: tensor<1x2x18x18x16xf32>, %y: tensor<1x2x33x33x16xf32>) -> (tensor<1x4x16x16x16xf32>, tensor<1x4x16x16x16xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 73728, hash = "ab"} : () -> tensor<64x32x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x32x3x3xf32>) -> tensor<4x2x3x3x16x16xf32>
  %0 = "graph.conv"(%x, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x18x18x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x16x16x16xf32>
  %1 = "graph.conv"(%y, %p) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x33x33x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x16x16x16xf32>
  return %0, %1 : tensor<1x4x16x16x16xf32>, tensor<1x4x16x16x16xf32>
}
