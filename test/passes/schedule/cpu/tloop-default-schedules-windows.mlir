// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --tloop-default-schedules | filecheck %s
// RUN: mlc-opt %s --split-input-file --cpu-kernel | filecheck %s --check-prefix=VECTORS

// A window on plain rows: seven rows of the image's channel at a time, whose padding is registers; the bias follows.
// CHECK-LABEL: func.func private @plain_depthwise
// CHECK: "tloop.row_window"(%arg0, %arg1) {{{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}}tloop.block = "window"
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 1, 1, 7>}
// CHECK: "tloop.compute_at"
// CHECK: "tloop.vectorize"
// VECTORS-LABEL: plain_depthwise
// VECTORS: llvm.shufflevector {{.*}} : vector<16xf32>
// VECTORS-NOT: llvm.alloca
func.func private @plain_depthwise(%x: tensor<1x272x28x28xf32>, %w: tensor<272x1x3x3xf32>, %b: tensor<272x1x1xf32>) -> tensor<1x272x28x28xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 272, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x272x28x28xf32>, tensor<272x1x3x3xf32>) -> tensor<1x272x28x28xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x272x28x28xf32>, tensor<272x1x1xf32>) -> tensor<1x272x28x28xf32>
  return %1 : tensor<1x272x28x28xf32>
}

// -----

// With a stride of 2, even and odd columns are separate vectors. The whole channel is one part.
// CHECK-LABEL: func.func private @strided
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 1, 1, 7>}
// VECTORS-LABEL: strided
// VECTORS: llvm.shufflevector {{.*}} [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30] : vector<32xf32>
func.func private @strided(%x: tensor<1x272x15x15xf32>) -> tensor<1x272x7x7xf32> attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x272x15x15xf32>) -> tensor<1x272x7x7xf32>
  return %0 : tensor<1x272x7x7xf32>
}

// -----

// A long row: tiles of four vectors. Inside of the row they read the image at each element of the window; at its ends
// under masks.
// CHECK-LABEL: func.func private @long_rows
// CHECK: %[[ROW:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 1, 4>}
// CHECK: %[[TILE:.*]]:2 = "tloop.tile"(%[[ROW]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 64>}
// CHECK: "tloop.shift_inwards"(%[[TILE]]#1)
// CHECK: "tloop.compute_at"(%{{.*}}, %[[TILE]]#1)
// CHECK: "tloop.vectorize"(%[[TILE]]#0)
// VECTORS-LABEL: long_rows
// VECTORS: llvm.load {{.*}} -> vector<16xf32>
// VECTORS: llvm.intr.masked.load {{.*}} -> vector<16xf32>
func.func private @long_rows(%x: tensor<1x272x28x900xf32>, %w: tensor<272x1x3x3xf32>) -> tensor<1x272x28x900xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 272, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x272x28x900xf32>, tensor<272x1x3x3xf32>) -> tensor<1x272x28x900xf32>
  return %0 : tensor<1x272x28x900xf32>
}

// -----

// Open rows: the last tile is partial, and the epilogue masked. A stride of 3 separates what is read into three phases.
// CHECK-LABEL: func.func private @open_signals
// CHECK: %[[ROW:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 1, 1>}
// CHECK: %[[TILE:.*]]:2 = "tloop.tile"(%[[ROW]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 64>}
// CHECK-NOT: "tloop.shift_inwards"
// CHECK: "tloop.vectorize"(%[[TILE]]#0)
// VECTORS-LABEL: open_signals
// VECTORS: llvm.load {{.*}} -> vector<48xf32>
// VECTORS: llvm.shufflevector {{.*}} [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45] : vector<48xf32>
// VECTORS: llvm.intr.masked.load {{.*}} -> vector<48xf32>
// VECTORS: llvm.intr.masked.store
func.func private @open_signals(%x: tensor<1x272x1x?xf32>, %w: tensor<272x1x1x5xf32>, %d: tensor<2xindex>) -> tensor<1x272x1x?xf32>
    attributes {tloop.kernel, tloop.dims = [["", "", "", "d0"], ["", "", "", ""], ["", "", "", "d1"]]} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 272, pads = array<i64: 0, 2, 0, 2>, strides = array<i64: 1, 3>, graph.dims = [["", "", "", "d1"]]}
      : (tensor<1x272x1x?xf32>, tensor<272x1x1x5xf32>) -> tensor<1x272x1x?xf32>
  %1 = "graph.relu"(%0) {graph.dims = [["", "", "", "d1"]]} : (tensor<1x272x1x?xf32>) -> tensor<1x272x1x?xf32>
  return %1 : tensor<1x272x1x?xf32>
}

// -----

// Groups of two channels of the image for three of the result: six weights of a channel are in registers.
// CHECK-LABEL: func.func private @groups
// CHECK: "tloop.row_window"
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 64>}
// VECTORS-LABEL: groups
// VECTORS-COUNT-6: llvm.load {{.*}} -> f32
func.func private @groups(%x: tensor<1x8x1x?xf32>, %w: tensor<12x2x1x3xf32>, %d: tensor<2xindex>) -> tensor<1x12x1x?xf32>
    attributes {tloop.kernel, tloop.dims = [["", "", "", "d0"], ["", "", "", ""], ["", "", "", "d1"]]} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 4, pads = array<i64: 0, 1, 0, 1>, strides = array<i64: 1, 1>, graph.dims = [["", "", "", "d1"]]}
      : (tensor<1x8x1x?xf32>, tensor<12x2x1x3xf32>) -> tensor<1x12x1x?xf32>
  return %0 : tensor<1x12x1x?xf32>
}

// -----

// Each channel of the result would read the only channel of the image again: blocks of channels read it once.
// CHECK-LABEL: func.func private @one_channel
// CHECK-NOT: tloop.row_window
func.func private @one_channel(%x: tensor<1x1x16x16xf32>, %w: tensor<37x1x3x3xf32>) -> tensor<1x37x14x14xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x16x16xf32>, tensor<37x1x3x3xf32>) -> tensor<1x37x14x14xf32>
  return %0 : tensor<1x37x14x14xf32>
}

// -----

// Windows of many elements on images of open size are no row windows.
// CHECK-LABEL: func.func private @large_window
// CHECK-NOT: tloop.row_window
func.func private @large_window(%x: tensor<1x272x?x?xf32>, %d: tensor<4xindex>) -> tensor<1x272x?x?xf32>
    attributes {tloop.kernel, tloop.dims = [["", "", "d0", "d1"], ["", "", "d2", "d3"]]} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 5, 5>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, graph.dims = [["", "", "d2", "d3"]]}
      : (tensor<1x272x?x?xf32>) -> tensor<1x272x?x?xf32>
  return %0 : tensor<1x272x?x?xf32>
}

// -----

// Elements that a window reads with a longer stride along the rows are not contiguous.
// CHECK-LABEL: func.func private @long_stride
// CHECK: "tloop.schedule"
// CHECK-NOT: tloop.vectorize
// CHECK: kernel = @long_stride
// VECTORS-LABEL: long_stride
func.func private @long_stride(%x: tensor<1x272x15x15xf32>, %w: tensor<272x1x3x3xf32>) -> tensor<1x272x5x5xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 272, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 3, 3>}
      : (tensor<1x272x15x15xf32>, tensor<272x1x3x3xf32>) -> tensor<1x272x5x5xf32>
  return %0 : tensor<1x272x5x5xf32>
}

// -----

// A window over several channels that slides point by point over plain rows: tiles of rows and columns of the image, on
// vectors; one point of the window at a time.
// CHECK-LABEL: func.func private @plain_window
// CHECK: tloop.block = "anchor"
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 0, 1>}
// CHECK: "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 1>}
// CHECK: "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 1>}
// CHECK: "tloop.vectorize"
// VECTORS-LABEL: plain_window
// VECTORS: llvm.load {{.*}} -> vector<14xf32>
func.func private @plain_window(%x: tensor<1x272x16x16xf32>, %w: tensor<272x2x3x3xf32>) -> tensor<1x272x14x14xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 136, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x272x16x16xf32>, tensor<272x2x3x3xf32>) -> tensor<1x272x14x14xf32>
  return %0 : tensor<1x272x14x14xf32>
}

// -----

// The channel that a point reads follows from a separate quotient: the rows are images, not channels.
// CHECK-LABEL: func.func private @one_spatial_dim
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 0, 1>}
// CHECK: "tloop.vectorize"
// VECTORS-LABEL: one_spatial_dim
// VECTORS: llvm.load {{.*}} -> vector<8xf32>
func.func private @one_spatial_dim(%x: tensor<6x32x10xf32>, %w: tensor<16x16x3xf32>) -> tensor<6x16x8xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1>, group = 2, layout = "NCHW", pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<6x32x10xf32>, tensor<16x16x3xf32>) -> tensor<6x16x8xf32>
  return %0 : tensor<6x16x8xf32>
}

// -----

// Booleans are bytes in memory, but bits in vectors: they are computed in a separate loop after the rows.
// CHECK-LABEL: func.func private @window_and_truth
// CHECK: tloop.block = "root"
// CHECK: arith.cmpf
// VECTORS-LABEL: window_and_truth
// VECTORS: llvm.store {{.*}} : vector<
// VECTORS: llvm.fcmp "ogt" {{.*}} : f32
// VECTORS-NOT: vector<{{.*}}i1>, !llvm.ptr
// VECTORS: llvm.return
func.func private @window_and_truth(%x: tensor<1x16x20x20xf32>, %y: tensor<f32>) -> tensor<1x16x19x19xi1> attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x20x20xf32>) -> tensor<1x16x19x19xf32>
  %1 = "graph.greater"(%0, %y) : (tensor<1x16x19x19xf32>, tensor<f32>) -> tensor<1x16x19x19xi1>
  return %1 : tensor<1x16x19x19xi1>
}
