// RUN: %roundtrip

// The transforms of a Winograd convolution, before a schedule moves them into loops.
// CHECK-LABEL: func.func @f
// CHECK: %[[V:.*]] = "tloop.winograd_input"(%arg0) {tile = 4 : i64} : (tensor<1x2x18x10x16xf32>) -> tensor<36x8x32xf32>
// CHECK: "tloop.winograd_output"(%arg1) {tile = 4 : i64} : (tensor<36x8x3x16xf32>) -> tensor<1x3x16x8x16xf32>
func.func @f(%x: tensor<1x2x18x10x16xf32>, %y: tensor<36x8x3x16xf32>) -> (tensor<36x8x32xf32>, tensor<1x3x16x8x16xf32>) {
  %0 = "tloop.winograd_input"(%x) {tile = 4 : i64} : (tensor<1x2x18x10x16xf32>) -> tensor<36x8x32xf32>
  %1 = "tloop.winograd_output"(%y) {tile = 4 : i64} : (tensor<36x8x3x16xf32>) -> tensor<1x3x16x8x16xf32>
  return %0, %1 : tensor<36x8x32xf32>, tensor<1x3x16x8x16xf32>
}
