// RUN: mlc-opt %s --split-input-file --graph-form-kernels | filecheck %s

// 14 MB of transformed images and products would go through memory: one kernel does all steps, and what follows.
// CHECK-LABEL: func.func @main
// CHECK: %[[Y:.*]] = "tloop.launch"(%arg0, %arg1, %arg2) {kernel = @[[K:winograd_input_matmul_packed_winograd_output_etc_[0-9a-f]*]]
// CHECK-NEXT: return %[[Y]]
// CHECK: func.func private @[[K]]
// CHECK-NEXT: "graph.winograd_input"
// CHECK-NEXT: "graph.matmul_packed"
// CHECK-NEXT: "graph.winograd_output"
// CHECK-NEXT: "graph.add"
// CHECK-NEXT: "graph.relu"
func.func @main(%x: tensor<1x2x58x114x32xf32>, %w: tensor<36x2x64x32xf32>, %b: tensor<1x2x1x1x32xf32>) -> tensor<1x2x56x112x32xf32> {
  %0 = "graph.winograd_input"(%x) {tile = 4 : i64} : (tensor<1x2x58x114x32xf32>) -> tensor<36x392x64xf32>
  %1 = "graph.matmul_packed"(%0, %w) : (tensor<36x392x64xf32>, tensor<36x2x64x32xf32>) -> tensor<36x392x2x32xf32>
  %2 = "graph.winograd_output"(%1) {tile = 4 : i64, shape = array<i64: 1, 56, 112>} : (tensor<36x392x2x32xf32>) -> tensor<1x2x56x112x32xf32>
  %3 = "graph.add"(%2, %b) : (tensor<1x2x56x112x32xf32>, tensor<1x2x1x1x32xf32>) -> tensor<1x2x56x112x32xf32>
  %4 = "graph.relu"(%3) : (tensor<1x2x56x112x32xf32>) -> tensor<1x2x56x112x32xf32>
  return %4 : tensor<1x2x56x112x32xf32>
}

// -----

// 1 MB stays in caches; each step has the parallel loop that suits it.
// CHECK-LABEL: func.func @main
// CHECK: "tloop.launch"(%arg0) {kernel = @winograd_input_
// CHECK: "tloop.launch"(%{{.*}}, %arg1) {kernel = @matmul_packed_
// CHECK: "tloop.launch"(%{{.*}}) {kernel = @winograd_output_
func.func @main(%x: tensor<1x2x18x34x32xf32>, %w: tensor<36x2x64x32xf32>) -> tensor<1x2x16x32x32xf32> {
  %0 = "graph.winograd_input"(%x) {tile = 4 : i64} : (tensor<1x2x18x34x32xf32>) -> tensor<36x32x64xf32>
  %1 = "graph.matmul_packed"(%0, %w) : (tensor<36x32x64xf32>, tensor<36x2x64x32xf32>) -> tensor<36x32x2x32xf32>
  %2 = "graph.winograd_output"(%1) {tile = 4 : i64, shape = array<i64: 1, 16, 32>} : (tensor<36x32x2x32xf32>) -> tensor<1x2x16x32x32xf32>
  return %2 : tensor<1x2x16x32x32xf32>
}

// -----

// What two products read is transformed once, in a separate kernel.
// CHECK-LABEL: func.func @main
// CHECK: %[[V:.*]] = "tloop.launch"(%arg0) {kernel = @winograd_input_
// CHECK: "tloop.launch"(%[[V]], %arg1) {kernel = @matmul_packed_
// CHECK: "tloop.launch"(%[[V]], %arg2) {kernel = @matmul_packed_
func.func @main(%x: tensor<1x2x58x114x32xf32>, %w: tensor<36x2x64x32xf32>, %v: tensor<36x2x64x32xf32>) -> (tensor<1x2x56x112x32xf32>, tensor<1x2x56x112x32xf32>) {
  %0 = "graph.winograd_input"(%x) {tile = 4 : i64} : (tensor<1x2x58x114x32xf32>) -> tensor<36x392x64xf32>
  %1 = "graph.matmul_packed"(%0, %w) : (tensor<36x392x64xf32>, tensor<36x2x64x32xf32>) -> tensor<36x392x2x32xf32>
  %2 = "graph.matmul_packed"(%0, %v) : (tensor<36x392x64xf32>, tensor<36x2x64x32xf32>) -> tensor<36x392x2x32xf32>
  %3 = "graph.winograd_output"(%1) {tile = 4 : i64, shape = array<i64: 1, 56, 112>} : (tensor<36x392x2x32xf32>) -> tensor<1x2x56x112x32xf32>
  %4 = "graph.winograd_output"(%2) {tile = 4 : i64, shape = array<i64: 1, 56, 112>} : (tensor<36x392x2x32xf32>) -> tensor<1x2x56x112x32xf32>
  return %3, %4 : tensor<1x2x56x112x32xf32>, tensor<1x2x56x112x32xf32>
}

// -----

// What the padding covers is cut off in the kernel; what it does not cover is copied.
// CHECK-LABEL: func.func @main
// CHECK: "tloop.launch"(%arg0) {kernel = @[[C:max_pool_slice_pad_[0-9a-f]*]]
// CHECK: "tloop.launch"(%arg0) {kernel = @max_pool_{{[0-9a-f]*}}
// CHECK: kernel = @slice_pad_
// CHECK: func.func private @[[C]]
func.func @main(%x: tensor<1x2x32x32x16xf32>) -> (tensor<1x2x17x17x16xf32>, tensor<1x2x16x16x16xf32>) {
  %0 = "graph.max_pool"(%x) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x32x32x16xf32>) -> tensor<1x2x16x16x16xf32>
  %1 = "graph.slice"(%0) {starts = array<i64: 0, 0, 0, 0, 0>, sizes = array<i64: 1, 2, 15, 15, 16>, steps = array<i64: 1, 1, 1, 1, 1>} : (tensor<1x2x16x16x16xf32>) -> tensor<1x2x15x15x16xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x2x15x15x16xf32>) -> tensor<1x2x17x17x16xf32>
  %3 = "graph.max_pool"(%x) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}
      : (tensor<1x2x32x32x16xf32>) -> tensor<1x2x15x15x16xf32>
  %4 = "graph.slice"(%3) {starts = array<i64: 0, 0, 0, 0, 0>, sizes = array<i64: 1, 2, 13, 13, 16>, steps = array<i64: 1, 1, 1, 1, 1>} : (tensor<1x2x15x15x16xf32>) -> tensor<1x2x13x13x16xf32>
  %5 = "graph.pad"(%4) {low = array<i64: 0, 0, 2, 2, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x2x13x13x16xf32>) -> tensor<1x2x16x16x16xf32>
  return %2, %5 : tensor<1x2x17x17x16xf32>, tensor<1x2x16x16x16xf32>
}
