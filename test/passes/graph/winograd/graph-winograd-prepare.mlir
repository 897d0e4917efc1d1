// RUN: mlc-opt %s --graph-winograd=budget=15000000 --graph-split-prepare=budget=0 | filecheck %s

// Three transformed weights of 512 x 512 kernels grow by 22 MB, of 15 MB that graph-winograd may take: one convolution
// stays. @prepare transforms the weights of the others, whatever its own budget; @main does none.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: graph.winograd_output
// CHECK: graph.conv
// CHECK-NOT: graph.pack
// CHECK-NOT: graph.matmul"
// CHECK: func.func @prepare() -> (tensor<32x32x3x3x16x16xf32>, tensor<16x32x512x16xf32>, tensor<16x32x512x16xf32>)
func.func @main(%x: tensor<1x32x16x16x16xf32>) -> (tensor<1x32x14x14x16xf32>, tensor<1x32x14x14x16xf32>, tensor<1x32x14x14x16xf32>) {
  %w0 = "graph.weight"() {source = "m.onnx", offset = 0, size = 9437184, hash = "a"} : () -> tensor<512x512x3x3xf32>
  %w1 = "graph.weight"() {source = "m.onnx", offset = 9437184, size = 9437184, hash = "b"} : () -> tensor<512x512x3x3xf32>
  %w2 = "graph.weight"() {source = "m.onnx", offset = 18874368, size = 9437184, hash = "c"} : () -> tensor<512x512x3x3xf32>
  %p0 = "graph.pack"(%w0) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<512x512x3x3xf32>) -> tensor<32x32x3x3x16x16xf32>
  %p1 = "graph.pack"(%w1) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<512x512x3x3xf32>) -> tensor<32x32x3x3x16x16xf32>
  %p2 = "graph.pack"(%w2) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<512x512x3x3xf32>) -> tensor<32x32x3x3x16x16xf32>
  %0 = "graph.conv"(%x, %p0) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x32x16x16x16xf32>, tensor<32x32x3x3x16x16xf32>) -> tensor<1x32x14x14x16xf32>
  %1 = "graph.conv"(%x, %p1) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x32x16x16x16xf32>, tensor<32x32x3x3x16x16xf32>) -> tensor<1x32x14x14x16xf32>
  %2 = "graph.conv"(%x, %p2) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x32x16x16x16xf32>, tensor<32x32x3x3x16x16xf32>) -> tensor<1x32x14x14x16xf32>
  return %0, %1, %2 : tensor<1x32x14x14x16xf32>, tensor<1x32x14x14x16xf32>, tensor<1x32x14x14x16xf32>
}
