// RUN: mlc-opt %s --graph-eliminate-concat-split | filecheck %s

// The same op on all parts: once on the whole. Operands that do not vary along the axis are shared, constants join.
// CHECK-LABEL: func.func @elementwise
// CHECK-DAG: %[[RELU:.*]] = "graph.relu"(%arg0)
// CHECK-DAG: %[[FACTORS:.*]] = "graph.concat"(%{{.*}}, %{{.*}}) {axis = 0 : i64, {{.*}} : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
// CHECK: %[[SCALED:.*]] = "graph.mul"(%[[RELU]], %[[FACTORS]]) : (tensor<?x8x4xf32>, tensor<8x1xf32>) -> tensor<?x8x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%[[SCALED]], %arg1) : (tensor<?x8x4xf32>, tensor<4xf32>)
// CHECK-NEXT: return %[[SUM]]
func.func @elementwise(%x: tensor<?x8x4xf32>, %y: tensor<4xf32>) -> tensor<?x8x4xf32> {
  %a = "graph.constant"() {value = dense<2.0> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
  %b = "graph.constant"() {value = dense<3.0> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
  %0 = "graph.slice"(%x) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %1 = "graph.slice"(%x) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 4, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %2 = "graph.relu"(%0) : (tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %3 = "graph.relu"(%1) : (tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %4 = "graph.mul"(%2, %a) : (tensor<?x4x4xf32>, tensor<4x1xf32>) -> tensor<?x4x4xf32>
  %5 = "graph.mul"(%3, %b) : (tensor<?x4x4xf32>, tensor<4x1xf32>) -> tensor<?x4x4xf32>
  %6 = "graph.add"(%4, %y) : (tensor<?x4x4xf32>, tensor<4xf32>) -> tensor<?x4x4xf32>
  %7 = "graph.add"(%5, %y) : (tensor<?x4x4xf32>, tensor<4xf32>) -> tensor<?x4x4xf32>
  %8 = "graph.concat"(%6, %7) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x8x4xf32>
  return %8 : tensor<?x8x4xf32>
}

// Two values split equally; a cast; neighbouring parts that are not all.
// CHECK-LABEL: func.func @two_values
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%arg0, %arg1)
// CHECK-NEXT: %[[CAST:.*]] = "graph.cast"(%[[SUM]]) {{.*}} : (tensor<?x8x4xf32>) -> tensor<?x8x4xf16>
// CHECK-NEXT: %[[PART:.*]] = "graph.slice"(%arg0) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 2, 0>
// CHECK-NEXT: %[[TANH:.*]] = "graph.tanh"(%[[PART]])
// CHECK-NEXT: return %[[CAST]], %[[TANH]]
func.func @two_values(%x: tensor<?x8x4xf32>, %y: tensor<?x8x4xf32>) -> (tensor<?x8x4xf16>, tensor<?x4x4xf32>) {
  %0 = "graph.slice"(%x) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %1 = "graph.slice"(%x) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 4, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %2 = "graph.slice"(%y) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %3 = "graph.slice"(%y) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 4, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %4 = "graph.add"(%0, %2) : (tensor<?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %5 = "graph.add"(%1, %3) : (tensor<?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %6 = "graph.cast"(%4) : (tensor<?x4x4xf32>) -> tensor<?x4x4xf16>
  %7 = "graph.cast"(%5) : (tensor<?x4x4xf32>) -> tensor<?x4x4xf16>
  %8 = "graph.concat"(%6, %7) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4x4xf16>, tensor<?x4x4xf16>) -> tensor<?x8x4xf16>
  %9 = "graph.slice"(%x) {sizes = array<i64: -1, 2, 4>, starts = array<i64: 0, 2, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x2x4xf32>
  %10 = "graph.slice"(%x) {sizes = array<i64: -1, 2, 4>, starts = array<i64: 0, 4, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x2x4xf32>
  %11 = "graph.tanh"(%9) : (tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
  %12 = "graph.tanh"(%10) : (tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
  %13 = "graph.concat"(%11, %12) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x2x4xf32>, tensor<?x2x4xf32>) -> tensor<?x4x4xf32>
  return %8, %13 : tensor<?x8x4xf16>, tensor<?x4x4xf32>
}

// A convolution per group of channels is a grouped one; bias and activation as well.
// CHECK-LABEL: func.func @grouped
// CHECK-DAG: %[[FILTERS:.*]] = "graph.concat"({{.*}}) {axis = 0 : i64, {{.*}} : (tensor<3x4x3x3xf32>, tensor<3x4x3x3xf32>) -> tensor<6x4x3x3xf32>
// CHECK-DAG: %[[BIAS:.*]] = "graph.concat"({{.*}}) {axis = 0 : i64, {{.*}} : (tensor<3x1x1xf32>, tensor<3x1x1xf32>) -> tensor<6x1x1xf32>
// CHECK-DAG: %[[CONV:.*]] = "graph.conv"(%arg0, %[[FILTERS]]) {{.*}} group = 2 : i64, {{.*}} -> tensor<?x6x?x?xf32>
// CHECK: %[[SUM:.*]] = "graph.add"(%[[CONV]], %[[BIAS]])
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[SUM]])
// CHECK-NEXT: return %[[RELU]]
func.func @grouped(%x: tensor<?x8x?x?xf32>) -> tensor<?x6x?x?xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 432 : i64, hash = "a"} : () -> tensor<3x4x3x3xf32>
  %v = "graph.weight"() {source = "m.onnx", offset = 432 : i64, size = 432 : i64, hash = "a"} : () -> tensor<3x4x3x3xf32>
  %a = "graph.constant"() {value = dense<1.0> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %b = "graph.constant"() {value = dense<2.0> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %0 = "graph.slice"(%x) {sizes = array<i64: -1, 4, -1, -1>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x8x?x?xf32>) -> tensor<?x4x?x?xf32>
  %1 = "graph.slice"(%x) {sizes = array<i64: -1, 4, -1, -1>, starts = array<i64: 0, 4, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x8x?x?xf32>) -> tensor<?x4x?x?xf32>
  %2 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x4x?x?xf32>, tensor<3x4x3x3xf32>) -> tensor<?x3x?x?xf32>
  %3 = "graph.conv"(%1, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x4x?x?xf32>, tensor<3x4x3x3xf32>) -> tensor<?x3x?x?xf32>
  %4 = "graph.add"(%2, %a) : (tensor<?x3x?x?xf32>, tensor<3x1x1xf32>) -> tensor<?x3x?x?xf32>
  %5 = "graph.add"(%3, %b) : (tensor<?x3x?x?xf32>, tensor<3x1x1xf32>) -> tensor<?x3x?x?xf32>
  %6 = "graph.relu"(%4) : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %7 = "graph.relu"(%5) : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %8 = "graph.concat"(%6, %7) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>) -> tensor<?x6x?x?xf32>
  return %8 : tensor<?x6x?x?xf32>
}

// Groups in another order.
// CHECK-LABEL: func.func @grouped_crosswise
// CHECK-COUNT-2: "graph.conv"
// CHECK: "graph.concat"
// CHECK: return
func.func @grouped_crosswise(%x: tensor<?x8x?x?xf32>) -> tensor<?x6x?x?xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 432 : i64, hash = "a"} : () -> tensor<3x4x3x3xf32>
  %v = "graph.weight"() {source = "m.onnx", offset = 432 : i64, size = 432 : i64, hash = "a"} : () -> tensor<3x4x3x3xf32>
  %a = "graph.constant"() {value = dense<1.0> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %b = "graph.constant"() {value = dense<2.0> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %0 = "graph.slice"(%x) {sizes = array<i64: -1, 4, -1, -1>, starts = array<i64: 0, 4, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x8x?x?xf32>) -> tensor<?x4x?x?xf32>
  %1 = "graph.slice"(%x) {sizes = array<i64: -1, 4, -1, -1>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x8x?x?xf32>) -> tensor<?x4x?x?xf32>
  %2 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x4x?x?xf32>, tensor<3x4x3x3xf32>) -> tensor<?x3x?x?xf32>
  %3 = "graph.conv"(%1, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x4x?x?xf32>, tensor<3x4x3x3xf32>) -> tensor<?x3x?x?xf32>
  %4 = "graph.add"(%2, %a) : (tensor<?x3x?x?xf32>, tensor<3x1x1xf32>) -> tensor<?x3x?x?xf32>
  %5 = "graph.add"(%3, %b) : (tensor<?x3x?x?xf32>, tensor<3x1x1xf32>) -> tensor<?x3x?x?xf32>
  %6 = "graph.relu"(%4) : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %7 = "graph.relu"(%5) : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %8 = "graph.concat"(%6, %7) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>) -> tensor<?x6x?x?xf32>
  return %8 : tensor<?x6x?x?xf32>
}

// A part that something else reads; attributes that differ; one part that is not computed; weights that are
// no constants.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: "graph.relu"
// CHECK: "graph.concat"
// CHECK-COUNT-2: "graph.leaky_relu"
// CHECK: "graph.concat"
// CHECK: "graph.tanh"
// CHECK: "graph.concat"
// CHECK-COUNT-2: "graph.conv"
// CHECK: "graph.concat"
// CHECK: return
func.func @kept(%x: tensor<?x8x4xf32>, %i: tensor<?x8x?x?xf32>, %w: tensor<3x4x1x1xf32>, %v: tensor<3x4x1x1xf32>)
    -> (tensor<?x8x4xf32>, tensor<?x8x4xf32>, tensor<?x8x4xf32>, tensor<?x6x?x?xf32>, tensor<?x4x4xf32>) {
  %0 = "graph.slice"(%x) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %1 = "graph.slice"(%x) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 4, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %2 = "graph.relu"(%0) : (tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %3 = "graph.relu"(%1) : (tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %4 = "graph.concat"(%2, %3) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x8x4xf32>
  %5 = "graph.leaky_relu"(%0) {alpha = 1.000000e-01 : f64} : (tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %6 = "graph.leaky_relu"(%1) {alpha = 2.000000e-01 : f64} : (tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %7 = "graph.concat"(%5, %6) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x8x4xf32>
  %8 = "graph.tanh"(%1) : (tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %9 = "graph.concat"(%0, %8) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x8x4xf32>
  %10 = "graph.slice"(%i) {sizes = array<i64: -1, 4, -1, -1>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x8x?x?xf32>) -> tensor<?x4x?x?xf32>
  %11 = "graph.slice"(%i) {sizes = array<i64: -1, 4, -1, -1>, starts = array<i64: 0, 4, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x8x?x?xf32>) -> tensor<?x4x?x?xf32>
  %12 = "graph.conv"(%10, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x?x?xf32>, tensor<3x4x1x1xf32>) -> tensor<?x3x?x?xf32>
  %13 = "graph.conv"(%11, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x?x?xf32>, tensor<3x4x1x1xf32>) -> tensor<?x3x?x?xf32>
  %14 = "graph.concat"(%12, %13) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>) -> tensor<?x6x?x?xf32>
  return %4, %7, %9, %14, %2 : tensor<?x8x4xf32>, tensor<?x8x4xf32>, tensor<?x8x4xf32>, tensor<?x6x?x?xf32>, tensor<?x4x4xf32>
}

// A slice misses some operands of a concat: they go.
// CHECK-LABEL: func.func @some_operands
// CHECK-NEXT: %[[FEWER:.*]] = "graph.concat"(%arg1, %arg2) {axis = 1 : i64
// CHECK-NEXT: %[[PART:.*]] = "graph.slice"(%[[FEWER]]) {sizes = array<i64: 2, 3, 4>, starts = array<i64: 0, 6, 0>, steps = array<i64: 1, -2, 1>}
// CHECK-NEXT: return %[[PART]]
func.func @some_operands(%x: tensor<2x8x4xf32>, %y: tensor<2x4x4xf32>, %z: tensor<2x4x4xf32>) -> tensor<2x3x4xf32> {
  %0 = "graph.concat"(%x, %y, %z) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x8x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x16x4xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: 2, 3, 4>, starts = array<i64: 0, 14, 0>, steps = array<i64: 1, -2, 1>} : (tensor<2x16x4xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// The joined value is read whole, too; lengths that are not known.
// CHECK-LABEL: func.func @operands_kept
// CHECK-COUNT-2: "graph.concat"(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK: return
func.func @operands_kept(%x: tensor<2x8xf32>, %y: tensor<2x4xf32>, %z: tensor<2x?xf32>) -> (tensor<2x6xf32>, tensor<2x16xf32>, tensor<2x6xf32>) {
  %0 = "graph.concat"(%x, %y, %y) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x16xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: 2, 6>, starts = array<i64: 0, 9>, steps = array<i64: 1, 1>} : (tensor<2x16xf32>) -> tensor<2x6xf32>
  %2 = "graph.concat"(%z, %y, %y) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x?xf32>
  %3 = "graph.slice"(%2) {sizes = array<i64: 2, 6>, starts = array<i64: 0, 9>, steps = array<i64: 1, 1>} : (tensor<2x?xf32>) -> tensor<2x6xf32>
  return %1, %0, %3 : tensor<2x6xf32>, tensor<2x16xf32>, tensor<2x6xf32>
}

// Parts of a concat that are whole operands, and a concat of all parts.
// CHECK-LABEL: func.func @undone
// CHECK-NEXT: return %arg1, %arg0
func.func @undone(%x: tensor<?x8x4xf32> {graph.dims = ["n", "", ""]}, %y: tensor<?x4x4xf32> {graph.dims = ["n", "", ""]}) -> (tensor<?x4x4xf32>, tensor<?x8x4xf32>) {
  %0 = "graph.concat"(%x, %y) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x8x4xf32>, tensor<?x4x4xf32>) -> tensor<?x12x4xf32>
  %1 = "graph.slice"(%0) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 8, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x12x4xf32>) -> tensor<?x4x4xf32>
  %2 = "graph.slice"(%x) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %3 = "graph.slice"(%x) {sizes = array<i64: -1, 4, 4>, starts = array<i64: 0, 4, 0>, steps = array<i64: 1, 1, 1>} : (tensor<?x8x4xf32>) -> tensor<?x4x4xf32>
  %4 = "graph.concat"(%2, %3) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x8x4xf32>
  return %1, %4 : tensor<?x4x4xf32>, tensor<?x8x4xf32>
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
