// RUN: mlc-opt %s --graph-fold-padding | filecheck %s
// RUN: mlc-opt %s --graph-fold-padding=exactness=exact | filecheck %s --check-prefix=EXACT

// Zeros before a convolution join its own padding; shapes may be unknown.
// CHECK-LABEL: func.func @conv
// CHECK-NEXT: "graph.conv"(%arg0, %arg1) {{.*}} pads = array<i64: 1, 2, 2, 4>, {{.*}} : (tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>) -> tensor<?x8x?x?xf32>
// CHECK-NEXT: return
func.func @conv(%x: tensor<?x3x?x?xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<?x8x?x?xf32> {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 0, 1, 3>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %1 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>) -> tensor<?x8x?x?xf32>
  return %1 : tensor<?x8x?x?xf32>
}

// Several windows read one padded tensor.
// CHECK-LABEL: func.func @shared_by_windows
// CHECK-NOT: graph.pad
// CHECK: return
func.func @shared_by_windows(%x: tensor<1x3x8x8xf32>, %w: tensor<8x3x3x3xf32>, %v: tensor<4x3x3x3xf32>) -> (tensor<1x8x8x8xf32>, tensor<1x4x8x8xf32>) {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
  %1 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x10x10xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x8x8xf32>
  %2 = "graph.conv"(%0, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x10x10xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %1, %2 : tensor<1x8x8x8xf32>, tensor<1x4x8x8xf32>
}

// Another value, padded channels, another mode, a pad that something else reads.
// CHECK-LABEL: func.func @conv_kept
// CHECK-COUNT-4: "graph.pad"
// CHECK: return
func.func @conv_kept(%x: tensor<1x3x8x8xf32>, %w: tensor<8x3x3x3xf32>, %v: tensor<8x4x3x3xf32>)
    -> (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x3x10x10xf32>) {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 1.000000e+00 : f64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
  %1 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x10x10xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x8x8xf32>
  %2 = "graph.pad"(%x) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 1, 1, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<1x3x8x8xf32>) -> tensor<1x4x10x10xf32>
  %3 = "graph.conv"(%2, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x10x10xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32>
  %4 = "graph.pad"(%x) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "edge", value = 0.000000e+00 : f64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
  %5 = "graph.conv"(%4, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x10x10xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x8x8xf32>
  %6 = "graph.pad"(%x) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
  %7 = "graph.conv"(%6, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x10x10xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x8x8xf32>
  return %1, %3, %5, %7, %6 : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x3x10x10xf32>
}

// A mean over padding counts it.
// CHECK-LABEL: func.func @average
// CHECK-NEXT: "graph.average_pool"(%arg0) {ceil_mode = false, count_include_pad = true, {{.*}} pads = array<i64: 1, 1, 1, 1>
// CHECK-NEXT: return
func.func @average(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %1 = "graph.average_pool"(%0) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %1 : tensor<?x3x?x?xf32>
}

// A mean that does not count its own padding; in ceil_mode, windows that start in the pad.
// CHECK-LABEL: func.func @average_kept
// CHECK-COUNT-2: "graph.pad"
// CHECK: return
func.func @average_kept(%x: tensor<?x3x?x?xf32>) -> (tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>) {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %1 = "graph.average_pool"(%0) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %2 = "graph.pad"(%x) {high = array<i64: 0, 0, 2, 2>, low = array<i64: 0, 0, 0, 0>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %3 = "graph.average_pool"(%2)
      {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %1, %3 : tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>
}

// Minus infinity never wins; neither does 0 where no element is below it.
// CHECK-LABEL: func.func @max
// CHECK-NEXT: "graph.max_pool"(%arg0) {{.*}} pads = array<i64: 1, 1, 3, 3>
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"
// CHECK-NEXT: "graph.max_pool"(%[[RELU]]) {{.*}} pads = array<i64: 1, 1, 2, 2>
// EXACT-LABEL: func.func @max(
// EXACT-NEXT: graph.max_pool
// EXACT-COUNT-2: graph.pad
// EXACT: return
// CHECK-NEXT: %[[CLAMP:.*]] = "graph.clamp"
// CHECK-NEXT: "graph.max_pool"(%[[CLAMP]]) {{.*}} pads = array<i64: 1, 1, 1, 1>
// CHECK-NEXT: return
func.func @max(%x: tensor<?x3x?x?xf32>) -> (tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>) {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 0, 3, 3>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0xFFF0000000000000 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %1 = "graph.max_pool"(%0) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %2 = "graph.relu"(%x) : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %3 = "graph.pad"(%2) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %4 = "graph.max_pool"(%3) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %5 = "graph.clamp"(%x) {max = 6.000000e+00 : f64, min = -1.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %6 = "graph.pad"(%5) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = -2.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %7 = "graph.max_pool"(%6) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %1, %4, %7 : tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>
}

// Negative elements would lose against 0; windows of zeros alone; windows with gaps, which may miss the elements.
// CHECK-LABEL: func.func @max_kept
// CHECK-COUNT-3: "graph.pad"
// CHECK: return
func.func @max_kept(%x: tensor<?x3x?x?xf32>) -> (tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>) {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %1 = "graph.max_pool"(%0) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %2 = "graph.relu"(%x) : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %3 = "graph.pad"(%2) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 3, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %4 = "graph.max_pool"(%3) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %5 = "graph.pad"(%2) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %6 = "graph.max_pool"(%5) {dilations = array<i64: 2, 2>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %1, %4, %6 : tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>
}

// Crossed bounds, of which the upper one wins; the least integer has no absolute value.
// CHECK-LABEL: func.func @max_negative
// CHECK-COUNT-2: "graph.pad"
// CHECK: return
func.func @max_negative(%x: tensor<?x3x?x?xf32>, %i: tensor<?x3x?x?xi32>) -> (tensor<?x3x?x?xf32>, tensor<?x3x?x?xi32>) {
  %0 = "graph.clamp"(%x) {min = 0.0, max = -5.0} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %1 = "graph.pad"(%0) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0 : f64} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %2 = "graph.max_pool"(%1) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %3 = "graph.abs"(%i) : (tensor<?x3x?x?xi32>) -> tensor<?x3x?x?xi32>
  %4 = "graph.pad"(%3) {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0 : i64} : (tensor<?x3x?x?xi32>) -> tensor<?x3x?x?xi32>
  %5 = "graph.max_pool"(%4) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xi32>) -> tensor<?x3x?x?xi32>
  return %2, %5 : tensor<?x3x?x?xf32>, tensor<?x3x?x?xi32>
}

// One pad instead of two, of constants and of edges.
// CHECK-LABEL: func.func @pads
// CHECK-NEXT: "graph.pad"(%arg0) {high = array<i64: 0, 3>, low = array<i64: 1, 1>, mode = "constant", value = 5.000000e-01 : f64} : (tensor<?x4xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: "graph.pad"(%arg0) {high = array<i64: 0, 2>, low = array<i64: 0, 2>, mode = "edge"
// CHECK-NEXT: return
func.func @pads(%x: tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 1>, low = array<i64: 1, 0>, mode = "constant", value = 5.000000e-01 : f64} : (tensor<?x4xf32>) -> tensor<?x5xf32>
  %1 = "graph.pad"(%0) {high = array<i64: 0, 2>, low = array<i64: 0, 1>, mode = "constant", value = 5.000000e-01 : f64} : (tensor<?x5xf32>) -> tensor<?x8xf32>
  %2 = "graph.pad"(%x) {high = array<i64: 0, 1>, low = array<i64: 0, 1>, mode = "edge", value = 0.000000e+00 : f64} : (tensor<?x4xf32>) -> tensor<?x6xf32>
  %3 = "graph.pad"(%2) {high = array<i64: 0, 1>, low = array<i64: 0, 1>, mode = "edge", value = 0.000000e+00 : f64} : (tensor<?x6xf32>) -> tensor<?x8xf32>
  return %1, %3 : tensor<?x8xf32>, tensor<?x8xf32>
}

// Different constants, 0.0 and -0.0 among them; reflections.
// CHECK-LABEL: func.func @pads_kept
// CHECK-COUNT-4: "graph.pad"
// CHECK: return
func.func @pads_kept(%x: tensor<8xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %0 = "graph.pad"(%x) {high = array<i64: 1>, low = array<i64: 1>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<8xf32>) -> tensor<10xf32>
  %1 = "graph.pad"(%0) {high = array<i64: 1>, low = array<i64: 1>, mode = "constant", value = -0.000000e+00 : f64} : (tensor<10xf32>) -> tensor<12xf32>
  %2 = "graph.pad"(%x) {high = array<i64: 1>, low = array<i64: 1>, mode = "reflect", value = 0.000000e+00 : f64} : (tensor<8xf32>) -> tensor<10xf32>
  %3 = "graph.pad"(%2) {high = array<i64: 1>, low = array<i64: 1>, mode = "reflect", value = 0.000000e+00 : f64} : (tensor<10xf32>) -> tensor<12xf32>
  return %1, %3 : tensor<12xf32>, tensor<12xf32>
}

// A slice of what was padded reads it, backwards and of a mirror too.
// CHECK-LABEL: func.func @slices
// CHECK-NEXT: "graph.slice"(%arg0) {sizes = array<i64: -1, 4>, starts = array<i64: 2, 1>, steps = array<i64: 1, 1>} : (tensor<?x8xf32>) -> tensor<?x4xf32>
// CHECK-NEXT: "graph.slice"(%arg0) {sizes = array<i64: -1, 3>, starts = array<i64: 0, 7>, steps = array<i64: 1, -2>}
// CHECK-NEXT: "graph.slice"(%arg0) {sizes = array<i64: 3, 8>, starts = array<i64: 0, 0>
// CHECK-NEXT: return
func.func @slices(%x: tensor<?x8xf32>) -> (tensor<?x4xf32>, tensor<?x3xf32>, tensor<3x8xf32>) {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 2>, low = array<i64: 1, 2>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x8xf32>) -> tensor<?x12xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: -1, 4>, starts = array<i64: 3, 3>, steps = array<i64: 1, 1>} : (tensor<?x12xf32>) -> tensor<?x4xf32>
  %2 = "graph.pad"(%x) {high = array<i64: 0, 2>, low = array<i64: 0, 2>, mode = "reflect", value = 0.000000e+00 : f64} : (tensor<?x8xf32>) -> tensor<?x12xf32>
  %3 = "graph.slice"(%2) {sizes = array<i64: -1, 3>, starts = array<i64: 0, 9>, steps = array<i64: 1, -2>} : (tensor<?x12xf32>) -> tensor<?x3xf32>
  %4 = "graph.slice"(%0) {sizes = array<i64: 3, 8>, starts = array<i64: 1, 2>, steps = array<i64: 1, 1>} : (tensor<?x12xf32>) -> tensor<3x8xf32>
  return %1, %3, %4 : tensor<?x4xf32>, tensor<?x3xf32>, tensor<3x8xf32>
}

// Less padding, where the slice cuts some off.
// CHECK-LABEL: func.func @slice_leaves_padding
// CHECK-NEXT: %[[PART:.*]] = "graph.slice"(%arg0) {sizes = array<i64: -1, 7>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<?x8xf32>) -> tensor<?x7xf32>
// CHECK-NEXT: "graph.pad"(%[[PART]]) {high = array<i64: 0, 0>, low = array<i64: 1, 1>, mode = "constant", value = 5.000000e-01 : f64} : (tensor<?x7xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: return
func.func @slice_leaves_padding(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "graph.pad"(%x) {high = array<i64: 0, 2>, low = array<i64: 2, 2>, mode = "constant", value = 5.000000e-01 : f64} : (tensor<?x8xf32>) -> tensor<?x12xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: -1, 8>, starts = array<i64: 1, 1>, steps = array<i64: 1, 1>} : (tensor<?x12xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// Where the padding ends is not known; steps that meet padding; all padding; edges; a pad that something else reads.
// CHECK-LABEL: func.func @slices_kept
// CHECK-COUNT-3: "graph.pad"
// CHECK: "graph.slice"(%{{[0-9]+}}) {{.*}} starts = array<i64: 2, 0>
// CHECK: "graph.slice"(%{{[0-9]+}}) {{.*}} steps = array<i64: 1, 2>
// CHECK: return
func.func @slices_kept(%x: tensor<?x8xf32>) -> (tensor<3x12xf32>, tensor<?x6xf32>, tensor<?x1xf32>, tensor<?x12xf32>, tensor<?x8xf32>, tensor<?x12xf32>) {
  %0 = "graph.pad"(%x) {high = array<i64: 1, 2>, low = array<i64: 1, 2>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x8xf32>) -> tensor<?x12xf32>
  %5 = "graph.pad"(%x) {high = array<i64: 0, 2>, low = array<i64: 0, 2>, mode = "edge", value = 0.000000e+00 : f64} : (tensor<?x8xf32>) -> tensor<?x12xf32>
  %6 = "graph.pad"(%x) {high = array<i64: 0, 2>, low = array<i64: 2, 2>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<?x8xf32>) -> tensor<?x12xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: 3, 12>, starts = array<i64: 2, 0>, steps = array<i64: 1, 1>} : (tensor<?x12xf32>) -> tensor<3x12xf32>
  %2 = "graph.slice"(%0) {sizes = array<i64: -1, 6>, starts = array<i64: 0, 0>, steps = array<i64: 1, 2>} : (tensor<?x12xf32>) -> tensor<?x6xf32>
  %3 = "graph.slice"(%0) {sizes = array<i64: -1, 1>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<?x12xf32>) -> tensor<?x1xf32>
  %4 = "graph.slice"(%5) {sizes = array<i64: -1, 12>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<?x12xf32>) -> tensor<?x12xf32>
  %7 = "graph.slice"(%6) {sizes = array<i64: -1, 8>, starts = array<i64: 0, 4>, steps = array<i64: 1, 1>} : (tensor<?x12xf32>) -> tensor<?x8xf32>
  return %1, %2, %3, %4, %7, %6 : tensor<3x12xf32>, tensor<?x6xf32>, tensor<?x1xf32>, tensor<?x12xf32>, tensor<?x8xf32>, tensor<?x12xf32>
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
