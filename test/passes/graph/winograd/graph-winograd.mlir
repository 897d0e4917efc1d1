// RUN: mlc-opt %s --graph-winograd | filecheck %s

// F(4, 3): 4 divides the result's 16 x 16. The weights are transformed by constant work.
// CHECK-LABEL: func.func @four
// CHECK-DAG: %[[W:.*]] = "graph.weight"
// CHECK-DAG: %[[G:.*]] = "graph.constant"() {value = dense<{{.*}}> : tensor<3x6xf32>}
// CHECK-DAG: %[[V:.*]] = "graph.winograd_input"(%arg0) {kernel = 3 : i64, tile = 4 : i64} : (tensor<1x2x18x18x16xf32>) -> tensor<36x16x32xf32>
// CHECK: %[[C:.*]] = "graph.matmul"(%[[W]], %[[G]])
// CHECK: %[[T:.*]] = "graph.transpose"(%[[C]]) {permutation = array<i64: 0, 1, 3, 2>}
// CHECK: %[[B:.*]] = "graph.matmul"(%[[T]], %[[G]])
// CHECK: %[[P:.*]] = "graph.transpose"(%[[B]]) {permutation = array<i64: 3, 2, 1, 0>}
// CHECK: %[[F:.*]] = "graph.reshape"(%[[P]]) {shape = array<i64: 36, 32, 64>}
// CHECK: %[[U:.*]] = "graph.pack"(%[[F]]) {{.*}} -> tensor<36x4x32x16xf32>
// CHECK: %[[M:.*]] = "graph.matmul_packed"(%[[V]], %[[U]])
// CHECK: "graph.winograd_output"(%[[M]]) {kernel = 3 : i64, shape = array<i64: 1, 16, 16>, tile = 4 : i64} : (tensor<36x16x4x16xf32>) -> tensor<1x4x16x16x16xf32>
// CHECK-NOT: graph.conv
func.func @four(%x: tensor<1x2x18x18x16xf32>) -> tensor<1x4x16x16x16xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 73728, hash = "ab"} : () -> tensor<64x32x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x32x3x3xf32>) -> tensor<4x2x3x3x16x16xf32>
  %0 = "graph.conv"(%x, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x18x18x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x16x16x16xf32>
  return %0 : tensor<1x4x16x16x16xf32>
}

// F(2, 3): 4 does not divide 14.
// CHECK-LABEL: func.func @two
// CHECK: "graph.winograd_input"(%arg0) {kernel = 3 : i64, tile = 2 : i64} : (tensor<1x2x16x16x16xf32>) -> tensor<16x49x32xf32>
func.func @two(%x: tensor<1x2x16x16x16xf32>) -> tensor<1x4x14x14x16xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 73728, hash = "ab"} : () -> tensor<64x32x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x32x3x3xf32>) -> tensor<4x2x3x3x16x16xf32>
  %0 = "graph.conv"(%x, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x16x16x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x14x14x16xf32>
  return %0 : tensor<1x4x14x14x16xf32>
}

// An odd number of results, a stride, a weight that is no constant: all stay.
// CHECK-LABEL: func.func @direct
// CHECK-COUNT-3: graph.conv
// CHECK-NOT: graph.winograd
func.func @direct(%x: tensor<1x2x15x15x16xf32>, %y: tensor<1x2x17x17x16xf32>, %z: tensor<1x2x18x18x16xf32>, %v: tensor<64x32x3x3xf32>)
    -> (tensor<1x4x13x13x16xf32>, tensor<1x4x8x8x16xf32>, tensor<1x4x16x16x16xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 73728, hash = "ab"} : () -> tensor<64x32x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x32x3x3xf32>) -> tensor<4x2x3x3x16x16xf32>
  %q = "graph.pack"(%v) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x32x3x3xf32>) -> tensor<4x2x3x3x16x16xf32>
  %0 = "graph.conv"(%x, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x15x15x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x13x13x16xf32>
  %1 = "graph.conv"(%y, %p) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x17x17x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x8x8x16xf32>
  %2 = "graph.conv"(%z, %q) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x18x18x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<1x4x16x16x16xf32>
  return %0, %1, %2 : tensor<1x4x13x13x16xf32>, tensor<1x4x8x8x16xf32>, tensor<1x4x16x16x16xf32>
}

// Images of any size: the last tiles reach beyond them, and the result's dims are computed from the image's.
// CHECK-LABEL: func.func @open
// CHECK-DAG: %[[V:.*]] = "graph.winograd_input"(%arg0) {{{.*}}kernel = 3 : i64, tile = 4 : i64} : (tensor<?x2x?x?x16xf32>) -> tensor<36x?x32xf32>
// CHECK-DAG: %[[M:.*]] = "graph.matmul_packed"(%[[V]], {{.*}} : (tensor<36x?x32xf32>, tensor<36x4x32x16xf32>) -> tensor<36x?x4x16xf32>
// CHECK-DAG: %[[D:.*]] = "graph.sizes"({{.*}}) {dims = ["b", "h - 2", "w - 2"], names = ["b", "", "h", "w", ""]
// CHECK: "graph.winograd_output"(%[[M]], %[[D]]) {{{.*}}kernel = 3 : i64, shape = array<i64: -1, -1, -1>, tile = 4 : i64} : (tensor<36x?x4x16xf32>, tensor<3xi64>) -> tensor<?x4x?x?x16xf32>
// CHECK-NOT: graph.conv
func.func @open(%x: tensor<?x2x?x?x16xf32> {graph.dims = ["b", "", "h", "w", ""]}) -> tensor<?x4x?x?x16xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 73728, hash = "ab"} : () -> tensor<64x32x3x3xf32>
  %p = "graph.pack"(%w) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>} : (tensor<64x32x3x3xf32>) -> tensor<4x2x3x3x16x16xf32>
  %0 = "graph.conv"(%x, %p) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<?x2x?x?x16xf32>, tensor<4x2x3x3x16x16xf32>) -> tensor<?x4x?x?x16xf32>
  return %0 : tensor<?x4x?x?x16xf32>
}
