// RUN: mlc-opt %s --split-input-file --graph-narrow-values | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-narrow-values --graph-form-kernels | filecheck %s --check-prefix=KERNELS

// A product's kernel rounds what it makes once, after bias and activation; each reader widens what it reads. What a
// product and a sum read is stored once. What only a normalisation and a sum read stays f32, and what @main returns.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = "graph.matmul"(%arg0, %arg1) {graph.unrounded}
// CHECK: %[[S:.*]] = "graph.cast"(%[[P]]) {saturate = true} : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CHECK: %[[B:.*]] = "graph.add"(%[[S]], %arg2)
// CHECK: %[[R:.*]] = "graph.relu"(%[[B]])
// CHECK: %[[N:.*]] = "graph.cast"(%[[R]]) {saturate = true} : (tensor<8x8xf32>) -> tensor<8x8xbf16>
// CHECK: %[[W:.*]] = "graph.cast"(%[[N]]) {graph.rematerialize, saturate = true}
// CHECK: %[[Q:.*]] = "graph.matmul"(%[[N]], %arg1)
// CHECK: %[[T:.*]] = "graph.cast"(%[[Q]])
// CHECK: %[[E:.*]] = "graph.add"(%[[T]], %[[W]])
// CHECK-NEXT: %[[L:.*]] = "graph.layer_norm"(%[[E]])
// CHECK-NEXT: %[[F:.*]] = "graph.add"(%[[L]], %[[E]])
// CHECK-NEXT: return %[[F]]

// KERNELS-LABEL: func.func @main
// KERNELS: "tloop.launch"(%arg0, %arg1, %arg2) {kernel = @matmul_cast_add_etc{{.*}} -> tensor<8x8xbf16>
// KERNELS: "tloop.launch"({{.*}}) {kernel = @cast_matmul_cast_add{{.*}} -> tensor<8x8xf32>
// KERNELS: "tloop.launch"({{.*}}) {kernel = @layer_norm_add{{.*}} -> tensor<8x8xf32>
// KERNELS-NEXT: return
func.func @main(%x: tensor<8x8xbf16>, %w: tensor<8x8xbf16>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %0 = "graph.matmul"(%x, %w) {graph.unrounded} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %1 = "graph.cast"(%0) {saturate = true} : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  %2 = "graph.add"(%1, %b) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %3 = "graph.relu"(%2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = "graph.cast"(%3) {saturate = true} : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  %5 = "graph.matmul"(%4, %w) {graph.unrounded} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %6 = "graph.cast"(%5) {saturate = true} : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  %7 = "graph.add"(%6, %3) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = "graph.layer_norm"(%7) {axes = array<i64: 1>, epsilon = 1.0e-05} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %9 = "graph.add"(%8, %7) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %9 : tensor<8x8xf32>
}

// -----

// Moves and pools are of 16 bits; means over rows, and what arg_max compares, are f32. Rounding comes before a
// transpose that ends a kernel.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = "graph.matmul"({{.*}}) {graph.unrounded}
// CHECK-NEXT: %[[T:.*]] = "graph.transpose"(%[[P]]) {{.*}} -> tensor<4x8xf16>
// CHECK-NEXT: %[[V:.*]] = "graph.reshape"(%[[T]]) {{.*}} -> tensor<1x4x2x4xf16>
// CHECK-NEXT: %[[W:.*]] = "graph.cast"(%[[V]]) {graph.rematerialize
// CHECK-NEXT: %[[A:.*]] = "graph.average_pool"(%[[V]]) {{.*}}graph.unrounded{{.*}} -> tensor<1x4x1x2xf16>
// CHECK-NEXT: %[[X:.*]] = "graph.cast"(%[[A]]) {saturate
// CHECK-NEXT: %[[M:.*]] = "graph.reduce_mean"(%[[W]]) {{.*}} -> tensor<1x4x1x1xf32>
// CHECK-NEXT: "graph.mul"(%[[X]], %[[M]]) : {{.*}} -> tensor<1x4x1x2xf32>
func.func @main(%x: tensor<8x8xf16>, %w: tensor<8x4xf16>) -> (tensor<1x4x1x2xf32>, tensor<1x4x1x2xi64>) {
  %0 = "graph.matmul"(%x, %w) {graph.unrounded} : (tensor<8x8xf16>, tensor<8x4xf16>) -> tensor<8x4xf16>
  %1 = "graph.cast"(%0) {saturate = true} : (tensor<8x4xf16>) -> tensor<8x4xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %3 = "graph.reshape"(%2) {shape = array<i64: 1, 4, 2, 4>} : (tensor<4x8xf32>) -> tensor<1x4x2x4xf32>
  %4 = "graph.average_pool"(%3) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x2x4xf32>) -> tensor<1x4x1x2xf32>
  %5 = "graph.reduce_mean"(%3) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x4x2x4xf32>) -> tensor<1x4x1x1xf32>
  %6 = "graph.mul"(%4, %5) : (tensor<1x4x1x2xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x1x2xf32>
  %7 = "graph.exp"(%6) : (tensor<1x4x1x2xf32>) -> tensor<1x4x1x2xf32>
  %8 = "graph.arg_max"(%7) {axis = 0, keepdims = true, select_last_index = false} : (tensor<1x4x1x2xf32>) -> tensor<1x4x1x2xi64>
  return %6, %8 : tensor<1x4x1x2xf32>, tensor<1x4x1x2xi64>
}

// -----

// What is broadcast is widened where it is read.
// CHECK-LABEL: func.func @main
// CHECK: "graph.cast"(%{{.*}}) {graph.rematerialize
// KERNELS-LABEL: func.func @main
// KERNELS: %[[P:.*]] = "tloop.launch"({{.*}}) {kernel = @matmul{{.*}} -> tensor<1x8xf16>
// KERNELS-NEXT: %[[A:.*]] = "tloop.launch"(%[[P]], %arg2) {kernel = @cast_add{{.*}} -> tensor<4x8xf32>
// KERNELS-NEXT: return %[[A]]
func.func @main(%x: tensor<1x8xf16>, %w: tensor<8x8xf16>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "graph.matmul"(%x, %w) {graph.unrounded} : (tensor<1x8xf16>, tensor<8x8xf16>) -> tensor<1x8xf16>
  %1 = "graph.cast"(%0) {saturate = true} : (tensor<1x8xf16>) -> tensor<1x8xf32>
  %2 = "graph.add"(%1, %y) : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Models of 16 bits are left alone: they say themselves what is rounded.
// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.rematerialize
func.func @main(%x: tensor<8x8xf16>, %w: tensor<8x8xf16>) -> tensor<8x8xf32> {
  %0 = "graph.matmul"(%x, %w) : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %1 = "graph.cast"(%0) {saturate = true} : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %2 = "graph.softmax"(%1) {axis = 1} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = "graph.softmax"(%2) {axis = 0} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
