// RUN: mlc-opt %s --split-input-file --graph-assign-layouts=costs=always-blocked --canonicalize --cse | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-assign-layouts=costs=always-blocked --graph-assign-layouts=costs=always-blocked --canonicalize --cse | filecheck %s

// How ops are blocked, where costs do not matter.

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
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x6x6xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x16x6x6xf32>, tensor<16x1x1xf32>) -> tensor<1x16x6x6xf32>
  %2 = "graph.relu"(%1) : (tensor<1x16x6x6xf32>) -> tensor<1x16x6x6xf32>
  %3 = "graph.conv"(%2, %w2) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x16x6x6xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x6x6xf32>
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
  %0 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %p = "graph.pad"(%0) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0} : (tensor<1x32x8x8xf32>) -> tensor<1x32x10x10xf32>
  %1 = "graph.conv"(%p, %w) {dilations = array<i64: 1, 1>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x10x10xf32>, tensor<32x1x3x3xf32>) -> tensor<1x32x8x8xf32>
  %2 = "graph.max_pool"(%1) {ceil_mode = false, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 2, 2>} : (tensor<1x32x8x8xf32>) -> tensor<1x32x4x4xf32>
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
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x16x4x4xf32>, tensor<24x16x1x1xf32>) -> tensor<1x24x4x4xf32>
  %1 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
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
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x3x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<1x6x6x6xf32>
  %1 = "graph.conv"(%y, %v) {dilations = array<i64: 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x8x8xf32>, tensor<32x8x3xf32>) -> tensor<1x32x6xf32>
  return %0, %1 : tensor<1x6x6x6xf32>, tensor<1x32x6xf32>
}

// -----

// Only channels need be known: the blocked image has as many images, rows and columns as the plain one. A gather of
// pixels takes indices of which there may be any number.
// CHECK-LABEL: func.func @any_batch
// CHECK: %[[X:.*]] = "graph.pack"(%arg0) {{{.*}}graph.dims = [["n", "", "", "", ""]]{{.*}}} : (tensor<?x16x8x8xf32>) -> tensor<?x1x8x8x16xf32>
// CHECK: %[[CONV:.*]] = "graph.conv"(%[[X]], %{{.*}}) {{{.*}}graph.dims = [["n", "", "", "", ""]]{{.*}}layout = "NCHWc"
// CHECK: %[[SCALE:.*]] = "graph.reshape"(%arg2) {{{.*}}shape = array<i64: -1, 1, 1, 1, 32>} : (tensor<?x32x1x1xf32>) -> tensor<?x1x1x1x32xf32>
// CHECK: %[[SCALED:.*]] = "graph.mul"(%[[CONV]], %[[SCALE]]) {{.*}} -> tensor<?x1x6x6x32xf32>
// CHECK: "graph.unpack"(%[[SCALED]]) {{.*}} -> tensor<?x32x6x6xf32>
// CHECK-LABEL: func.func @any_size
// CHECK: %[[X:.*]] = "graph.pack"(%arg0) {{.*}} : (tensor<1x16x?x?xf32>) -> tensor<1x1x?x?x16xf32>
// CHECK: %[[CONV:.*]] = "graph.conv"(%[[X]], %{{.*}}) {{{.*}}graph.dims = [["", "", "h - 2", "w - 2", ""]]{{.*}}layout = "NCHWc"
// CHECK: %[[ROWS:.*]] = "graph.gather"(%[[CONV]], %arg2) {axis = 2 : i64, graph.dims = [["", "", "r", "w - 2", ""]]}
// CHECK: "graph.conv"(%[[ROWS]], %{{.*}}) {{{.*}}graph.dims = [["", "", "r - 2", "w - 4", ""]]{{.*}}layout = "NCHWc"
func.func @any_batch(%x: tensor<?x16x8x8xf32> {graph.dims = ["n", "", "", ""]}, %w: tensor<32x16x3x3xf32>, %s: tensor<?x32x1x1xf32> {graph.dims = ["n", "", "", ""]}) -> tensor<?x32x6x6xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, graph.dims = [["n", "", "", ""]], group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 1, 1>} : (tensor<?x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<?x32x6x6xf32>
  %1 = "graph.mul"(%0, %s) {graph.dims = [["n", "", "", ""]]} : (tensor<?x32x6x6xf32>, tensor<?x32x1x1xf32>) -> tensor<?x32x6x6xf32>
  return %1 : tensor<?x32x6x6xf32>
}
func.func @any_size(%x: tensor<1x16x?x?xf32> {graph.dims = ["", "", "h", "w"]}, %w: tensor<32x16x3x3xf32>, %i: tensor<?xi64> {graph.dims = ["r"]}, %v: tensor<32x32x3x3xf32>) -> tensor<1x32x?x?xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, graph.dims = [["", "", "h - 2", "w - 2"]], group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 1, 1>} : (tensor<1x16x?x?xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x?x?xf32>
  %1 = "graph.gather"(%0, %i) {axis = 2, graph.dims = [["", "", "r", "w - 2"]]} : (tensor<1x32x?x?xf32>, tensor<?xi64>) -> tensor<1x32x?x?xf32>
  %2 = "graph.conv"(%1, %v) {dilations = array<i64: 1, 1>, graph.dims = [["", "", "r - 2", "w - 4"]], group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>,
      strides = array<i64: 1, 1>} : (tensor<1x32x?x?xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x?x?xf32>
  return %2 : tensor<1x32x?x?xf32>
}

// -----

// Four channels per group: the input is read one by one, the output is blocked within its group.
// CHECK-LABEL: func.func @small_group
// CHECK: "graph.reshape"(%arg0) {{.*}} -> tensor<1x16x8x8x1xf32>
// CHECK: "graph.conv"({{.*}}group = 4{{.*}} -> tensor<1x4x6x6x8xf32>
func.func @small_group(%x: tensor<1x16x8x8xf32>, %w: tensor<32x4x3x3xf32>) -> tensor<1x32x6x6xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 4, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x16x8x8xf32>, tensor<32x4x3x3xf32>) -> tensor<1x32x6x6xf32>
  return %0 : tensor<1x32x6x6xf32>
}

// -----

// Readers of one input in different groups get it in different blocks.
// CHECK-LABEL: func.func @two_blocks_of_one_input
// CHECK: %[[X32:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 32>
// CHECK: "graph.conv"(%[[X32]],
// CHECK: %[[X8:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>
// CHECK: "graph.conv"(%[[X8]], {{.*}}group = 4
func.func @two_blocks_of_one_input(%x: tensor<1x32x8x8xf32>, %w: tensor<32x32x1x1xf32>, %v: tensor<32x8x3x3xf32>) -> (tensor<1x32x8x8xf32>, tensor<1x32x6x6xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %1 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 4, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x8x8xf32>, tensor<32x8x3x3xf32>) -> tensor<1x32x6x6xf32>
  return %0, %1 : tensor<1x32x8x8xf32>, tensor<1x32x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @depthwise_of_input
// CHECK: %[[X8:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>
// CHECK: "graph.conv"(%[[X8]], {{.*}}group = 32
func.func @depthwise_of_input(%x: tensor<1x32x40x40xf32>, %w: tensor<8x32x1x1xf32>, %v: tensor<32x1x7x7xf32>) -> tensor<1x40x34x34xf32> {
  %s = "graph.slice"(%x) {starts = array<i64: 0, 0, 3, 3>, sizes = array<i64: 1, 32, 34, 34>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x32x40x40xf32>) -> tensor<1x32x34x34xf32>
  %0 = "graph.conv"(%s, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x34x34xf32>, tensor<8x32x1x1xf32>) -> tensor<1x8x34x34xf32>
  %2 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 32, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x40x40xf32>, tensor<32x1x7x7xf32>) -> tensor<1x32x34x34xf32>
  %3 = "graph.concat"(%2, %0) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x32x34x34xf32>, tensor<1x8x34x34xf32>) -> tensor<1x40x34x34xf32>
  return %3 : tensor<1x40x34x34xf32>
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
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x4x4xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %1 = "graph.reduce_mean"(%0) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x32x4x4xf32>) -> tensor<1x32x1x1xf32>
  %2 = "graph.conv"(%1, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x1x1xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x1x1xf32>
  %3 = "graph.mul"(%0, %2) : (tensor<1x32x4x4xf32>, tensor<1x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %4 = "graph.mul"(%3, %m) : (tensor<1x32x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x32x4x4xf32>
  %5 = "graph.mul"(%4, %s) : (tensor<1x32x4x4xf32>, tensor<f32>) -> tensor<1x32x4x4xf32>
  %6 = "graph.mul"(%5, %row) : (tensor<1x32x4x4xf32>, tensor<4xf32>) -> tensor<1x32x4x4xf32>
  return %6 : tensor<1x32x4x4xf32>
}

// -----

// An operand of lower rank gets the leading dims before its channels are blocked.
// CHECK-LABEL: func.func @low_rank
// CHECK: %[[PLAIN:.*]] = "graph.reshape"({{.*}}) {shape = array<i64: 1, 32, 4, 4>}
// CHECK: %[[BLOCKED:.*]] = "graph.pack"(%[[PLAIN]]) {{.*}} -> tensor<1x1x4x4x32xf32>
// CHECK: "graph.add"({{.*}}, %[[BLOCKED]])
func.func @low_rank(%x: tensor<1x32x4x4xf32>, %w: tensor<32x32x1x1xf32>) -> tensor<1x32x4x4xf32> {
  %b = "graph.weight"() {source = "w", offset = 0, size = 2048, hash = "0"} : () -> tensor<32x4x4xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x4x4xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x32x4x4xf32>, tensor<32x4x4xf32>) -> tensor<1x32x4x4xf32>
  return %1 : tensor<1x32x4x4xf32>
}

// -----

// Whole blocks of channels are cut out and added; a mean may drop the spatial dims.
// CHECK-LABEL: func.func @slice_and_pad
// CHECK: "graph.slice"({{.*}}) {sizes = array<i64: 1, 2, 16, 16, 16>, starts = array<i64: 0, 1, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>} : (tensor<1x4x16x16x16xf32>) -> tensor<1x2x16x16x16xf32>
// CHECK: "graph.pad"({{.*}}) {high = array<i64: 0, 1, 0, 0, 0>, low = array<i64: 0, 0, 0, 0, 0>{{.*}} -> tensor<1x3x16x16x16xf32>
// CHECK: %[[MEAN:.*]] = "graph.reduce_mean"({{.*}} -> tensor<1x3x1x1x16xf32>
// CHECK: %[[R:.*]] = "graph.reshape"(%[[MEAN]]) {{.*}} -> tensor<1x48xf32>
// CHECK: return %[[R]]
func.func @slice_and_pad(%x: tensor<1x3x18x18xf32>, %w: tensor<64x3x3x3xf32>) -> tensor<1x48xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x3x18x18xf32>, tensor<64x3x3x3xf32>) -> tensor<1x64x16x16xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 16, 0, 0>, sizes = array<i64: 1, 32, 16, 16>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x64x16x16xf32>) -> tensor<1x32x16x16xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 16, 0, 0>, mode = "constant", value = 0.0} : (tensor<1x32x16x16xf32>) -> tensor<1x48x16x16xf32>
  %3 = "graph.reduce_mean"(%2) {axes = array<i64: 2, 3>, keepdims = false} : (tensor<1x48x16x16xf32>) -> tensor<1x48xf32>
  return %3 : tensor<1x48xf32>
}

// -----

// A slice within a block, and a concatenation with a part that has no block, are plain; what is before them is not.
// CHECK-LABEL: func.func @odd_channels
// CHECK: %[[CONV:.*]] = "graph.conv"({{.*}} -> tensor<1x1x16x16x32xf32>
// CHECK: %[[PLAIN:.*]] = "graph.unpack"(%[[CONV]])
// CHECK-NOT: graph.unpack
// CHECK: "graph.slice"(%[[PLAIN]])
// CHECK: "graph.concat"(%[[PLAIN]], %arg2)
func.func @odd_channels(%x: tensor<1x3x18x18xf32>, %w: tensor<32x3x3x3xf32>, %y: tensor<1x3x16x16xf32>) -> (tensor<1x5x16x16xf32>, tensor<1x35x16x16xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x3x18x18xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x16x16xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 3, 0, 0>, sizes = array<i64: 1, 5, 16, 16>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x32x16x16xf32>) -> tensor<1x5x16x16xf32>
  %2 = "graph.concat"(%0, %y) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x32x16x16xf32>, tensor<1x3x16x16xf32>) -> tensor<1x35x16x16xf32>
  return %1, %2 : tensor<1x5x16x16xf32>, tensor<1x35x16x16xf32>
}

// -----

// A channel shuffle before a blocked convolution packs in the same transpose: blocks of 16 hold four of each of the
// four groups.
// CHECK-LABEL: func.func @shuffle
// CHECK: %[[SPLIT:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 1, 4, 7, 4, 16, 16>}
// CHECK: %[[MOVED:.*]] = "graph.transpose"(%[[SPLIT]]) {permutation = array<i64: 0, 2, 4, 5, 3, 1>} {{.*}} -> tensor<1x7x16x16x4x4xf32>
// CHECK: %[[X:.*]] = "graph.reshape"(%[[MOVED]]) {{.*}} -> tensor<1x7x16x16x16xf32>
// CHECK-NOT: graph.transpose
// CHECK: "graph.conv"(%[[X]],
func.func @shuffle(%x: tensor<1x112x16x16xf32>, %w: tensor<112x1x3x3xf32>) -> tensor<1x112x14x14xf32> {
  %0 = "graph.reshape"(%x) {shape = array<i64: 1, 4, 28, 16, 16>} : (tensor<1x112x16x16xf32>) -> tensor<1x4x28x16x16xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x4x28x16x16xf32>) -> tensor<1x28x4x16x16xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: 1, 112, 16, 16>} : (tensor<1x28x4x16x16xf32>) -> tensor<1x112x16x16xf32>
  %3 = "graph.conv"(%2, %w) {dilations = array<i64: 1, 1>, group = 112, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x112x16x16xf32>, tensor<112x1x3x3xf32>) -> tensor<1x112x14x14xf32>
  return %3 : tensor<1x112x14x14xf32>
}

// -----

// Three groups do not fit into blocks: the shuffle is plain, and its result is packed.
// CHECK-LABEL: func.func @shuffle_of_three
// CHECK: %[[MOVED:.*]] = "graph.transpose"({{.*}}) {permutation = array<i64: 0, 2, 1, 3, 4>}
// CHECK: %[[PLAIN:.*]] = "graph.reshape"(%[[MOVED]])
// CHECK: %[[X:.*]] = "graph.pack"(%[[PLAIN]])
// CHECK: "graph.conv"(%[[X]],
func.func @shuffle_of_three(%x: tensor<1x96x16x16xf32>, %w: tensor<96x1x5x5xf32>) -> tensor<1x96x12x12xf32> {
  %0 = "graph.reshape"(%x) {shape = array<i64: 1, 3, 32, 16, 16>} : (tensor<1x96x16x16xf32>) -> tensor<1x3x32x16x16xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x3x32x16x16xf32>) -> tensor<1x32x3x16x16xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: 1, 96, 16, 16>} : (tensor<1x32x3x16x16xf32>) -> tensor<1x96x16x16xf32>
  %3 = "graph.conv"(%2, %w) {dilations = array<i64: 1, 1>, group = 96, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x96x16x16xf32>, tensor<96x1x5x5xf32>) -> tensor<1x96x12x12xf32>
  return %3 : tensor<1x96x12x12xf32>
}

// -----

// Blocks of channels are interleaved, and cut.
// CHECK-LABEL: func.func @interleaved
// CHECK: %[[CONV:.*]] = "graph.conv"({{.*}} -> tensor<?x4x5x6x16xf32>
// CHECK: %[[SPLIT:.*]] = "graph.reshape"(%[[CONV]]{{.*}} -> tensor<?x2x2x1x5x6x16xf32>
// CHECK: %[[MOVED:.*]] = "graph.transpose"(%[[SPLIT]]) {permutation = array<i64: 0, 3, 4, 1, 5, 2, 6>} {{.*}} -> tensor<?x1x5x2x6x2x16xf32>
// CHECK: %[[WHOLE:.*]] = "graph.reshape"(%[[MOVED]]{{.*}} -> tensor<?x1x10x12x16xf32>
// CHECK: %[[PART:.*]] = "graph.slice"(%[[WHOLE]]) {sizes = array<i64: -1, 1, 8, 10, 16>, starts = array<i64: 0, 0, 1, 1, 0>
// CHECK-NOT: graph.transpose
// CHECK: "graph.unpack"(%[[PART]])
func.func @interleaved(%x: tensor<?x8x5x6xf32>) -> tensor<?x16x8x10xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 2048, hash = "0"} : () -> tensor<64x8x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<?x8x5x6xf32>, tensor<64x8x1x1xf32>) -> tensor<?x64x5x6xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: -1, 2, 2, 16, 5, 6>} : (tensor<?x64x5x6xf32>) -> tensor<?x2x2x16x5x6xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 0, 3, 4, 1, 5, 2>} : (tensor<?x2x2x16x5x6xf32>) -> tensor<?x16x5x2x6x2xf32>
  %3 = "graph.reshape"(%2) {shape = array<i64: -1, 16, 10, 12>} : (tensor<?x16x5x2x6x2xf32>) -> tensor<?x16x10x12xf32>
  %4 = "graph.slice"(%3) {sizes = array<i64: -1, 16, 8, 10>, starts = array<i64: 0, 0, 1, 1>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x16x10x12xf32>) -> tensor<?x16x8x10xf32>
  return %4 : tensor<?x16x8x10xf32>
}

// -----

// Channels of the result that fill no block, and strides apart from the channels that they divide, are plain.
// CHECK-LABEL: func.func @interleaved_plain
// CHECK-DAG: "graph.transpose"({{.*}}) {permutation = array<i64: 0, 3, 4, 1, 5, 2>} {{.*}} -> tensor<1x4x5x2x6x2xf32>
// CHECK-DAG: "graph.transpose"({{.*}}) {permutation = array<i64: 0, 1, 4, 2, 5, 3>} {{.*}} -> tensor<1x16x5x2x6x2xf32>
func.func @interleaved_plain(%x: tensor<1x16x5x6xf32>, %y: tensor<1x64x5x6xf32>) -> (tensor<1x4x10x12xf32>, tensor<1x16x10x12xf32>) {
  %w = "graph.weight"() {source = "w", offset = 0, size = 1024, hash = "0"} : () -> tensor<16x16x1x1xf32>
  %v = "graph.weight"() {source = "w", offset = 1024, size = 16384, hash = "1"} : () -> tensor<64x64x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x16x5x6xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x5x6xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 1, 2, 2, 4, 5, 6>} : (tensor<1x16x5x6xf32>) -> tensor<1x2x2x4x5x6xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 0, 3, 4, 1, 5, 2>} : (tensor<1x2x2x4x5x6xf32>) -> tensor<1x4x5x2x6x2xf32>
  %3 = "graph.reshape"(%2) {shape = array<i64: 1, 4, 10, 12>} : (tensor<1x4x5x2x6x2xf32>) -> tensor<1x4x10x12xf32>
  %4 = "graph.conv"(%y, %v) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x64x5x6xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x5x6xf32>
  %5 = "graph.reshape"(%4) {shape = array<i64: 1, 16, 2, 2, 5, 6>} : (tensor<1x64x5x6xf32>) -> tensor<1x16x2x2x5x6xf32>
  %6 = "graph.transpose"(%5) {permutation = array<i64: 0, 1, 4, 2, 5, 3>} : (tensor<1x16x2x2x5x6xf32>) -> tensor<1x16x5x2x6x2xf32>
  %7 = "graph.reshape"(%6) {shape = array<i64: 1, 16, 10, 12>} : (tensor<1x16x5x2x6x2xf32>) -> tensor<1x16x10x12xf32>
  return %3, %7 : tensor<1x4x10x12xf32>, tensor<1x16x10x12xf32>
}

// -----

// What is computed from weights alone is no image.
// CHECK-LABEL: func.func @weights
// CHECK: %[[W:.*]] = "graph.mul"({{.*}} -> tensor<16x16x3x3xf32>
// CHECK: "graph.pack"(%[[W]]) {inner_dims = array<i64: 1, 0>
func.func @weights(%x: tensor<1x16x8x8xf32>) -> tensor<1x16x6x6xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 9216, hash = "0"} : () -> tensor<16x16x3x3xf32>
  %s = "graph.weight"() {source = "w", offset = 9216, size = 64, hash = "1"} : () -> tensor<16x1x1x1xf32>
  %v = "graph.mul"(%w, %s) : (tensor<16x16x3x3xf32>, tensor<16x1x1x1xf32>) -> tensor<16x16x3x3xf32>
  %0 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x6x6xf32>
  return %0 : tensor<1x16x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @residual_of_input
// CHECK: %[[X32:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 32>
// CHECK: %[[CONV:.*]] = "graph.conv"(%[[X32]], {{.*}} -> tensor<1x4x4x4x8xf32>
// CHECK: %[[X8:.*]] = "graph.pack"(%arg0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>
// CHECK: "graph.add"(%[[CONV]], %[[X8]])
func.func @residual_of_input(%x: tensor<1x32x4x4xf32>, %w: tensor<32x32x1x1xf32>, %v: tensor<8x32x1x1xf32>) -> tensor<1x40x4x4xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x4x4xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %1 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x4x4xf32>, tensor<8x32x1x1xf32>) -> tensor<1x8x4x4xf32>
  %2 = "graph.add"(%0, %x) : (tensor<1x32x4x4xf32>, tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  %3 = "graph.concat"(%2, %1) {axis = 1, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x32x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x40x4x4xf32>
  return %3 : tensor<1x40x4x4xf32>
}

// -----

// LRN works on blocks while its window ends in the next one.
// CHECK-LABEL: func.func @lrn
// CHECK: %[[CONV:.*]] = "graph.conv"
// CHECK: %[[NEAR:.*]] = "graph.lrn"(%[[CONV]]) {{.*}}layout = "NCHWc"{{.*}}size = 17{{.*}} -> tensor<1x2x6x6x32xf32>
// CHECK: %[[PLAIN:.*]] = "graph.unpack"(%[[NEAR]])
// CHECK: "graph.lrn"(%[[PLAIN]]) {{.*}}layout = "NCHW"{{.*}}size = 18
func.func @lrn(%x: tensor<1x32x6x6xf32>, %w: tensor<64x32x1x1xf32>) -> tensor<1x64x6x6xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x6x6xf32>, tensor<64x32x1x1xf32>) -> tensor<1x64x6x6xf32>
  %1 = "graph.lrn"(%0) {alpha = 1.0e-04 : f64, beta = 7.5e-01 : f64, bias = 1.0 : f64, layout = "NCHW", size = 17} : (tensor<1x64x6x6xf32>) -> tensor<1x64x6x6xf32>
  %2 = "graph.lrn"(%1) {alpha = 1.0e-04 : f64, beta = 7.5e-01 : f64, bias = 1.0 : f64, layout = "NCHW", size = 18} : (tensor<1x64x6x6xf32>) -> tensor<1x64x6x6xf32>
  return %2 : tensor<1x64x6x6xf32>
}

// -----

// Rows and columns are taken of blocked images as of plain ones, by the same indices; other gathers see plain images.
// CHECK-LABEL: func.func @lookups
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<1x32x6x6xf32>, %[[W:[a-z0-9]*]]: tensor<64x32x1x1xf32>, %[[I:[a-z0-9]*]]: tensor<9xi32>
// CHECK: %[[CONV:.*]] = "graph.conv"
// CHECK: %[[ROWS:.*]] = "graph.gather"(%[[CONV]], %[[I]]) {axis = 2 : i64} : (tensor<1x2x6x6x32xf32>, tensor<9xi32>) -> tensor<1x2x9x6x32xf32>
// CHECK: %[[PIXELS:.*]] = "graph.gather"(%[[ROWS]], %[[I]]) {axis = 3 : i64} : (tensor<1x2x9x6x32xf32>, tensor<9xi32>) -> tensor<1x2x9x9x32xf32>
// CHECK: %[[PLAIN:.*]] = "graph.unpack"(%[[PIXELS]])
// CHECK: "graph.gather"(%[[PLAIN]], %[[I]]) {axis = 1 : i64}
func.func @lookups(%x: tensor<1x32x6x6xf32>, %w: tensor<64x32x1x1xf32>, %i: tensor<9xi32>) -> tensor<1x9x9x9xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x6x6xf32>, tensor<64x32x1x1xf32>) -> tensor<1x64x6x6xf32>
  %1 = "graph.gather"(%0, %i) {axis = 2} : (tensor<1x64x6x6xf32>, tensor<9xi32>) -> tensor<1x64x9x6xf32>
  %2 = "graph.gather"(%1, %i) {axis = 3} : (tensor<1x64x9x6xf32>, tensor<9xi32>) -> tensor<1x64x9x9xf32>
  %3 = "graph.gather"(%2, %i) {axis = 1} : (tensor<1x64x9x9xf32>, tensor<9xi32>) -> tensor<1x9x9x9xf32>
  return %3 : tensor<1x9x9x9xf32>
}

// Columns that wrap around (circular padding) stay in blocks: slices and a concatenation along columns.
// CHECK-LABEL: func.func @wrapped
// CHECK: %[[FIRST:.*]] = "graph.conv"({{.*}} -> tensor<1x1x1x40x32xf32>
// CHECK: %[[LAST:.*]] = "graph.slice"(%[[FIRST]]) {sizes = array<i64: 1, 1, 1, 2, 32>, starts = array<i64: 0, 0, 0, 38, 0>
// CHECK: "graph.concat"(%[[LAST]], %[[FIRST]]) {axis = 3{{.*}} -> tensor<1x1x1x42x32xf32>
// CHECK: "graph.conv"
func.func @wrapped(%x: tensor<1x32x1x42xf32>, %w: tensor<32x32x1x3xf32>) -> tensor<1x32x1x40xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x1x42xf32>, tensor<32x32x1x3xf32>) -> tensor<1x32x1x40xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 0, 0, 38>, sizes = array<i64: 1, 32, 1, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x32x1x40xf32>) -> tensor<1x32x1x2xf32>
  %2 = "graph.concat"(%1, %0) {axis = 3, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x32x1x2xf32>, tensor<1x32x1x40xf32>) -> tensor<1x32x1x42xf32>
  %3 = "graph.conv"(%2, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x1x42xf32>, tensor<32x32x1x3xf32>) -> tensor<1x32x1x40xf32>
  return %3 : tensor<1x32x1x40xf32>
}

// -----

// Three spatial dims: a window, what is elementwise, and the mean of whole volumes.
// CHECK-LABEL: func.func @volume
// CHECK: %[[X:.*]] = "graph.reshape"(%arg0) {{.*}} -> tensor<1x3x8x9x10x1xf32>
// CHECK: %[[CONV:.*]] = "graph.conv"(%[[X]], %{{.*}}) {{.*}}layout = "NCHWc"{{.*}} -> tensor<1x1x6x7x8x16xf32>
// CHECK: %[[B:.*]] = "graph.reshape"({{.*}}) {{.*}} : (tensor<16x1x1x1xf32>) -> tensor<1x1x1x1x1x16xf32>
// CHECK: %[[ADD:.*]] = "graph.add"(%[[CONV]], %[[B]])
// CHECK: %[[POOL:.*]] = "graph.max_pool"(%[[ADD]]) {{{.*}}layout = "NCHWc"{{.*}} -> tensor<1x1x3x3x4x16xf32>
// CHECK: "graph.reduce_mean"(%[[POOL]]) {axes = array<i64: 2, 3, 4>, keepdims = true} : {{.*}} -> tensor<1x1x1x1x1x16xf32>
func.func @volume(%x: tensor<1x3x8x9x10xf32>) -> tensor<1x16x1x1x1xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 5184, hash = "0"} : () -> tensor<16x3x3x3x3xf32>
  %b = "graph.weight"() {source = "w", offset = 8000, size = 64, hash = "1"} : () -> tensor<16x1x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1, 1>, group = 1, layout = "NCHW", pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>}
      : (tensor<1x3x8x9x10xf32>, tensor<16x3x3x3x3xf32>) -> tensor<1x16x6x7x8xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x16x6x7x8xf32>, tensor<16x1x1x1xf32>) -> tensor<1x16x6x7x8xf32>
  %2 = "graph.max_pool"(%1) {dilations = array<i64: 1, 1, 1>, kernel = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 2, 2, 2>} : (tensor<1x16x6x7x8xf32>) -> tensor<1x16x3x3x4xf32>
  %3 = "graph.reduce_mean"(%2) {axes = array<i64: 2, 3, 4>, keepdims = true} : (tensor<1x16x3x3x4xf32>) -> tensor<1x16x1x1x1xf32>
  return %3 : tensor<1x16x1x1x1xf32>
}
