// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Convolution in both layouts, grouped and depthwise, and pooling.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<?x8x9x7xf32>,
            %w: tensor<6x8x3x3xf32>,
            %wg: tensor<8x2x3x1xf32>,
            %xb: tensor<1x2x9x7x4xf32>,
            %wb: tensor<3x2x3x3x4x8xf32>,
            %wgb: tensor<4x1x3x3x4x8xf32>,
            %wd: tensor<2x3x3x4xf32>,
            %x1: tensor<2x3x?xf32>,
            %w1: tensor<5x3x3xf32>,
            %x3: tensor<1x2x5x5x5xf32>,
            %w3: tensor<4x2x2x2x2xf32>) {
  // CHECK-NEXT: %{{.*}} = "graph.conv"(%{{.*}}, %{{.*}}) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
  // CHECK-SAME: : (tensor<?x8x9x7xf32>, tensor<6x8x3x3xf32>) -> tensor<?x6x9x7xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x8x9x7xf32>, tensor<6x8x3x3xf32>) -> tensor<?x6x9x7xf32>
  // CHECK-NEXT: %{{.*}} = "graph.conv"(%{{.*}}, %{{.*}}) {dilations = array<i64: 2, 1>, pads = array<i64: 0, 1, 1, 0>, strides = array<i64: 2, 3>}
  // CHECK-SAME: : (tensor<?x8x9x7xf32>, tensor<6x8x3x3xf32>) -> tensor<?x6x3x2xf32>
  %1 = "graph.conv"(%x, %w) {dilations = array<i64: 2, 1>, pads = array<i64: 0, 1, 1, 0>, strides = array<i64: 2, 3>} : (tensor<?x8x9x7xf32>, tensor<6x8x3x3xf32>) -> tensor<?x6x3x2xf32>
  // CHECK-NEXT: %{{.*}} = "graph.conv"(%{{.*}}, %{{.*}}) {dilations = array<i64: 1, 1>, group = 4 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
  // CHECK-SAME: : (tensor<?x8x9x7xf32>, tensor<8x2x3x1xf32>) -> tensor<?x8x7x7xf32>
  %2 = "graph.conv"(%x, %wg) {dilations = array<i64: 1, 1>, group = 4, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x8x9x7xf32>, tensor<8x2x3x1xf32>) -> tensor<?x8x7x7xf32>
  // CHECK-NEXT: %{{.*}} = "graph.conv"(%{{.*}}, %{{.*}}) {dilations = array<i64: 1>, pads = array<i64: 1, 1>, strides = array<i64: 2>} : (tensor<2x3x?xf32>, tensor<5x3x3xf32>) -> tensor<2x5x?xf32>
  %3 = "graph.conv"(%x1, %w1) {dilations = array<i64: 1>, pads = array<i64: 1, 1>, strides = array<i64: 2>} : (tensor<2x3x?xf32>, tensor<5x3x3xf32>) -> tensor<2x5x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.conv"(%{{.*}}, %{{.*}}) {dilations = array<i64: 1, 1, 1>, layout = "NCHW", pads = array<i64: 0, 0, 0, 0, 0, 0>,
  // CHECK-SAME: strides = array<i64: 1, 1, 1>} : (tensor<1x2x5x5x5xf32>, tensor<4x2x2x2x2xf32>) -> tensor<1x4x4x4x4xf32>
  %4 = "graph.conv"(%x3, %w3) {dilations = array<i64: 1, 1, 1>, layout = "NCHW", pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>}
      : (tensor<1x2x5x5x5xf32>, tensor<4x2x2x2x2xf32>) -> tensor<1x4x4x4x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.conv"(%{{.*}}, %{{.*}}) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
  // CHECK-SAME: : (tensor<1x2x9x7x4xf32>, tensor<3x2x3x3x4x8xf32>) -> tensor<1x3x9x7x8xf32>
  %5 = "graph.conv"(%xb, %wb) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x2x9x7x4xf32>, tensor<3x2x3x3x4x8xf32>) -> tensor<1x3x9x7x8xf32>
  // CHECK-NEXT: %{{.*}} = "graph.conv"(%{{.*}}, %{{.*}}) {dilations = array<i64: 1, 1>, group = 2 : i64, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>,
  // CHECK-SAME: strides = array<i64: 1, 1>} : (tensor<1x2x9x7x4xf32>, tensor<4x1x3x3x4x8xf32>) -> tensor<1x4x9x7x8xf32>
  %6 = "graph.conv"(%xb, %wgb) {dilations = array<i64: 1, 1>, group = 2, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x2x9x7x4xf32>, tensor<4x1x3x3x4x8xf32>) -> tensor<1x4x9x7x8xf32>
  // CHECK-NEXT: %{{.*}} = "graph.conv"(%{{.*}}, %{{.*}}) {dilations = array<i64: 1, 1>, group = 8 : i64, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>,
  // CHECK-SAME: strides = array<i64: 2, 2>} : (tensor<1x2x9x7x4xf32>, tensor<2x3x3x4xf32>) -> tensor<1x2x5x4x4xf32>
  %7 = "graph.conv"(%xb, %wd) {dilations = array<i64: 1, 1>, group = 8, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
      : (tensor<1x2x9x7x4xf32>, tensor<2x3x3x4xf32>) -> tensor<1x2x5x4x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.max_pool"(%{{.*}}) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>,
  // CHECK-SAME: strides = array<i64: 2, 2>} : (tensor<?x8x9x7xf32>) -> tensor<?x8x4x3xf32>
  %8 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x8x9x7xf32>) -> tensor<?x8x4x3xf32>
  // CHECK-NEXT: %{{.*}} = "graph.max_pool"(%{{.*}}) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
  // CHECK-SAME: strides = array<i64: 2, 2>} : (tensor<?x8x9x7xf32>) -> tensor<?x8x5x4xf32>
  %9 = "graph.max_pool"(%x) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<?x8x9x7xf32>) -> tensor<?x8x5x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.max_pool"(%{{.*}}) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 1, 1>,
  // CHECK-SAME: strides = array<i64: 3, 3>} : (tensor<?x8x9x7xf32>) -> tensor<?x8x3x3xf32>
  %10 = "graph.max_pool"(%x) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 1, 1>, strides = array<i64: 3, 3>}
      : (tensor<?x8x9x7xf32>) -> tensor<?x8x3x3xf32>
  // Windows that are larger than the image reach over its end, or have no position.
  // CHECK-NEXT: %{{.*}} = "graph.max_pool"(%{{.*}}) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 11, 8>, pads = array<i64: 0, 0, 0, 0>,
  // CHECK-SAME: strides = array<i64: 3, 1>} : (tensor<?x8x9x7xf32>) -> tensor<?x8x1x0xf32>
  %over = "graph.max_pool"(%x) {ceil_mode = true, dilations = array<i64: 1, 1>, kernel = array<i64: 11, 8>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 3, 1>}
      : (tensor<?x8x9x7xf32>) -> tensor<?x8x1x0xf32>
  // CHECK-NEXT: %{{.*}} = "graph.max_pool"(%{{.*}}) {dilations = array<i64: 2, 2>, kernel = array<i64: 3, 3>, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>,
  // CHECK-SAME: strides = array<i64: 2, 2>} : (tensor<1x2x9x7x4xf32>) -> tensor<1x2x4x3x4xf32>
  %11 = "graph.max_pool"(%xb) {dilations = array<i64: 2, 2>, kernel = array<i64: 3, 3>, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
      : (tensor<1x2x9x7x4xf32>) -> tensor<1x2x4x3x4xf32>
  // CHECK-NEXT: %{{.*}} = "graph.average_pool"(%{{.*}}) {count_include_pad = true, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>,
  // CHECK-SAME: pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x8x9x7xf32>) -> tensor<?x8x9x7xf32>
  %12 = "graph.average_pool"(%x)
      {count_include_pad = true, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<?x8x9x7xf32>) -> tensor<?x8x9x7xf32>
  // CHECK-NEXT: %{{.*}} = "graph.average_pool"(%{{.*}}) {dilations = array<i64: 1>, kernel = array<i64: 2>, pads = array<i64: 0, 0>, strides = array<i64: 2>}
  // CHECK-SAME: : (tensor<2x3x?xf32>) -> tensor<2x3x?xf32>
  %13 = "graph.average_pool"(%x1) {dilations = array<i64: 1>, kernel = array<i64: 2>, pads = array<i64: 0, 0>, strides = array<i64: 2>} : (tensor<2x3x?xf32>) -> tensor<2x3x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.lrn"(%{{.*}}) {alpha = 1.000000e-01 : f64, beta = 7.500000e-01 : f64, bias = 1.000000e+00 : f64, size = 5 : i64} : (tensor<?x8x9x7xf32>) -> tensor<?x8x9x7xf32>
  %14 = "graph.lrn"(%x) {alpha = 0.1, beta = 0.75, bias = 1.0, size = 5} : (tensor<?x8x9x7xf32>) -> tensor<?x8x9x7xf32>
  return
}
