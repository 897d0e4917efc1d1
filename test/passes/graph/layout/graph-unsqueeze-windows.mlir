// RUN: mlc-opt %s --graph-unsqueeze-windows --graph-simplify --cse --canonicalize | filecheck %s
// RUN: mlc-opt %s --graph-unsqueeze-windows --graph-unsqueeze-windows --graph-simplify --cse --canonicalize | filecheck %s

// The reshape of the convolution's result moves below the activation and the residual, to the pool, where it cancels.
// CHECK-LABEL: func.func @chain
// CHECK-DAG: %[[X:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 1, 4, 1, 16>}
// CHECK-DAG: %[[W:.*]] = "graph.reshape"(%arg1) {shape = array<i64: 4, 2, 1, 3>}
// CHECK: %[[CONV:.*]] = "graph.conv"(%[[X]], %[[W]]) {dilations = array<i64: 1, 2>, group = 2 : i64, layout = "NCHW", pads = array<i64: 0, 1, 0, 3>, strides = array<i64: 1, 1>}
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[CONV]])
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%[[RELU]], %[[X]])
// CHECK-NEXT: %[[MAX:.*]] = "graph.max_pool"(%[[SUM]]) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 1, 3>, layout = "NCHW", pads = array<i64: 0, 1, 0, 0>, strides = array<i64: 1, 2>}
// CHECK-NEXT: "graph.reshape"(%[[MAX]]) {shape = array<i64: 1, 4, 8>}
func.func @chain(%x: tensor<1x4x16xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x4x8xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 2>, group = 2, pads = array<i64: 1, 3>, strides = array<i64: 1>} : (tensor<1x4x16xf32>, tensor<4x2x3xf32>) -> tensor<1x4x16xf32>
  %1 = "graph.relu"(%0) : (tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %2 = "graph.add"(%1, %x) : (tensor<1x4x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %3 = "graph.max_pool"(%2) {ceil_mode = true, dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 1, 0>, strides = array<i64: 2>} : (tensor<1x4x16xf32>) -> tensor<1x4x8xf32>
  return %3 : tensor<1x4x8xf32>
}

// Open dims keep their names.
// CHECK-LABEL: func.func @open
// CHECK: "graph.average_pool"({{.*}}count_include_pad = true, dilations = array<i64: 1, 1>, graph.dims = [["n", "", "", "l - 2"]], kernel = array<i64: 1, 3>
// CHECK: "graph.reshape"({{.*}} -> tensor<?x4x?xf32>
func.func @open(%x: tensor<?x4x?xf32> {graph.dims = ["n", "", "l"]}) -> tensor<?x4x?xf32> {
  %0 = "graph.average_pool"(%x) {count_include_pad = true, dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  return %0 : tensor<?x4x?xf32>
}

// Images and volumes stay as they are.
// CHECK-LABEL: func.func @others
// CHECK-NOT: "graph.reshape"
func.func @others(%x: tensor<1x4x8x8xf32>, %v: tensor<1x4x8x8x8xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4x4xf32>) {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %1 = "graph.max_pool"(%v) {dilations = array<i64: 1, 1, 1>, kernel = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 2, 2, 2>} : (tensor<1x4x8x8x8xf32>) -> tensor<1x4x4x4x4xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4x4xf32>
}
