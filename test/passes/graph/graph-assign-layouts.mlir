// RUN: mlc-opt %s --split-input-file --graph-assign-layouts --canonicalize --cse | filecheck %s

// Between two convolutions nothing is repacked; three input channels are read one by one; the bias is a view.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[X:.*]] = "graph.reshape"(%arg0) {{.*}} -> tensor<1x3x8x8x1xf32>
// CHECK-DAG: %[[W:.*]] = "graph.pack"({{.*}}) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 1, 16>{{.*}} -> tensor<1x3x3x3x1x16xf32>
// CHECK: %[[CONV:.*]] = "graph.conv"(%[[X]], %[[W]]) {{.*}}layout = "NCHWc"{{.*}} -> tensor<1x1x6x6x16xf32>
// CHECK: %[[B:.*]] = "graph.reshape"({{.*}}) {{.*}} : (tensor<16x1x1xf32>) -> tensor<1x1x1x1x16xf32>
// CHECK: %[[ADD:.*]] = "graph.add"(%[[CONV]], %[[B]])
// CHECK: %[[RELU:.*]] = "graph.relu"(%[[ADD]])
// CHECK: %[[V:.*]] = "graph.pack"({{.*}}) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 16, 16>
// CHECK: %[[SECOND:.*]] = "graph.conv"(%[[RELU]], %[[V]])
// CHECK: %[[SUM:.*]] = "graph.add"(%[[SECOND]], %[[RELU]])
// CHECK: %[[R:.*]] = "graph.unpack"(%[[SUM]]) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 16>
// CHECK: return %[[R]]
func.func @main(%x: tensor<1x3x8x8xf32>) -> tensor<1x16x6x6xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 1728, hash = "0"} : () -> tensor<16x3x3x3xf32>
  %w2 = "graph.weight"() {source = "w", offset = 4000, size = 1024, hash = "0"} : () -> tensor<16x16x1x1xf32>
  %b = "graph.weight"() {source = "w", offset = 2000, size = 64, hash = "1"} : () -> tensor<16x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x6x6xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x16x6x6xf32>, tensor<16x1x1xf32>) -> tensor<1x16x6x6xf32>
  %2 = "graph.relu"(%1) : (tensor<1x16x6x6xf32>) -> tensor<1x16x6x6xf32>
  %3 = "graph.conv"(%2, %w2) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x6x6xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x6x6xf32>
  %4 = "graph.add"(%3, %2) : (tensor<1x16x6x6xf32>, tensor<1x16x6x6xf32>) -> tensor<1x16x6x6xf32>
  return %4 : tensor<1x16x6x6xf32>
}

// -----

// Padding, depthwise convolution, pooling and the mean keep the blocks; without spatial extent unpacking is a view.
// CHECK-LABEL: func.func @depthwise
// CHECK: "graph.conv"({{.*}} -> tensor<1x1x8x8x32xf32>
// CHECK: %[[PAD:.*]] = "graph.pad"({{.*}}) {high = array<i64: 0, 0, 1, 1, 0>, low = array<i64: 0, 0, 1, 1, 0>
// CHECK: %[[FLAT:.*]] = "graph.reshape"(%arg1) {{.*}} -> tensor<32x3x3xf32>
// CHECK: %[[W:.*]] = "graph.pack"(%[[FLAT]]) {inner_dims = array<i64: 0>, inner_tiles = array<i64: 32>{{.*}} -> tensor<1x3x3x32xf32>
// CHECK: "graph.conv"(%[[PAD]], %[[W]]) {{.*}}group = 32
// CHECK: "graph.max_pool"({{.*}}layout = "NCHWc"
// CHECK: %[[MEAN:.*]] = "graph.reduce_mean"({{.*}} -> tensor<1x1x1x1x32xf32>
// CHECK: %[[R:.*]] = "graph.reshape"(%[[MEAN]])
// CHECK: return %[[R]]
func.func @depthwise(%x: tensor<1x32x8x8xf32>, %w: tensor<32x1x3x3xf32>, %v: tensor<32x32x1x1xf32>) -> tensor<1x32x1x1xf32> {
  %0 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %p = "graph.pad"(%0) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0} : (tensor<1x32x8x8xf32>) -> tensor<1x32x10x10xf32>
  %1 = "graph.conv"(%p, %w) {dilations = array<i64: 1, 1>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x10x10xf32>, tensor<32x1x3x3xf32>) -> tensor<1x32x8x8xf32>
  %2 = "graph.max_pool"(%1) {ceil_mode = false, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x32x8x8xf32>) -> tensor<1x32x4x4xf32>
  %3 = "graph.reduce_mean"(%2) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x32x4x4xf32>) -> tensor<1x32x1x1xf32>
  return %3 : tensor<1x32x1x1xf32>
}

// -----

// What is concatenated has one block, which divides all the channel counts: 8 for 24 and 16.
// CHECK-LABEL: func.func @concat
// CHECK: "graph.conv"({{.*}} -> tensor<1x3x4x4x8xf32>
// CHECK: "graph.conv"({{.*}} -> tensor<1x2x4x4x8xf32>
// CHECK: "graph.concat"({{.*}}axis = 1{{.*}} -> tensor<1x5x4x4x8xf32>
func.func @concat(%x: tensor<1x16x4x4xf32>, %w: tensor<24x16x1x1xf32>, %v: tensor<16x16x1x1xf32>) -> tensor<1x40x4x4xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x4x4xf32>, tensor<24x16x1x1xf32>) -> tensor<1x24x4x4xf32>
  %1 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  %2 = "graph.concat"(%0, %1) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x24x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x40x4x4xf32>
  return %2 : tensor<1x40x4x4xf32>
}

// -----

// Six channels have no useful block; one-dimensional convolutions stay.
// CHECK-LABEL: func.func @not_blocked
// CHECK-NEXT: "graph.conv"(%arg0, %arg1) {{.*}}layout = "NCHW",
// CHECK-NEXT: "graph.conv"(%arg2, %arg3) {{.*}}layout = "NCHW",
// CHECK-NEXT: return
func.func @not_blocked(%x: tensor<1x3x8x8xf32>, %w: tensor<6x3x3x3xf32>, %y: tensor<1x8x8xf32>, %v: tensor<32x8x3xf32>) -> (tensor<1x6x6x6xf32>, tensor<1x32x6xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<1x6x6x6xf32>
  %1 = "graph.conv"(%y, %v) {dilations = array<i64: 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x8x8xf32>, tensor<32x8x3xf32>) -> tensor<1x32x6xf32>
  return %0, %1 : tensor<1x6x6x6xf32>, tensor<1x32x6xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: "graph.conv"(%arg0, %arg1) {{.*}}layout = "NCHW",
// CHECK-NEXT: return
func.func @dynamic(%x: tensor<?x16x8x8xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<?x32x6x6xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<?x32x6x6xf32>
  return %0 : tensor<?x32x6x6xf32>
}

// -----

// Four channels per group: the input is read one by one, the output is blocked within its group.
// CHECK-LABEL: func.func @small_group
// CHECK: "graph.reshape"(%arg0) {{.*}} -> tensor<1x16x4x4x1xf32>
// CHECK: "graph.conv"({{.*}}group = 4{{.*}} -> tensor<1x4x4x4x8xf32>
func.func @small_group(%x: tensor<1x16x4x4xf32>, %w: tensor<32x4x1x1xf32>) -> tensor<1x32x4x4xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 4, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x4x4xf32>, tensor<32x4x1x1xf32>) -> tensor<1x32x4x4xf32>
  return %0 : tensor<1x32x4x4xf32>
}

// -----

// Readers of one input in different groups get it in different blocks.
// CHECK-LABEL: func.func @two_blocks_of_one_input
// CHECK: %[[X32:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 32>
// CHECK: "graph.conv"(%[[X32]],
// CHECK: %[[X8:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>
// CHECK: "graph.conv"(%[[X8]], {{.*}}group = 4
func.func @two_blocks_of_one_input(%x: tensor<1x32x4x4xf32>, %w: tensor<32x32x1x1xf32>, %v: tensor<32x8x1x1xf32>) -> (tensor<1x32x4x4xf32>, tensor<1x32x4x4xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x4x4xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %1 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 4, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x4x4xf32>, tensor<32x8x1x1xf32>) -> tensor<1x32x4x4xf32>
  return %0, %1 : tensor<1x32x4x4xf32>, tensor<1x32x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @residual_of_input
// CHECK: %[[X32:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 32>
// CHECK: %[[CONV:.*]] = "graph.conv"(%[[X32]], {{.*}} -> tensor<1x4x4x4x8xf32>
// CHECK: %[[X8:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>
// CHECK: "graph.add"(%[[CONV]], %[[X8]])
func.func @residual_of_input(%x: tensor<1x32x4x4xf32>, %w: tensor<32x32x1x1xf32>, %v: tensor<8x32x1x1xf32>) -> tensor<1x40x4x4xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x4x4xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %1 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x4x4xf32>, tensor<8x32x1x1xf32>) -> tensor<1x8x4x4xf32>
  %2 = "graph.add"(%0, %x) : (tensor<1x32x4x4xf32>, tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  %3 = "graph.concat"(%2, %1) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x32x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x40x4x4xf32>
  return %3 : tensor<1x40x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @depthwise_of_input
// CHECK: %[[X8:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>
// CHECK: "graph.conv"(%[[X8]], {{.*}}group = 32
func.func @depthwise_of_input(%x: tensor<1x32x4x4xf32>, %w: tensor<8x32x1x1xf32>, %v: tensor<32x1x1x1xf32>) -> tensor<1x40x4x4xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x4x4xf32>, tensor<8x32x1x1xf32>) -> tensor<1x8x4x4xf32>
  %2 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x4x4xf32>, tensor<32x1x1x1xf32>) -> tensor<1x32x4x4xf32>
  %3 = "graph.concat"(%2, %0) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x32x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x40x4x4xf32>
  return %3 : tensor<1x40x4x4xf32>
}

// -----

// Operands that broadcast along the channels, or along everything else, only change their shape.
// CHECK-LABEL: func.func @squeeze_and_excite
// CHECK: %[[CONV:.*]] = "graph.conv"({{.*}} -> tensor<1x1x4x4x32xf32>
// CHECK: %[[GATE:.*]] = "graph.conv"({{.*}} -> tensor<1x1x1x1x32xf32>
// CHECK: %[[GATED:.*]] = "graph.mul"(%[[CONV]], %[[GATE]])
// CHECK: %[[MASK:.*]] = "graph.reshape"(%arg2) {{.*}} -> tensor<1x1x4x4x1xf32>
// CHECK: %[[MASKED:.*]] = "graph.mul"(%[[GATED]], %[[MASK]])
// CHECK: %[[SCALED:.*]] = "graph.mul"(%[[MASKED]], %arg3)
// CHECK: %[[ROW:.*]] = "graph.reshape"(%arg4) {{.*}} -> tensor<1x1x1x4x1xf32>
// CHECK: "graph.mul"(%[[SCALED]], %[[ROW]])
func.func @squeeze_and_excite(%x: tensor<1x32x4x4xf32>, %w: tensor<32x32x1x1xf32>, %m: tensor<1x1x4x4xf32>, %s: tensor<f32>, %row: tensor<4xf32>) -> tensor<1x32x4x4xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x4x4xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %1 = "graph.reduce_mean"(%0) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x32x4x4xf32>) -> tensor<1x32x1x1xf32>
  %2 = "graph.conv"(%1, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x1x1xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x1x1xf32>
  %3 = "graph.mul"(%0, %2) : (tensor<1x32x4x4xf32>, tensor<1x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %4 = "graph.mul"(%3, %m) : (tensor<1x32x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x32x4x4xf32>
  %5 = "graph.mul"(%4, %s) : (tensor<1x32x4x4xf32>, tensor<f32>) -> tensor<1x32x4x4xf32>
  %6 = "graph.mul"(%5, %row) : (tensor<1x32x4x4xf32>, tensor<4xf32>) -> tensor<1x32x4x4xf32>
  return %6 : tensor<1x32x4x4xf32>
}

// -----

// An operand of lower rank gets the leading dims before its channels are blocked.
// CHECK-LABEL: func.func @low_rank
// CHECK: %[[PLAIN:.*]] = "graph.reshape"(%arg2) {shape = array<i64: 1, 32, 4, 4>}
// CHECK: %[[BLOCKED:.*]] = "graph.pack"(%[[PLAIN]]) {{.*}} -> tensor<1x1x4x4x32xf32>
// CHECK: "graph.add"({{.*}}, %[[BLOCKED]])
func.func @low_rank(%x: tensor<1x32x4x4xf32>, %w: tensor<32x32x1x1xf32>, %b: tensor<32x4x4xf32>) -> tensor<1x32x4x4xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x4x4xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x32x4x4xf32>, tensor<32x4x4xf32>) -> tensor<1x32x4x4xf32>
  return %1 : tensor<1x32x4x4xf32>
}
