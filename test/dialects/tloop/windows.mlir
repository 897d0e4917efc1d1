// RUN: %roundtrip

// Windows on plain images, before a schedule moves them into a loop over rows.
// CHECK-LABEL: func.func @f
// CHECK: "tloop.row_window"(%arg0, %arg1)
// CHECK-SAME: {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, kind = "product", neutral = 0.000000e+00 : f64, pads = array<i64: 1, 1, 0, 0>,
// CHECK-SAME: strides = array<i64: 2, 2>} : (tensor<1x8x14x14xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x7x7xf32>
// CHECK: "tloop.row_window"(%arg0) {{.*}}kind = "maximum"
func.func @f(%x: tensor<1x8x14x14xf32>, %w: tensor<8x1x3x3xf32>) -> (tensor<1x8x7x7xf32>, tensor<1x8x12x12xf32>) {
  %0 = "tloop.row_window"(%x, %w)
      {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, kind = "product", neutral = 0.0 : f64, pads = array<i64: 1, 1, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<1x8x14x14xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x7x7xf32>
  %1 = "tloop.row_window"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, kind = "maximum", neutral = 0xFFF0000000000000 : f64,
      pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x14x14xf32>) -> tensor<1x8x12x12xf32>
  return %0, %1 : tensor<1x8x7x7xf32>, tensor<1x8x12x12xf32>
}
