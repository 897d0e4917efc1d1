// RUN: mlc-opt %s --graph-unpad-windows --canonicalize | filecheck %s
// RUN: mlc-opt %s --graph-unpad-windows --graph-unpad-windows --canonicalize | filecheck %s

// CHECK-LABEL: func.func @depthwise
// CHECK-NEXT: %[[CONV:.*]] = "graph.conv"(%arg0, %arg1) {{.*}}pads = array<i64: 1, 0, 1, 2>
// CHECK-NEXT: return %[[CONV]]
func.func @depthwise(%x: tensor<1x6x14x14xf32>, %w: tensor<6x1x3x3xf32>) -> tensor<1x6x14x14xf32> {
  %0 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 0>, high = array<i64: 0, 0, 1, 2>, mode = "constant", value = 0.0 : f64} : (tensor<1x6x14x14xf32>) -> tensor<1x6x16x16xf32>
  %1 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, group = 6, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x6x16x16xf32>, tensor<6x1x3x3xf32>) -> tensor<1x6x14x14xf32>
  return %1 : tensor<1x6x14x14xf32>
}

// The padding of a mean counts, as it did.
// CHECK-LABEL: func.func @pools
// CHECK-NEXT: %[[MEAN:.*]] = "graph.average_pool"(%arg0) {{.*}}count_include_pad = true{{.*}}pads = array<i64: 1, 1, 0, 0>
// CHECK-NEXT: %[[MAX:.*]] = "graph.max_pool"(%arg0) {{.*}}pads = array<i64: 1, 1, 0, 0>
// CHECK-NEXT: return %[[MEAN]], %[[MAX]]
func.func @pools(%x: tensor<1x6x14x14xf32>) -> (tensor<1x6x7x7xf32>, tensor<1x6x7x7xf32>) {
  %0 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 0, 0>, mode = "constant", value = 0.0 : f64} : (tensor<1x6x14x14xf32>) -> tensor<1x6x15x15xf32>
  %1 = "graph.average_pool"(%0) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x6x15x15xf32>) -> tensor<1x6x7x7xf32>
  %2 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 0, 0>, mode = "constant", value = 0xFFF0000000000000 : f64} : (tensor<1x6x14x14xf32>) -> tensor<1x6x15x15xf32>
  %3 = "graph.max_pool"(%2) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x6x15x15xf32>) -> tensor<1x6x7x7xf32>
  return %1, %3 : tensor<1x6x7x7xf32>, tensor<1x6x7x7xf32>
}

// Several channels are summed: that is no window of rows. Nor is one of stride 3. Long rows are computed by tiles.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: "graph.pad"
// CHECK-NOT: "graph.pad"
// CHECK: "graph.conv"(%arg3, %arg2) {{.*}}pads = array<i64: 1, 1, 1, 1>
func.func @others(%x: tensor<1x6x14x14xf32>, %w: tensor<6x6x3x3xf32>, %v: tensor<6x1x3x3xf32>, %y: tensor<1x6x14x600xf32>) -> (tensor<1x6x14x14xf32>, tensor<1x6x5x5xf32>, tensor<1x6x14x600xf32>) {
  %0 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0 : f64} : (tensor<1x6x14x14xf32>) -> tensor<1x6x16x16xf32>
  %1 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x6x16x16xf32>, tensor<6x6x3x3xf32>) -> tensor<1x6x14x14xf32>
  %2 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0 : f64} : (tensor<1x6x14x14xf32>) -> tensor<1x6x16x16xf32>
  %3 = "graph.conv"(%2, %v) {dilations = array<i64: 1, 1>, group = 6, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 3, 3>} : (tensor<1x6x16x16xf32>, tensor<6x1x3x3xf32>) -> tensor<1x6x5x5xf32>
  %4 = "graph.pad"(%y) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0 : f64} : (tensor<1x6x14x600xf32>) -> tensor<1x6x16x602xf32>
  %5 = "graph.conv"(%4, %v) {dilations = array<i64: 1, 1>, group = 6, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x6x16x602xf32>, tensor<6x1x3x3xf32>) -> tensor<1x6x14x600xf32>
  return %1, %3, %5 : tensor<1x6x14x14xf32>, tensor<1x6x5x5xf32>, tensor<1x6x14x600xf32>
}

// What another op reads is in memory anyway.
// CHECK-LABEL: func.func @shared
// CHECK: %[[PAD:.*]] = "graph.pad"
// CHECK-NEXT: "graph.conv"(%[[PAD]]
func.func @shared(%x: tensor<1x6x14x14xf32>, %w: tensor<6x1x3x3xf32>) -> (tensor<1x6x14x14xf32>, tensor<1x6x16x16xf32>) {
  %0 = "graph.pad"(%x) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0 : f64} : (tensor<1x6x14x14xf32>) -> tensor<1x6x16x16xf32>
  %1 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, group = 6, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x6x16x16xf32>, tensor<6x1x3x3xf32>) -> tensor<1x6x14x14xf32>
  %2 = "graph.relu"(%0) : (tensor<1x6x16x16xf32>) -> tensor<1x6x16x16xf32>
  return %1, %2 : tensor<1x6x14x14xf32>, tensor<1x6x16x16xf32>
}
