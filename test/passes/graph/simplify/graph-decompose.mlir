// RUN: mlc-opt %s --graph-decompose | filecheck %s

// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x5xf32>, %[[SCALE:.*]]: tensor<3xf32>, %[[BIAS:.*]]: tensor<3xf32>, %[[MEAN:.*]]: tensor<3xf32>, %[[VARIANCE:.*]]: tensor<3xf32>)
// CHECK: %[[EPSILON:.*]] = "graph.constant"() {value = dense<1.000000e-03> : tensor<f32>}
// CHECK: %[[SUM:.*]] = "graph.add"(%[[VARIANCE]], %[[EPSILON]])
// CHECK: %[[ROOT:.*]] = "graph.sqrt"(%[[SUM]])
// CHECK: %[[FACTOR:.*]] = "graph.div"(%[[SCALE]], %[[ROOT]])
// CHECK: %[[PART:.*]] = "graph.mul"(%[[MEAN]], %[[FACTOR]])
// CHECK: %[[SHIFT:.*]] = "graph.sub"(%[[BIAS]], %[[PART]])
// CHECK: %[[FACTORS:.*]] = "graph.reshape"(%[[FACTOR]]) {{.*}} -> tensor<3x1x1xf32>
// CHECK: %[[SHIFTS:.*]] = "graph.reshape"(%[[SHIFT]]) {{.*}} -> tensor<3x1x1xf32>
// CHECK: %[[PRODUCT:.*]] = "graph.mul"(%[[X]], %[[FACTORS]])
// CHECK: "graph.add"(%[[PRODUCT]], %[[SHIFTS]])
// CHECK-NOT: graph.batch_norm
func.func @batch_norm(%x: tensor<2x3x4x5xf32>, %scale: tensor<3xf32>, %bias: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
  %0 = "graph.batch_norm"(%x, %scale, %bias, %mean, %variance) {epsilon = 1.0e-3 : f64} : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// Channels that are not known; statistics of another precision.
// CHECK-LABEL: func.func @batch_norm_dynamic
// CHECK: "graph.cast"(%arg1) {{.*}} -> tensor<?xf32>
// CHECK: "graph.cast"(%arg2) {{.*}} -> tensor<?xf32>
// CHECK-NOT: "graph.cast"(%arg3)
// CHECK: "graph.cast"({{.*}}) {{.*}} -> tensor<?xf16>
// CHECK: "graph.reshape"({{.*}}) {graph.dims = {{.*}}"arg0.shape[1]", ""{{.*}}, shape = array<i64: -1, 1>} : (tensor<?xf16>) -> tensor<?x1xf16>
// CHECK: return {{.*}} : tensor<?x?x?xf16>
func.func @batch_norm_dynamic(%x: tensor<?x?x?xf16>, %scale: tensor<?xf16>, %bias: tensor<?xf16>, %mean: tensor<?xf32>, %variance: tensor<?xf32>) -> tensor<?x?x?xf16> {
  %0 = "graph.batch_norm"(%x, %scale, %bias, %mean, %variance) {epsilon = 1.0e-3 : f64} : (tensor<?x?x?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}

// A window of one element per channel is a factor, two of them per channel if there are twice as many filters.
// CHECK-LABEL: func.func @by_channel
// CHECK-DAG: %[[EVERY:.*]] = "graph.slice"(%arg0) {sizes = array<i64: 2, 3, 4, 3>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 3>}
// CHECK-DAG: %[[FACTORS:.*]] = "graph.reshape"(%arg1) {shape = array<i64: 3, 1, 1>}
// CHECK-DAG: "graph.mul"(%[[EVERY]], %[[FACTORS]])
// CHECK-DAG: %[[APART:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 2, 3, 1, 7, 8>}
// CHECK-DAG: %[[TWO:.*]] = "graph.reshape"(%arg2) {shape = array<i64: 3, 2, 1, 1>}
// CHECK-DAG: %[[PRODUCTS:.*]] = "graph.mul"(%[[APART]], %[[TWO]])
// CHECK-DAG: "graph.reshape"(%[[PRODUCTS]]) {shape = array<i64: 2, 6, 7, 8>}
func.func @by_channel(%x: tensor<2x3x7x8xf32>, %w: tensor<3x1x1x1xf32>, %v: tensor<6x1x1x1xf32>) -> (tensor<2x3x4x3xf32>, tensor<2x6x7x8xf32>) {
  %0 = "graph.conv"(%x, %w) {strides = array<i64: 2, 3>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 3 : i64} : (tensor<2x3x7x8xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x4x3xf32>
  %1 = "graph.conv"(%x, %v) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 3 : i64} : (tensor<2x3x7x8xf32>, tensor<6x1x1x1xf32>) -> tensor<2x6x7x8xf32>
  return %0, %1 : tensor<2x3x4x3xf32>, tensor<2x6x7x8xf32>
}

// Groups of several channels, padding and windows of several elements stay; a single channel is a factor, too,
// and is broadcast to the channels of the result.
// CHECK-LABEL: func.func @other_windows
// CHECK-COUNT-3: "graph.conv"
// CHECK: %[[FACTORS:.*]] = "graph.reshape"(%arg3) {shape = array<i64: 4, 1>}
// CHECK: "graph.mul"(%arg1, %[[FACTORS]]) : (tensor<2x1x7xf32>, tensor<4x1xf32>) -> tensor<2x4x7xf32>
func.func @other_windows(%x: tensor<2x4x7xf32>, %y: tensor<2x1x7xf32>, %w: tensor<4x2x1xf32>, %d: tensor<4x1x1xf32>, %k: tensor<4x1x3xf32>) -> (tensor<2x4x7xf32>, tensor<2x4x9xf32>, tensor<2x4x5xf32>, tensor<2x4x7xf32>) {
  %0 = "graph.conv"(%x, %w) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 2 : i64} : (tensor<2x4x7xf32>, tensor<4x2x1xf32>) -> tensor<2x4x7xf32>
  %1 = "graph.conv"(%x, %d) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 1, 1>, group = 4 : i64} : (tensor<2x4x7xf32>, tensor<4x1x1xf32>) -> tensor<2x4x9xf32>
  %2 = "graph.conv"(%x, %k) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 4 : i64} : (tensor<2x4x7xf32>, tensor<4x1x3xf32>) -> tensor<2x4x5xf32>
  %3 = "graph.conv"(%y, %d) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 1 : i64} : (tensor<2x1x7xf32>, tensor<4x1x1xf32>) -> tensor<2x4x7xf32>
  return %0, %1, %2, %3 : tensor<2x4x7xf32>, tensor<2x4x9xf32>, tensor<2x4x5xf32>, tensor<2x4x7xf32>
}

// A product with one column, of any batch, is a sum along rows; one with more columns, or of half precision, stays.
// CHECK-LABEL: func.func @column
// CHECK-DAG: %[[ROW:.*]] = "graph.reshape"(%arg1) {shape = array<i64: 5, 1, 4>}
// CHECK-DAG: %[[WEIGHTED:.*]] = "graph.mul"(%arg0, %[[ROW]]) : (tensor<5x3x4xf32>, tensor<5x1x4xf32>) -> tensor<5x3x4xf32>
// CHECK-DAG: "graph.reduce_sum"(%[[WEIGHTED]]) {axes = array<i64: 2>, keepdims = true}
// CHECK-DAG: %[[VECTOR:.*]] = "graph.reshape"(%arg2) {shape = array<i64: 1, 4>}
// CHECK-DAG: "graph.mul"(%arg0, %[[VECTOR]])
// CHECK-DAG: "graph.matmul"(%arg0, %arg3)
// CHECK-DAG: "graph.matmul"(%arg4, %arg5)
func.func @column(%a: tensor<5x3x4xf32>, %b: tensor<5x4x1xf32>, %c: tensor<4x1xf32>, %d: tensor<4x2xf32>, %h: tensor<3x4xf16>, %g: tensor<4x1xf16>) -> (tensor<5x3x1xf32>, tensor<5x3x1xf32>, tensor<5x3x2xf32>, tensor<3x1xf16>) {
  %0 = "graph.matmul"(%a, %b) : (tensor<5x3x4xf32>, tensor<5x4x1xf32>) -> tensor<5x3x1xf32>
  %1 = "graph.matmul"(%a, %c) : (tensor<5x3x4xf32>, tensor<4x1xf32>) -> tensor<5x3x1xf32>
  %2 = "graph.matmul"(%a, %d) : (tensor<5x3x4xf32>, tensor<4x2xf32>) -> tensor<5x3x2xf32>
  %3 = "graph.matmul"(%h, %g) : (tensor<3x4xf16>, tensor<4x1xf16>) -> tensor<3x1xf16>
  return %0, %1, %2, %3 : tensor<5x3x1xf32>, tensor<5x3x1xf32>, tensor<5x3x2xf32>, tensor<3x1xf16>
}

// Two filters per channel: one each for the channels twice. A single channel stays, and so does one filter.
// CHECK-LABEL: func.func @repeated
// CHECK-DAG: %[[APART:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 2, 3, 1, 7>}
// CHECK-DAG: %[[TWICE:.*]] = "graph.expand"(%[[APART]]) {shape = array<i64: 2, 3, 2, 7>}
// CHECK-DAG: %[[CHANNELS:.*]] = "graph.reshape"(%[[TWICE]]) {shape = array<i64: 2, 6, 7>}
// CHECK-DAG: "graph.conv"(%[[CHANNELS]], %arg1) {{{.*}}group = 6 : i64
// CHECK-DAG: "graph.conv"(%arg2, %arg1) {{{.*}}group = 1 : i64
// CHECK-DAG: "graph.conv"(%arg0, %arg3) {{{.*}}group = 3 : i64
func.func @repeated(%x: tensor<2x3x7xf32>, %w: tensor<6x1x3xf32>, %y: tensor<2x1x7xf32>, %v: tensor<3x1x3xf32>) -> (tensor<2x6x5xf32>, tensor<2x6x5xf32>, tensor<2x3x5xf32>) {
  %0 = "graph.conv"(%x, %w) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 3 : i64} : (tensor<2x3x7xf32>, tensor<6x1x3xf32>) -> tensor<2x6x5xf32>
  %1 = "graph.conv"(%y, %w) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 1 : i64} : (tensor<2x1x7xf32>, tensor<6x1x3xf32>) -> tensor<2x6x5xf32>
  %2 = "graph.conv"(%x, %v) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 3 : i64} : (tensor<2x3x7xf32>, tensor<3x1x3xf32>) -> tensor<2x3x5xf32>
  return %0, %1, %2 : tensor<2x6x5xf32>, tensor<2x6x5xf32>, tensor<2x3x5xf32>
}
