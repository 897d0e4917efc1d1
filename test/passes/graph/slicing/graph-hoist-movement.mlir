// RUN: mlc-opt %s --graph-hoist-movement | filecheck %s
// RUN: mlc-opt %s --graph-hoist-movement=exactness=exact | filecheck %s --check-prefix=EXACT

// The last token of a transformer's block: the residual sum, the normalisation and the product of one row.
// CHECK-LABEL: func.func @last_row
// CHECK-NEXT: %[[ROW:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 2, 1, 64>, starts = array<i64: 0, 15, 0>
// CHECK: %[[NORM:.*]] = "graph.layer_norm"(%[[ROW]])
// CHECK-NEXT: %[[PRODUCT:.*]] = "graph.matmul"(%[[NORM]], %arg1) : (tensor<2x1x64xf32>, tensor<64x64xf32>) -> tensor<2x1x64xf32>
// CHECK-NEXT: %[[GELU:.*]] = "graph.gelu"(%[[PRODUCT]])
// CHECK: %[[SUM:.*]] = "graph.add"(%[[GELU]], %{{.*}}) : (tensor<2x1x64xf32>, tensor<2x1x64xf32>)
// CHECK-NEXT: return %[[SUM]]
// EXACT-LABEL: func.func @last_row
// EXACT: "graph.matmul"({{.*}}) : (tensor<2x16x64xf32>
// EXACT: return
func.func @last_row(%x: tensor<2x16x64xf32>, %w: tensor<64x64xf32>) -> tensor<2x1x64xf32> {
  %0 = "graph.layer_norm"(%x) {axes = array<i64: 2>, epsilon = 1.000000e-05 : f64} : (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
  %1 = "graph.matmul"(%0, %w) : (tensor<2x16x64xf32>, tensor<64x64xf32>) -> tensor<2x16x64xf32>
  %2 = "graph.gelu"(%1) {approximate = "none"} : (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
  %3 = "graph.add"(%2, %x) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
  %4 = "graph.slice"(%3) {sizes = array<i64: 2, 1, 64>, starts = array<i64: 0, -1, 0>, steps = array<i64: 1, 1, 1>} : (tensor<2x16x64xf32>) -> tensor<2x1x64xf32>
  return %4 : tensor<2x1x64xf32>
}

// The same of an open number of tokens, which both terms of the sum have: neither broadcasts.
// CHECK-LABEL: func.func @open_rows
// CHECK-DAG: "graph.slice"(%arg0) {{.*}} -> tensor<?x1x8xf32>
// CHECK-DAG: "graph.slice"(%arg1) {{.*}} -> tensor<?x1x8xf32>
// CHECK: %[[SUM:.*]] = "graph.add"({{.*}} -> tensor<?x1x8xf32>
// CHECK: %[[NORM:.*]] = "graph.layer_norm"(%[[SUM]]) {{.*}} -> tensor<?x1x8xf32>
// CHECK: return %[[NORM]]
func.func @open_rows(%x: tensor<?x?x8xf32> {graph.dims = ["n", "t", ""]}, %y: tensor<?x?x8xf32> {graph.dims = ["n", "t", ""]}) -> tensor<?x1x8xf32> {
  %0 = "graph.add"(%x, %y) {graph.dims = [["n", "t", ""]]} : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %1 = "graph.layer_norm"(%0) {axes = array<i64: 2>, epsilon = 1.0e-5, graph.dims = [["n", "t", ""]]} : (tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %2 = "graph.slice"(%1) {starts = array<i64: 0, 0, 0>, sizes = array<i64: -1, 1, 8>, steps = array<i64: 1, 1, 1>, graph.dims = [["n", "", ""]]} : (tensor<?x?x8xf32>) -> tensor<?x1x8xf32>
  return %2 : tensor<?x1x8xf32>
}

// One of the terms may have a single token.
// CHECK-LABEL: func.func @maybe_broadcast
// CHECK: %[[SUM:.*]] = "graph.add"(%arg0, %arg1) {{.*}} -> tensor<?x?x8xf32>
// CHECK: "graph.slice"(%[[SUM]])
func.func @maybe_broadcast(%x: tensor<?x?x8xf32> {graph.dims = ["n", "t", ""]}, %y: tensor<?x?x8xf32> {graph.dims = ["n", "u", ""]}) -> tensor<?x1x8xf32> {
  %0 = "graph.add"(%x, %y) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 0, 0>, sizes = array<i64: -1, 1, 8>, steps = array<i64: 1, 1, 1>, graph.dims = [["n", "", ""]]} : (tensor<?x?x8xf32>) -> tensor<?x1x8xf32>
  return %1 : tensor<?x1x8xf32>
}

// Shapes that are not known; operands that broadcast along the axis, or have fewer dims.
// CHECK-LABEL: func.func @broadcast
// CHECK-NEXT: %[[PART:.*]] = "graph.slice"(%arg0) {sizes = array<i64: -1, 2, -1>, starts = array<i64: 0, 1, 0>
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%[[PART]], %arg1) : (tensor<?x2x?xf32>, tensor<1x?xf32>) -> tensor<?x2x?xf32>
// CHECK-NEXT: %[[OTHER:.*]] = "graph.slice"(%arg2) {sizes = array<i64: 2, 1>, starts = array<i64: 1, 0>
// CHECK-NEXT: %[[SCALED:.*]] = "graph.mul"(%[[SUM]], %[[OTHER]])
// CHECK-NEXT: return %[[SCALED]]
func.func @broadcast(%x: tensor<?x8x?xf32>, %y: tensor<1x?xf32>, %z: tensor<8x1xf32>) -> tensor<?x2x?xf32> {
  %0 = "graph.add"(%x, %y) : (tensor<?x8x?xf32>, tensor<1x?xf32>) -> tensor<?x8x?xf32>
  %1 = "graph.mul"(%0, %z) : (tensor<?x8x?xf32>, tensor<8x1xf32>) -> tensor<?x8x?xf32>
  %2 = "graph.slice"(%1) {sizes = array<i64: -1, 2, -1>, starts = array<i64: 0, 1, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x?xf32>) -> tensor<?x2x?xf32>
  return %2 : tensor<?x2x?xf32>
}

// Columns of a product are columns of its weights.
// CHECK-LABEL: func.func @columns
// CHECK: %[[PART:.*]] = "graph.slice"(%{{.*}}) {sizes = array<i64: 64, 8>, starts = array<i64: 0, 4>, steps = array<i64: 1, 2>} : (tensor<64x64xf32>) -> tensor<64x8xf32>
// CHECK: %[[PRODUCT:.*]] = "graph.matmul"(%arg0, %[[PART]]) : (tensor<?x64xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>
// CHECK: %[[BIAS:.*]] = "graph.slice"(%arg1) {sizes = array<i64: 8>, starts = array<i64: 4>, steps = array<i64: 2>}
// CHECK: "graph.add"(%[[PRODUCT]], %[[BIAS]])
// CHECK-NEXT: return
func.func @columns(%x: tensor<?x64xf32>, %b: tensor<64xf32>) -> tensor<?x8xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16384 : i64, hash = "a"} : () -> tensor<64x64xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = "graph.add"(%0, %b) : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %2 = "graph.slice"(%1) {sizes = array<i64: -1, 8>, starts = array<i64: 0, 4>, steps = array<i64: 1, 2>} : (tensor<?x64xf32>) -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// Output channels of a convolution are its filters; images of a batch are images of the input.
// CHECK-LABEL: func.func @convolution
// CHECK-DAG: %[[FILTERS:.*]] = "graph.slice"(%{{.*}}) {sizes = array<i64: 2, 8, 3, 3>, starts = array<i64: 4, 0, 0, 0>
// CHECK-DAG: %[[IMAGE:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 1, 8, -1, -1>, starts = array<i64: 0, 0, 0, 0>
// CHECK: %[[CONV:.*]] = "graph.conv"(%[[IMAGE]], %[[FILTERS]]) {{.*}} -> tensor<1x2x?x?xf32>
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[CONV]])
// CHECK-NEXT: return %[[RELU]]
func.func @convolution(%x: tensor<?x8x?x?xf32>) -> tensor<1x2x?x?xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 4608 : i64, hash = "a"} : () -> tensor<16x8x3x3xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x8x?x?xf32>, tensor<16x8x3x3xf32>) -> tensor<?x16x?x?xf32>
  %1 = "graph.relu"(%0) : (tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %2 = "graph.slice"(%1) {sizes = array<i64: 1, 2, -1, -1>, starts = array<i64: 0, 4, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x16x?x?xf32>) -> tensor<1x2x?x?xf32>
  return %2 : tensor<1x2x?x?xf32>
}

// Pixels of a convolution: less padding, less input, a larger stride.
// CHECK-LABEL: func.func @places
// CHECK-NEXT: "graph.conv"(%arg0, %arg1) {{.*}} pads = array<i64: 2, 2, 0, 2>, {{.*}} -> tensor<1x4x14x16xf32>
// CHECK-NEXT: %[[INPUT:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 1, 8, 7, 16>, starts = array<i64: 0, 0, 3, 0>
// CHECK-NEXT: "graph.conv"(%[[INPUT]], %arg1) {{.*}} pads = array<i64: 0, 2, 0, 2>, {{.*}} -> tensor<1x4x3x16xf32>
// CHECK-NEXT: %[[EVEN:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 1, 8, 15, 16>, starts = array<i64: 0, 0, 1, 0>
// CHECK-NEXT: "graph.conv"(%[[EVEN]], %arg2) {{.*}} strides = array<i64: 2, 1>} {{.*}} -> tensor<1x4x8x16xf32>
// CHECK-NEXT: return
func.func @places(%x: tensor<1x8x16x16xf32>, %w: tensor<4x8x5x5xf32>, %v: tensor<4x8x1x1xf32>) -> (tensor<1x4x14x16xf32>, tensor<1x4x3x16xf32>, tensor<1x4x8x16xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 1, 1>} : (tensor<1x8x16x16xf32>, tensor<4x8x5x5xf32>) -> tensor<1x4x16x16xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: 1, 4, 14, 16>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x16x16xf32>) -> tensor<1x4x14x16xf32>
  %2 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 1, 1>} : (tensor<1x8x16x16xf32>, tensor<4x8x5x5xf32>) -> tensor<1x4x16x16xf32>
  %3 = "graph.slice"(%2) {sizes = array<i64: 1, 4, 3, 16>, starts = array<i64: 0, 0, 5, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x16x16xf32>) -> tensor<1x4x3x16xf32>
  %4 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x16x16xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x16x16xf32>
  %5 = "graph.slice"(%4) {sizes = array<i64: 1, 4, 8, 16>, starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 2, 1>} : (tensor<1x4x16x16xf32>) -> tensor<1x4x8x16xf32>
  return %1, %3, %5 : tensor<1x4x14x16xf32>, tensor<1x4x3x16xf32>, tensor<1x4x8x16xf32>
}

// Whole groups of channels; pixels and channels of pools, but not where a mean's padding would move.
// CHECK-LABEL: func.func @groups_and_pools
// CHECK-DAG: %[[INPUT:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 1, 4, 16, 16>, starts = array<i64: 0, 2, 0, 0>
// CHECK-DAG: %[[FILTERS:.*]] = "graph.slice"(%{{.*}}) {sizes = array<i64: 6, 2, 1, 1>, starts = array<i64: 3, 0, 0, 0>
// CHECK: "graph.conv"(%[[INPUT]], %[[FILTERS]]) {{.*}} group = 2 : i64
// CHECK: %[[ROWS:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 1, 2, 7, 16>, starts = array<i64: 0, 1, 9, 0>
// CHECK-NEXT: "graph.max_pool"(%[[ROWS]]) {{.*}} pads = array<i64: 0, 1, 0, 1>, {{.*}} -> tensor<1x2x3x8xf32>
// CHECK-NEXT: %[[MEAN:.*]] = "graph.average_pool"(%arg0)
// CHECK-NEXT: "graph.slice"(%[[MEAN]])
// CHECK-NEXT: return
func.func @groups_and_pools(%x: tensor<1x8x16x16xf32>) -> (tensor<1x6x16x16xf32>, tensor<1x2x3x8xf32>, tensor<1x8x3x8xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 96 : i64, hash = "a"} : () -> tensor<12x2x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 4 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x8x16x16xf32>, tensor<12x2x1x1xf32>) -> tensor<1x12x16x16xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: 1, 6, 16, 16>, starts = array<i64: 0, 3, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x12x16x16xf32>) -> tensor<1x6x16x16xf32>
  %2 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x8x16x16xf32>) -> tensor<1x8x8x8xf32>
  %3 = "graph.slice"(%2) {sizes = array<i64: 1, 2, 3, 8>, starts = array<i64: 0, 1, 5, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x8x8x8xf32>) -> tensor<1x2x3x8xf32>
  %4 = "graph.average_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x8x16x16xf32>) -> tensor<1x8x8x8xf32>
  %5 = "graph.slice"(%4) {sizes = array<i64: 1, 8, 3, 8>, starts = array<i64: 0, 0, 5, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x8x8x8xf32>) -> tensor<1x8x3x8xf32>
  return %1, %3, %5 : tensor<1x6x16x16xf32>, tensor<1x2x3x8xf32>, tensor<1x8x3x8xf32>
}

// Queries of attention, through the heads' transpose and reshape.
// CHECK-LABEL: func.func @attention
// CHECK-NEXT: %[[ROW:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 2, 4, 1, 64>, starts = array<i64: 0, 0, 15, 0>
// CHECK-NEXT: %[[ATTENTION:.*]] = "graph.attention"(%[[ROW]], %arg1, %arg2) {{.*}} -> tensor<2x4x1x64xf32>
// CHECK-NEXT: %[[HEADS:.*]] = "graph.transpose"(%[[ATTENTION]])
// CHECK-NEXT: %[[JOINED:.*]] = "graph.reshape"(%[[HEADS]]) {shape = array<i64: 2, 1, 256>}
// CHECK-NEXT: return %[[JOINED]]
func.func @attention(%q: tensor<2x4x16x64xf32>, %k: tensor<2x4x16x64xf32>, %v: tensor<2x4x16x64xf32>) -> tensor<2x1x256xf32> {
  %0 = "graph.attention"(%q, %k, %v) {causal = true, safe = false, scale = 1.250000e-01 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>) -> tensor<2x4x16x64xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x4x16x64xf32>) -> tensor<2x16x4x64xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: 2, 16, 256>} : (tensor<2x16x4x64xf32>) -> tensor<2x16x256xf32>
  %3 = "graph.slice"(%2) {sizes = array<i64: 2, 1, 256>, starts = array<i64: 0, 15, 0>, steps = array<i64: 1, 1, 1>} : (tensor<2x16x256xf32>) -> tensor<2x1x256xf32>
  return %3 : tensor<2x1x256xf32>
}

// Causal attention counts keys from the last query: other rows stay.
// CHECK-LABEL: func.func @causal
// CHECK-NEXT: %[[ALL:.*]] = "graph.attention"(%arg0, %arg1, %arg2)
// CHECK-NEXT: "graph.slice"(%[[ALL]])
// CHECK-NEXT: return
func.func @causal(%q: tensor<2x4x16x64xf32>, %k: tensor<2x4x16x64xf32>, %v: tensor<2x4x16x64xf32>) -> tensor<2x4x1x64xf32> {
  %0 = "graph.attention"(%q, %k, %v) {causal = true, safe = false, scale = 1.250000e-01 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>) -> tensor<2x4x16x64xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: 2, 4, 1, 64>, starts = array<i64: 0, 0, 14, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<2x4x16x64xf32>) -> tensor<2x4x1x64xf32>
  return %1 : tensor<2x4x1x64xf32>
}

// Reductions, softmax, pools, expansions, padding, look-ups and casts of fewer elements.
// CHECK-LABEL: func.func @others
// CHECK: %[[IDS:.*]] = "graph.slice"(%arg1) {sizes = array<i64: 1, 2>, starts = array<i64: 0, 5>, steps = array<i64: 1, 1>} : (tensor<1x8xi64>) -> tensor<1x2xi64>
// CHECK-NEXT: %[[ROWS:.*]] = "graph.gather"(%arg0, %[[IDS]]) {axis = 0 : i64} : (tensor<100x6xf32>, tensor<1x2xi64>) -> tensor<1x2x6xf32>
// CHECK-NEXT: %[[PAD:.*]] = "graph.pad"(%[[ROWS]]) {{.*}} -> tensor<1x2x8xf32>
// CHECK-NEXT: %[[LARGE:.*]] = "graph.expand"(%[[PAD]]) {shape = array<i64: 5, 2, 8>}
// CHECK-NEXT: %[[SOFTMAX:.*]] = "graph.softmax"(%[[LARGE]]) {axis = 2 : i64}
// CHECK-NEXT: %[[SUM:.*]] = "graph.reduce_sum"(%[[SOFTMAX]]) {axes = array<i64: 0>, keepdims = false} : (tensor<5x2x8xf32>) -> tensor<2x8xf32>
// CHECK-NEXT: "graph.cast"(%[[SUM]]) {{.*}} : (tensor<2x8xf32>) -> tensor<2x8xf16>
// CHECK-NEXT: return
func.func @others(%table: tensor<100x6xf32>, %ids: tensor<1x8xi64>) -> tensor<2x8xf16> {
  %0 = "graph.gather"(%table, %ids) {axis = 0 : i64} : (tensor<100x6xf32>, tensor<1x8xi64>) -> tensor<1x8x6xf32>
  %1 = "graph.pad"(%0) {high = array<i64: 0, 0, 1>, low = array<i64: 0, 0, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<1x8x6xf32>) -> tensor<1x8x8xf32>
  %2 = "graph.expand"(%1) {shape = array<i64: 5, 8, 8>} : (tensor<1x8x8xf32>) -> tensor<5x8x8xf32>
  %3 = "graph.softmax"(%2) {axis = 2 : i64} : (tensor<5x8x8xf32>) -> tensor<5x8x8xf32>
  %4 = "graph.reduce_sum"(%3) {axes = array<i64: 0>, keepdims = false} : (tensor<5x8x8xf32>) -> tensor<8x8xf32>
  %5 = "graph.cast"(%4) {saturate = true} : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %6 = "graph.slice"(%5) {sizes = array<i64: 2, 8>, starts = array<i64: 5, 0>, steps = array<i64: 1, 1>} : (tensor<8x8xf16>) -> tensor<2x8xf16>
  return %6 : tensor<2x8xf16>
}

// Everything is read by something else; normalised rows; reversed pixels of a convolution, whose activation would lose its
// kernel; weights with another user; dims that a reshape merges.
// CHECK-LABEL: func.func @kept
// CHECK: %[[A:.*]] = "graph.exp"(%arg0)
// CHECK: "graph.slice"(%[[A]])
// CHECK: %[[B:.*]] = "graph.softmax"(%arg0)
// CHECK: "graph.slice"(%[[B]])
// CHECK: %[[C:.*]] = "graph.conv"(%arg1, %arg2)
// CHECK: %[[D:.*]] = "graph.relu"(%[[C]])
// CHECK: "graph.slice"(%[[D]])
// CHECK: %[[E:.*]] = "graph.matmul"(%arg0
// CHECK: "graph.slice"(%[[E]])
// CHECK: %[[F:.*]] = "graph.reshape"(%arg0)
// CHECK: "graph.slice"(%[[F]])
// CHECK: return
func.func @kept(%x: tensor<8x8xf32>, %i: tensor<1x8x9x9xf32>, %v: tensor<8x8x1x1xf32>)
    -> (tensor<2x8xf32>, tensor<8x8xf32>, tensor<8x2xf32>, tensor<1x8x2x9xf32>, tensor<8x2xf32>, tensor<2xf32>, tensor<8x8xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 256 : i64, hash = "a"} : () -> tensor<8x8xf32>
  %0 = "graph.exp"(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: 2, 8>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<8x8xf32>) -> tensor<2x8xf32>
  %2 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = "graph.slice"(%2) {sizes = array<i64: 8, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<8x8xf32>) -> tensor<8x2xf32>
  %4 = "graph.conv"(%i, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x9x9xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x9x9xf32>
  %5 = "graph.relu"(%4) : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32>
  %6 = "graph.slice"(%5) {sizes = array<i64: 1, 8, 2, 9>, starts = array<i64: 0, 0, 5, 0>, steps = array<i64: 1, 1, -1, 1>} : (tensor<1x8x9x9xf32>) -> tensor<1x8x2x9xf32>
  %7 = "graph.matmul"(%x, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = "graph.slice"(%7) {sizes = array<i64: 8, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<8x8xf32>) -> tensor<8x2xf32>
  %9 = "graph.reshape"(%x) {shape = array<i64: 64>} : (tensor<8x8xf32>) -> tensor<64xf32>
  %10 = "graph.slice"(%9) {sizes = array<i64: 2>, starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<64xf32>) -> tensor<2xf32>
  return %1, %0, %3, %6, %8, %10, %w : tensor<2x8xf32>, tensor<8x8xf32>, tensor<8x2xf32>, tensor<1x8x2x9xf32>, tensor<8x2xf32>, tensor<2xf32>, tensor<8x8xf32>
}

// Fewer elements are looked up than there are; as many; a table that is constant.
// CHECK-LABEL: func.func @looked_up
// CHECK-NEXT: %[[TWO:.*]] = "graph.constant"
// CHECK-NEXT: %[[FEW:.*]] = "graph.gather"(%arg0, %arg1) {axis = 1 : i64} : (tensor<?x8xf32>, tensor<2x3xi64>) -> tensor<?x2x3xf32>
// CHECK-NEXT: %[[SCALED:.*]] = "graph.mul"(%[[FEW]], %[[TWO]])
// CHECK-NEXT: %[[EXP:.*]] = "graph.exp"(%arg0)
// CHECK-NEXT: %[[MANY:.*]] = "graph.gather"(%[[EXP]], %arg2)
// CHECK: %[[TABLE:.*]] = "graph.tanh"
// CHECK-NEXT: %[[LAST:.*]] = "graph.gather"(%[[TABLE]], %arg1)
// CHECK-NEXT: return %[[SCALED]], %[[MANY]], %[[LAST]]
func.func @looked_up(%x: tensor<?x8xf32>, %few: tensor<2x3xi64>, %many: tensor<9xi64>) -> (tensor<?x2x3xf32>, tensor<?x9xf32>, tensor<2x3x8xf32>) {
  %n = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%x, %n) : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %1 = "graph.gather"(%0, %few) {axis = 1 : i64} : (tensor<?x8xf32>, tensor<2x3xi64>) -> tensor<?x2x3xf32>
  %2 = "graph.exp"(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = "graph.gather"(%2, %many) {axis = 1 : i64} : (tensor<?x8xf32>, tensor<9xi64>) -> tensor<?x9xf32>
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 3200 : i64, hash = "a"} : () -> tensor<100x8xf32>
  %4 = "graph.tanh"(%w) : (tensor<100x8xf32>) -> tensor<100x8xf32>
  %5 = "graph.gather"(%4, %few) {axis = 0 : i64} : (tensor<100x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  return %1, %3, %5 : tensor<?x2x3xf32>, tensor<?x9xf32>, tensor<2x3x8xf32>
}

// Pooling before the activation: fewer elements, the same largest ones. Where a window could be in the padding alone, it would
// be minus infinity before and 0 after relu.
// CHECK-LABEL: func.func @pooled
// CHECK-NEXT: %[[POOL:.*]] = "graph.max_pool"(%arg0)
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[POOL]]) : (tensor<?x8x4x4xf32>)
// CHECK-NEXT: %[[SMALL:.*]] = "graph.max_pool"(%arg0)
// CHECK-NEXT: %[[CLAMP:.*]] = "graph.clamp"(%[[SMALL]]) {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64}
// CHECK-NEXT: %[[ALL:.*]] = "graph.relu"(%arg0)
// CHECK-NEXT: %[[LAST:.*]] = "graph.max_pool"(%[[ALL]]) {{.*}} pads = array<i64: 2, 0, 0, 0>
// CHECK-NEXT: return %[[RELU]], %[[CLAMP]], %[[LAST]]
// EXACT-LABEL: func.func @pooled
// EXACT-NEXT: graph.relu
// EXACT: return
func.func @pooled(%x: tensor<?x8x8x8xf32>) -> (tensor<?x8x4x4xf32>, tensor<?x8x4x4xf32>, tensor<?x8x5x4xf32>) {
  %0 = "graph.relu"(%x) : (tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %1 = "graph.max_pool"(%0) {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x8x8x8xf32>) -> tensor<?x8x4x4xf32>
  %2 = "graph.clamp"(%x) {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64} : (tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %3 = "graph.max_pool"(%2) {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 1, 1, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x8x8x8xf32>) -> tensor<?x8x4x4xf32>
  %4 = "graph.relu"(%x) : (tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %5 = "graph.max_pool"(%4) {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 2, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x8x8x8xf32>) -> tensor<?x8x5x4xf32>
  return %1, %3, %5 : tensor<?x8x4x4xf32>, tensor<?x8x4x4xf32>, tensor<?x8x5x4xf32>
}

// Elements become small before they move, large after it; what makes them takes the cast.
// CHECK-LABEL: func.func @casts
// CHECK-NEXT: %[[EXP:.*]] = "graph.exp"(%arg0)
// CHECK-NEXT: %[[HALF:.*]] = "graph.cast"(%[[EXP]]) {{.*}} : (tensor<4x8x16xf32>) -> tensor<4x8x16xf16>
// CHECK-NEXT: %[[MOVED:.*]] = "graph.transpose"(%[[HALF]]) {{.*}} -> tensor<8x4x16xf16>
// CHECK-NEXT: %[[TANH:.*]] = "graph.tanh"(%arg1)
// CHECK-NEXT: %[[SMALL:.*]] = "graph.transpose"(%[[TANH]]) {{.*}} -> tensor<8x4x16xf16>
// CHECK-NEXT: %[[FULL:.*]] = "graph.cast"(%[[SMALL]]) {{.*}} -> tensor<8x4x16xf32>
// CHECK-NEXT: return %[[MOVED]], %[[FULL]]
func.func @casts(%x: tensor<4x8x16xf32>, %h: tensor<4x8x16xf16>) -> (tensor<8x4x16xf16>, tensor<8x4x16xf32>) {
  %0 = "graph.exp"(%x) : (tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 1, 0, 2>} : (tensor<4x8x16xf32>) -> tensor<8x4x16xf32>
  %2 = "graph.cast"(%1) {saturate = true} : (tensor<8x4x16xf32>) -> tensor<8x4x16xf16>
  %3 = "graph.tanh"(%h) : (tensor<4x8x16xf16>) -> tensor<4x8x16xf16>
  %4 = "graph.cast"(%3) {saturate = true} : (tensor<4x8x16xf16>) -> tensor<4x8x16xf32>
  %5 = "graph.transpose"(%4) {permutation = array<i64: 1, 0, 2>} : (tensor<4x8x16xf32>) -> tensor<8x4x16xf32>
  return %2, %5 : tensor<8x4x16xf16>, tensor<8x4x16xf32>
}

// A cast would need a separate kernel; a cast to more bytes; the transposed value is read as it is, too.
// CHECK-LABEL: func.func @casts_kept
// CHECK-NEXT: %[[FIRST:.*]] = "graph.transpose"(%arg0)
// CHECK-NEXT: "graph.cast"(%[[FIRST]])
// CHECK-NEXT: %[[EXP:.*]] = "graph.exp"(%arg0)
// CHECK-NEXT: %[[SECOND:.*]] = "graph.transpose"(%[[EXP]])
// CHECK-NEXT: "graph.cast"(%[[SECOND]])
// CHECK-NEXT: return
func.func @casts_kept(%x: tensor<4x8x16xf32>) -> (tensor<8x4x16xf16>, tensor<8x4x16xf64>, tensor<8x4x16xf32>) {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<4x8x16xf32>) -> tensor<8x4x16xf32>
  %1 = "graph.cast"(%0) {saturate = true} : (tensor<8x4x16xf32>) -> tensor<8x4x16xf16>
  %2 = "graph.exp"(%x) : (tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %3 = "graph.transpose"(%2) {permutation = array<i64: 1, 0, 2>} : (tensor<4x8x16xf32>) -> tensor<8x4x16xf32>
  %4 = "graph.cast"(%3) {saturate = true} : (tensor<8x4x16xf32>) -> tensor<8x4x16xf64>
  return %1, %4, %3 : tensor<8x4x16xf16>, tensor<8x4x16xf64>, tensor<8x4x16xf32>
}

// Values of unknown rank stay.
// CHECK-LABEL: func.func @unranked
// CHECK-COUNT-2: "graph.transpose"
// CHECK: "graph.pad"
// CHECK: "graph.slice"
// CHECK: "graph.concat"
// CHECK: return
func.func @unranked(%x: tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  %1 = "graph.relu"(%0) : (tensor<*xf32>) -> tensor<*xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  %3 = "graph.pad"(%x) {high = array<i64: 0, 3>, low = array<i64: 1, 1>, mode = "constant", value = 5.000000e-01 : f64} : (tensor<*xf32>) -> tensor<4x8xf32>
  %4 = "graph.slice"(%3) {sizes = array<i64: 2, -1>, starts = array<i64: 1, 1>, steps = array<i64: 1, 1>} : (tensor<4x8xf32>) -> tensor<2x7xf32>
  %5 = "graph.concat"(%4, %x) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x7xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %2, %5 : tensor<*xf32>, tensor<*xf32>
}

// Checks read all indices and divisors, of which look-ups and quotients need a part.
// CHECK-LABEL: func.func @checked
func.func @checked(%x: tensor<9x8xi64>, %i: tensor<4xi64>, %d: tensor<9x8xi64>) -> (tensor<1x8xi64>, tensor<4x2xi64>, tensor<2x8xi64>) {
  // CHECK: "graph.expect_indices"(%arg1,
  // CHECK-NEXT: %[[FIRST:.*]] = "graph.slice"(%arg1)
  // CHECK-NEXT: "graph.gather"(%arg0, %[[FIRST]])
  %nine = "graph.constant"() {value = dense<9> : tensor<1xi64>} : () -> tensor<1xi64>
  "graph.expect_indices"(%i, %nine) {axis = 0 : i64, front_only = false, what = "Gather"} : (tensor<4xi64>, tensor<1xi64>) -> ()
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<9x8xi64>, tensor<4xi64>) -> tensor<4x8xi64>
  %1 = "graph.slice"(%0) {sizes = array<i64: 1, 8>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x8xi64>) -> tensor<1x8xi64>
  // CHECK-NEXT: %[[COLUMNS:.*]] = "graph.slice"(%arg0)
  // CHECK-NEXT: "graph.gather"(%[[COLUMNS]], %arg1)
  %2 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<9x8xi64>, tensor<4xi64>) -> tensor<4x8xi64>
  %3 = "graph.slice"(%2) {sizes = array<i64: 4, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x8xi64>) -> tensor<4x2xi64>
  // CHECK-NEXT: "graph.expect_nonzero"(%arg2)
  // CHECK-NEXT: "graph.slice"(%arg0)
  // CHECK-NEXT: "graph.slice"(%arg2)
  // CHECK-NEXT: "graph.div"
  "graph.expect_nonzero"(%d) {what = "Div"} : (tensor<9x8xi64>) -> ()
  %4 = "graph.div"(%x, %d) : (tensor<9x8xi64>, tensor<9x8xi64>) -> tensor<9x8xi64>
  %5 = "graph.slice"(%4) {sizes = array<i64: 2, 8>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<9x8xi64>) -> tensor<2x8xi64>
  return %1, %3, %5 : tensor<1x8xi64>, tensor<4x2xi64>, tensor<2x8xi64>
}
