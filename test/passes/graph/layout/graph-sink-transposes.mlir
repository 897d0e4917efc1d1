// RUN: mlc-opt %s --graph-sink-transposes | filecheck %s
// RUN: mlc-opt %s --graph-sink-transposes=exactness=exact | filecheck %s --check-prefix=EXACT

// Between convolutions, in channels-last: both transposes cancel, the bias is transposed. Shapes may be unknown.
// CHECK-LABEL: func.func @between_convolutions
// CHECK-NEXT: %[[FIRST:.*]] = "graph.conv"
// CHECK-NEXT: %[[MOVED:.*]] = "graph.constant"() {value = dense<[{{.*}}> : tensor<1x8x1x1xf32>}
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%[[FIRST]], %[[MOVED]]) : (tensor<?x8x?x?xf32>, tensor<1x8x1x1xf32>) -> tensor<?x8x?x?xf32>
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[SUM]])
// CHECK-NEXT: "graph.conv"(%[[RELU]], %arg1)
// CHECK-NEXT: return
func.func @between_convolutions(%x: tensor<?x8x?x?xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<?x8x?x?xf32> {
  %b = "graph.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>} : () -> tensor<8xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x8x?x?xf32>, tensor<8x8x1x1xf32>) -> tensor<?x8x?x?xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x8x?x?xf32>) -> tensor<?x?x?x8xf32>
  %2 = "graph.add"(%1, %b) : (tensor<?x?x?x8xf32>, tensor<8xf32>) -> tensor<?x?x?x8xf32>
  %3 = "graph.relu"(%2) : (tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %4 = "graph.transpose"(%3) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<?x?x?x8xf32>) -> tensor<?x8x?x?xf32>
  %5 = "graph.conv"(%4, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x8x?x?xf32>, tensor<8x8x1x1xf32>) -> tensor<?x8x?x?xf32>
  return %5 : tensor<?x8x?x?xf32>
}

// A residual block: what both branches read and write moves at once.
// CHECK-LABEL: func.func @residual
// CHECK-NOT: graph.transpose
// CHECK: %[[LEFT:.*]] = "graph.relu"(%{{.*}}) : (tensor<1x8x4x6xf32>)
// CHECK: "graph.add"(%{{.*}}, %[[LEFT]]) : (tensor<1x8x4x6xf32>, tensor<1x8x4x6xf32>)
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @residual(%x: tensor<1x8x4x6xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<1x8x4x6xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x4x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x6xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %2 = "graph.relu"(%1) : (tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
  %3 = "graph.transpose"(%2) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x8xf32>) -> tensor<1x8x4x6xf32>
  %4 = "graph.conv"(%3, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x4x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x6xf32>
  %5 = "graph.transpose"(%4) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %6 = "graph.add"(%5, %2) : (tensor<1x4x6x8xf32>, tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
  %7 = "graph.transpose"(%6) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x8xf32>) -> tensor<1x8x4x6xf32>
  %8 = "graph.conv"(%7, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x4x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x6xf32>
  return %8 : tensor<1x8x4x6xf32>
}

// Axes and entries per dim follow: concatenation, slice, padding, softmax, scan, expansion.
// CHECK-LABEL: func.func @axes
// CHECK-NOT: graph.transpose
// CHECK: "graph.concat"(%arg0, %arg1) {axis = 1 : i64
// CHECK-NEXT: "graph.slice"(%{{.*}}) {sizes = array<i64: 1, 8, 4, 6>, starts = array<i64: 0, 1, 0, 0>, steps = array<i64: 1, 2, 1, 1>}
// CHECK-NEXT: "graph.pad"(%{{.*}}) {high = array<i64: 0, 1, 0, 0>, low = array<i64: 0, 0, 2, 0>
// CHECK-NEXT: "graph.cumsum"(%{{.*}}) {axis = 2 : i64
// CHECK-NEXT: "graph.softmax"(%{{.*}}) {axis = 3 : i64}
// CHECK-NEXT: "graph.expand"(%{{.*}}) {shape = array<i64: 5, 9, 6, 6>}
// CHECK-NEXT: return
func.func @axes(%x: tensor<1x8x4x6xf32>, %y: tensor<1x8x4x6xf32>) -> tensor<5x9x6x6xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %1 = "graph.transpose"(%y) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %2 = "graph.concat"(%0, %1) {axis = 3 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x4x6x8xf32>, tensor<1x4x6x8xf32>) -> tensor<1x4x6x16xf32>
  %3 = "graph.slice"(%2) {sizes = array<i64: 1, 4, 6, 8>, starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 1, 2>} : (tensor<1x4x6x16xf32>) -> tensor<1x4x6x8xf32>
  %4 = "graph.pad"(%3) {high = array<i64: 0, 0, 0, 1>, low = array<i64: 0, 2, 0, 0>, mode = "constant", value = 0.000000e+00 : f64} : (tensor<1x4x6x8xf32>) -> tensor<1x6x6x9xf32>
  %5 = "graph.cumsum"(%4) {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<1x6x6x9xf32>) -> tensor<1x6x6x9xf32>
  %6 = "graph.softmax"(%5) {axis = 2 : i64} : (tensor<1x6x6x9xf32>) -> tensor<1x6x6x9xf32>
  %7 = "graph.expand"(%6) {shape = array<i64: 5, 6, 6, 9>} : (tensor<1x6x6x9xf32>) -> tensor<5x6x6x9xf32>
  %8 = "graph.transpose"(%7) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<5x6x6x9xf32>) -> tensor<5x9x6x6xf32>
  return %8 : tensor<5x9x6x6xf32>
}

// Reductions drop the moved dims: a mean over pixels is independent of their order. With several axes it adds in another order.
// CHECK-LABEL: func.func @reduced
// CHECK-NOT: graph.transpose
// CHECK: "graph.reduce_mean"(%arg0) {axes = array<i64: 2, 3>, keepdims = false} : (tensor<1x8x4x6xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: return
// EXACT-LABEL: func.func @reduced
// EXACT: graph.transpose
// EXACT-NEXT: graph.reduce_mean
// EXACT: return
func.func @reduced(%x: tensor<1x8x4x6xf32>) -> tensor<1x8xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %1 = "graph.reduce_mean"(%0) {axes = array<i64: 1, 2>, keepdims = false} : (tensor<1x4x6x8xf32>) -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// Normalisation over the innermost dim would read with strides: that costs as much as one transpose, so it moves only where two go.
// CHECK-LABEL: func.func @normalised
// CHECK-NEXT: %[[FIRST:.*]] = "graph.transpose"(%arg0)
// CHECK-NEXT: %[[NORM:.*]] = "graph.layer_norm"(%[[FIRST]]) {axes = array<i64: 3>
// CHECK-NEXT: return %[[NORM]]
func.func @normalised(%x: tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %1 = "graph.layer_norm"(%0) {axes = array<i64: 3>, epsilon = 1.000000e-05 : f64} : (tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
  return %1 : tensor<1x4x6x8xf32>
}

// CHECK-LABEL: func.func @normalised_between
// CHECK-NEXT: %[[NORM:.*]] = "graph.layer_norm"(%arg0) {axes = array<i64: 1>
// CHECK-NEXT: return %[[NORM]]
// EXACT-LABEL: func.func @normalised_between
// EXACT: graph.transpose
// EXACT: graph.layer_norm
// EXACT: graph.transpose
// EXACT: return
func.func @normalised_between(%x: tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %1 = "graph.layer_norm"(%0) {axes = array<i64: 3>, epsilon = 1.000000e-05 : f64} : (tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x8xf32>) -> tensor<1x8x4x6xf32>
  return %2 : tensor<1x8x4x6xf32>
}

// Products read transposed operands for nothing: the transpose goes down to them, and the weight is transposed instead.
// CHECK-LABEL: func.func @into_matmul
// CHECK: %[[WEIGHT:.*]] = "graph.weight"() {{.*}} -> tensor<1x8x16x64xf32>
// CHECK: %[[MOVED:.*]] = "graph.transpose"(%[[WEIGHT]]) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x8x16x64xf32>) -> tensor<1x16x8x64xf32>
// CHECK: %[[SCALED:.*]] = "graph.mul"(%arg0, %[[MOVED]]) : (tensor<2x16x8x64xf32>, tensor<1x16x8x64xf32>)
// CHECK-NEXT: %[[HEADS:.*]] = "graph.transpose"(%[[SCALED]]) {permutation = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: "graph.matmul"(%[[HEADS]], %arg1)
// CHECK-NEXT: return
func.func @into_matmul(%x: tensor<2x16x8x64xf32>, %y: tensor<2x8x64x16xf32>) -> tensor<2x8x16x16xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 32768 : i64, hash = "a"} : () -> tensor<8x16x64xf32>
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x16x8x64xf32>) -> tensor<2x8x16x64xf32>
  %1 = "graph.mul"(%0, %w) : (tensor<2x8x16x64xf32>, tensor<8x16x64xf32>) -> tensor<2x8x16x64xf32>
  %2 = "graph.matmul"(%1, %y) : (tensor<2x8x16x64xf32>, tensor<2x8x64x16xf32>) -> tensor<2x8x16x16xf32>
  return %2 : tensor<2x8x16x16xf32>
}

// After a convolution: bias and activation join it, the transpose comes last.
// CHECK-LABEL: func.func @to_the_end
// CHECK-NEXT: %[[CONV:.*]] = "graph.conv"
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[CONV]])
// CHECK-NEXT: %[[LAST:.*]] = "graph.transpose"(%[[RELU]]) {permutation = array<i64: 0, 2, 3, 1>}
// CHECK-NEXT: return %[[LAST]]
func.func @to_the_end(%x: tensor<1x8x4x6xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<1x4x6x8xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x4x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x6xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %2 = "graph.relu"(%1) : (tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
  return %2 : tensor<1x4x6x8xf32>
}

// The smaller value is transposed: before an expansion, after a slice.
// CHECK-LABEL: func.func @smaller
// CHECK-NEXT: %[[SLICE:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 1, 8, 4, 1>
// CHECK-NEXT: %[[MOVED:.*]] = "graph.transpose"(%[[SLICE]]) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x1xf32>) -> tensor<1x4x1x8xf32>
// CHECK-NEXT: %[[FIRST:.*]] = "graph.transpose"(%arg1) {permutation = array<i64: 0, 2, 3, 1>}
// CHECK-NEXT: %[[LARGE:.*]] = "graph.expand"(%[[FIRST]]) {shape = array<i64: 7, 4, 6, 8>}
// CHECK-NEXT: return %[[MOVED]], %[[LARGE]]
func.func @smaller(%x: tensor<1x8x4x6xf32>, %y: tensor<1x8x4x6xf32>) -> (tensor<1x4x1x8xf32>, tensor<7x4x6x8xf32>) {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: 1, 4, 1, 8>, starts = array<i64: 0, 0, 2, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x6x8xf32>) -> tensor<1x4x1x8xf32>
  %2 = "graph.expand"(%y) {shape = array<i64: 7, 8, 4, 6>} : (tensor<1x8x4x6xf32>) -> tensor<7x8x4x6xf32>
  %3 = "graph.transpose"(%2) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<7x8x4x6xf32>) -> tensor<7x4x6x8xf32>
  return %1, %3 : tensor<1x4x1x8xf32>, tensor<7x4x6x8xf32>
}

// Rotary embedding in one transpose: parts, signs and their concatenation.
// CHECK-LABEL: func.func @rotated
// CHECK-COUNT-1: graph.transpose
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @rotated(%x: tensor<2x16x8x64xf32>) -> tensor<2x8x64x16xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x16x8x64xf32>) -> tensor<2x8x16x64xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: 2, 8, 16, 32>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<2x8x16x64xf32>) -> tensor<2x8x16x32xf32>
  %2 = "graph.slice"(%0) {sizes = array<i64: 2, 8, 16, 32>, starts = array<i64: 0, 0, 0, 32>, steps = array<i64: 1, 1, 1, 1>} : (tensor<2x8x16x64xf32>) -> tensor<2x8x16x32xf32>
  %3 = "graph.neg"(%2) : (tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32>
  %4 = "graph.concat"(%3, %1) {axis = 3 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>) -> tensor<2x8x16x64xf32>
  %5 = "graph.transpose"(%4) {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x8x16x64xf32>) -> tensor<2x8x64x16xf32>
  return %5 : tensor<2x8x64x16xf32>
}

// Reshapes that keep the moved dims whole let a transpose pass.
// CHECK-LABEL: func.func @merged
// CHECK-NEXT: %[[MERGED:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 2, 8, 24>}
// CHECK-NEXT: return %[[MERGED]]
func.func @merged(%x: tensor<2x8x4x6xf32>) -> tensor<2x8x24xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x8x4x6xf32>) -> tensor<2x4x6x8xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 2, 24, 8>} : (tensor<2x4x6x8xf32>) -> tensor<2x24x8xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 0, 2, 1>} : (tensor<2x24x8xf32>) -> tensor<2x8x24xf32>
  return %2 : tensor<2x8x24xf32>
}

// Nothing to gain: one transpose whatever is done; a reshape that tears the moved dims.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: %[[A:.*]] = "graph.transpose"(%arg0)
// CHECK-NEXT: %[[B:.*]] = "graph.relu"(%[[A]])
// CHECK-NEXT: %[[C:.*]] = "graph.transpose"(%arg1)
// CHECK-NEXT: %[[D:.*]] = "graph.reshape"(%[[C]])
// CHECK-NEXT: %[[E:.*]] = "graph.transpose"(%[[D]])
// CHECK-NEXT: return %[[B]], %[[E]]
func.func @kept(%x: tensor<1x8x4x6xf32>, %y: tensor<2x8x4x6xf32>) -> (tensor<1x4x6x8xf32>, tensor<8x48xf32>) {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x6x8xf32>
  %1 = "graph.relu"(%0) : (tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
  %2 = "graph.transpose"(%y) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x8x4x6xf32>) -> tensor<2x4x6x8xf32>
  %3 = "graph.reshape"(%2) {shape = array<i64: 48, 8>} : (tensor<2x4x6x8xf32>) -> tensor<48x8xf32>
  %4 = "graph.transpose"(%3) {permutation = array<i64: 1, 0>} : (tensor<48x8xf32>) -> tensor<8x48xf32>
  return %1, %4 : tensor<1x4x6x8xf32>, tensor<8x48xf32>
}

// A result in both orders needs one transpose.
// CHECK-LABEL: func.func @both_orders
// CHECK-NEXT: %[[TANH:.*]] = "graph.tanh"(%arg0)
// CHECK-NEXT: %[[MOVED:.*]] = "graph.transpose"(%[[TANH]]) {permutation = array<i64: 0, 3, 2, 1>}
// CHECK-NEXT: return %[[MOVED]], %[[TANH]]
func.func @both_orders(%x: tensor<1x8x4x6xf32>) -> (tensor<1x6x4x8xf32>, tensor<1x8x4x6xf32>) {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 3, 2, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x6x4x8xf32>
  %1 = "graph.tanh"(%0) : (tensor<1x6x4x8xf32>) -> tensor<1x6x4x8xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 0, 3, 2, 1>} : (tensor<1x6x4x8xf32>) -> tensor<1x8x4x6xf32>
  return %1, %2 : tensor<1x6x4x8xf32>, tensor<1x8x4x6xf32>
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

// Two products would read one transpose, which is then in the kernel of neither: it stays at the smaller value.
// CHECK-LABEL: func.func @two_products
// CHECK: %[[SMALL:.*]] = "graph.transpose"(%arg0) {permutation = array<i64: 1, 0, 2>} : (tensor<?x21x1xf32>)
// CHECK-NEXT: %[[FACTORS:.*]] = "graph.mul"(%[[SMALL]], %arg1)
// CHECK-NEXT: "graph.matmul"(%[[FACTORS]], %arg2)
// CHECK-NEXT: "graph.matmul"(%[[FACTORS]], %arg3)
// CHECK-NEXT: return
func.func @two_products(%x: tensor<?x21x1xf32>, %y: tensor<61xf32>, %v: tensor<61x8xf32>, %w: tensor<61x8xf32>) -> (tensor<21x?x8xf32>, tensor<21x?x8xf32>) {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<?x21x1xf32>) -> tensor<21x?x1xf32>
  %1 = "graph.mul"(%0, %y) : (tensor<21x?x1xf32>, tensor<61xf32>) -> tensor<21x?x61xf32>
  %2 = "graph.matmul"(%1, %v) : (tensor<21x?x61xf32>, tensor<61x8xf32>) -> tensor<21x?x8xf32>
  %3 = "graph.matmul"(%1, %w) : (tensor<21x?x61xf32>, tensor<61x8xf32>) -> tensor<21x?x8xf32>
  return %2, %3 : tensor<21x?x8xf32>, tensor<21x?x8xf32>
}
