// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-pad-windows,graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,tloop-schedule-blocks)" --split-input-file | filecheck %s

// Many tiles: large ones, by 8 warps, in steps of 64 bytes. The bias is part of the root.
// CHECK-LABEL: func.func private @large(
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%arg0, %arg1 : tensor<2048x512xbf16>, tensor<512x1024xbf16>) {{.*}} {tloop.block = "producer1"}
// CHECK: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-NEXT: %[[TILE:.*]]:2 = "tloop.tile"(%[[ROOT]]) {mode = "parallel", sizes = array<i64: 128, 128>}
// CHECK-NEXT: "tloop.annotate"(%[[TILE]]#1) {key = "accel.warps", value = 8 : i64}
// CHECK-COUNT-2: "tloop.compute_at"
// CHECK-NEXT: %[[SUM:.*]] = "tloop.get_block"() {block_name = "producer1"}
// CHECK-NEXT: %[[STEP:.*]]:2 = "tloop.tile"(%[[SUM]]) {mode = "sequential", sizes = array<i64: 0, 0, 32>}
// CHECK-NEXT: "tloop.cache_read"(%[[STEP]]#0, %[[STEP]]#1) {block_name = "left", operand = 0 : i64}
// CHECK-NEXT: "tloop.cache_read"(%[[STEP]]#0, %[[STEP]]#1) {block_name = "right", operand = 1 : i64}
// CHECK-NEXT: "tloop.annotate"(%[[STEP]]#1) {key = "accel.stages", value = 4 : i64}
// CHECK-NEXT: }) {kernel = @large}
func.func private @large(%a: tensor<2048x512xbf16>, %b: tensor<512x1024xbf16>, %c: tensor<1024xf32>) -> tensor<2048x1024xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<2048x512xbf16>, tensor<512x1024xbf16>) -> tensor<2048x1024xbf16>
  %1 = "graph.cast"(%0) : (tensor<2048x1024xbf16>) -> tensor<2048x1024xf32>
  %2 = "graph.add"(%1, %c) : (tensor<2048x1024xf32>, tensor<1024xf32>) -> tensor<2048x1024xf32>
  return %2 : tensor<2048x1024xf32>
}

// -----

// Rows and columns of the result that is stored transposed; a step of tf32 is 128 bytes.
// CHECK-LABEL: func.func private @heads(
// CHECK: linalg.generic {{.*}} {accel.precision = "tf32", tloop.block = "producer1"}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 64, 1, 64>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 32>}
func.func private @heads(%a: tensor<4x12x128x128xf32>, %b: tensor<4x128x12x64xf32>) -> tensor<4x128x12x64xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%b) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x128x12x64xf32>) -> tensor<4x12x128x64xf32>
  %1 = "graph.matmul"(%a, %0) {accel.precision = "tf32"} : (tensor<4x12x128x128xf32>, tensor<4x12x128x64xf32>) -> tensor<4x12x128x64xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x12x128x64xf32>) -> tensor<4x128x12x64xf32>
  return %2 : tensor<4x128x12x64xf32>
}

// -----

// 32 pixels of a line of 28: as many tiles as of 4x8 pixels. A loop for each dim of the window, and one for the channels.
// CHECK-LABEL: func.func private @convolution(
// CHECK: tensor.pad %arg0 low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0]
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 1, 1, 32, 32>}
// CHECK: %[[Y:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[X:.*]]:2 = "tloop.tile"(%[[Y]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[C:.*]]:2 = "tloop.tile"(%[[X]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 64>}
// CHECK-NEXT: "tloop.cache_read"(%[[C]]#0, %[[C]]#1) {block_name = "left", operand = 0 : i64}
// CHECK-NEXT: "tloop.cache_read"(%[[C]]#0, %[[C]]#1) {block_name = "right", operand = 1 : i64}
// CHECK-NEXT: "tloop.annotate"(%[[C]]#1) {key = "accel.stages", value = 4 : i64}
func.func private @convolution(%x: tensor<1x1x28x28x128xf16>, %w: tensor<1x1x3x3x128x128xf16>) -> tensor<1x1x28x28x128xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, graph.unrounded, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x1x28x28x128xf16>, tensor<1x1x3x3x128x128xf16>) -> tensor<1x1x28x28x128xf16>
  %1 = "graph.cast"(%0) : (tensor<1x1x28x28x128xf16>) -> tensor<1x1x28x28x128xf32>
  return %1 : tensor<1x1x28x28x128xf32>
}

// -----

// The matrix is read once: 8 columns and 256 terms at a time, whose sums are added at the end.
// CHECK-LABEL: func.func private @row(
// CHECK: tensor.expand_shape %arg0 {{.*}} output_shape [1, 8, 256]
// CHECK: tensor.expand_shape %arg1 {{.*}} output_shape [8, 256, 1000]
// CHECK: linalg.generic {{.*}}"reduction"]} ins({{.*}} outs({{.*}} : tensor<1x256x1000xf32>) {{.*}} {tloop.block = "[[SUMS:producer[0-9]]]"}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 8>}
// CHECK-COUNT-4: "tloop.compute_at"
// CHECK-NEXT: %[[B:.*]] = "tloop.get_block"() {block_name = "[[SUMS]]"}
// CHECK-NEXT: "tloop.tile"(%[[B]]) {mode = "sequential", sizes = array<i64: 0, 0, 0, 1>}
// CHECK-NOT: cache_read
func.func private @row(%a: tensor<1x2048xf32>, %b: tensor<2048x1000xf32>) -> tensor<1x1000xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<1x2048xf32>, tensor<2048x1000xf32>) -> tensor<1x1000xf32>
  return %0 : tensor<1x1000xf32>
}

// -----

// One element of the window after the other; without padding, skipped elements need not be copied.
// CHECK-LABEL: func.func private @depthwise(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 1, {{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 1>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 1>}
// CHECK-NOT: cache_read
func.func private @depthwise(%x: tensor<1x1x17x17x64xf32>, %w: tensor<1x3x3x64xf32>) -> tensor<1x1x8x8x64xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 64 : i64, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<1x1x17x17x64xf32>, tensor<1x3x3x64xf32>) -> tensor<1x1x8x8x64xf32>
  return %0 : tensor<1x1x8x8x64xf32>
}

// -----

// A first layer in exact f32: the 4 channels at 7 of 49 elements of the window are one step.
// CHECK-LABEL: func.func private @first_layer(
// CHECK: "tloop.annotate"(%{{.*}}) {key = "accel.stages", value = 2 : i64}
// CHECK-NEXT: "tloop.annotate"(%{{.*}}) {key = "accel.merged", value = 7 : i64}
func.func private @first_layer(%x: tensor<1x1x229x229x4xf32>, %w: tensor<1x1x7x7x4x64xf32>) -> tensor<1x1x112x112x64xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<1x1x229x229x4xf32>, tensor<1x1x7x7x4x64xf32>) -> tensor<1x1x112x112x64xf32>
  return %0 : tensor<1x1x112x112x64xf32>
}

// -----

// On sm_90a steps are of 128 bytes where groups of warps can multiply: 8 bits with the reduction innermost.
// CHECK-LABEL: func.func private @integers_by_columns(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 128, 128>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 128>}
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @integers_by_columns(%a: tensor<2048x512xi8>, %b: tensor<768x512xi8>) -> tensor<2048x768xi32> attributes {tloop.kernel} {
  %0 = "graph.cast"(%a) : (tensor<2048x512xi8>) -> tensor<2048x512xi32>
  %1 = "graph.cast"(%b) : (tensor<768x512xi8>) -> tensor<768x512xi32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<768x512xi32>) -> tensor<512x768xi32>
  %3 = "graph.matmul"(%0, %2) : (tensor<2048x512xi32>, tensor<512x768xi32>) -> tensor<2048x768xi32>
  return %3 : tensor<2048x768xi32>
}
}

// -----

// The right operand by rows is for single warps, whose steps are 64 bytes.
// CHECK-LABEL: func.func private @integers_by_rows(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 128, 128>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 64>}
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @integers_by_rows(%a: tensor<1x2048x512xi8>, %b: tensor<1x512x768xi8>) -> tensor<1x2048x768xi32> attributes {tloop.kernel} {
  %0 = "graph.cast"(%a) : (tensor<1x2048x512xi8>) -> tensor<1x2048x512xi32>
  %1 = "graph.cast"(%b) : (tensor<1x512x768xi8>) -> tensor<1x512x768xi32>
  %2 = "graph.matmul"(%0, %1) : (tensor<1x2048x512xi32>, tensor<1x512x768xi32>) -> tensor<1x2048x768xi32>
  return %2 : tensor<1x2048x768xi32>
}
}

// -----

// So is the left operand by columns in tf32.
// CHECK-LABEL: func.func private @single_by_columns(
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 128, 128>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 16>}
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @single_by_columns(%a: tensor<512x2048xf32>, %b: tensor<768x512xf32>) -> tensor<2048x768xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<512x2048xf32>) -> tensor<2048x512xf32>
  %1 = "graph.transpose"(%b) {permutation = array<i64: 1, 0>} : (tensor<768x512xf32>) -> tensor<512x768xf32>
  %2 = "graph.matmul"(%0, %1) {accel.precision = "tf32"} : (tensor<2048x512xf32>, tensor<512x768xf32>) -> tensor<2048x768xf32>
  return %2 : tensor<2048x768xf32>
}
}
