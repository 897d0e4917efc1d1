// winograd-residual: cpu gpu
func.func @main(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %w = weight : tensor<64x64x3x3xf32>
  %b = weight : tensor<1x64x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x64x56x56xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x56x56xf32>
  %2 = "graph.add"(%1, %x) : (tensor<1x64x56x56xf32>, tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %3 = "graph.relu"(%2) : (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  return %3 : tensor<1x64x56x56xf32>
}
// -----
// blocked-strided: cpu gpu amd
func.func @main(%x: tensor<1x3x64x64xf32>) -> tensor<1x96x16x16xf32> {
  %w = weight : tensor<32x3x7x7xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 3, 3, 3, 3>, strides = array<i64: 2, 2>} : (tensor<1x3x64x64xf32>, tensor<32x3x7x7xf32>) -> tensor<1x32x32x32xf32>
  %1 = "graph.relu"(%0) : (tensor<1x32x32x32xf32>) -> tensor<1x32x32x32xf32>
  %v = weight : tensor<64x32x3x3xf32>
  %2 = "graph.conv"(%1, %v) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x32x32x32xf32>, tensor<64x32x3x3xf32>) -> tensor<1x64x16x16xf32>
  %u = weight : tensor<96x64x1x1xf32>
  %3 = "graph.conv"(%2, %u) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x16x16xf32>, tensor<96x64x1x1xf32>) -> tensor<1x96x16x16xf32>
  %4 = "graph.silu"(%3) : (tensor<1x96x16x16xf32>) -> tensor<1x96x16x16xf32>
  return %4 : tensor<1x96x16x16xf32>
}
// -----
// depthwise-squeeze: cpu gpu
func.func @main(%x: tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32> {
  %w = weight : tensor<64x1x5x5xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 64 : i64, layout = "NCHW", pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 1, 1>} : (tensor<1x64x28x28xf32>, tensor<64x1x5x5xf32>) -> tensor<1x64x28x28xf32>
  %1 = "graph.hard_swish"(%0) : (tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  %2 = "graph.reduce_mean"(%1) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x64x28x28xf32>) -> tensor<1x64x1x1xf32>
  %3 = "graph.sigmoid"(%2) : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
  %4 = "graph.mul"(%1, %3) : (tensor<1x64x28x28xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x28x28xf32>
  return %4 : tensor<1x64x28x28xf32>
}
// -----
// grouped-pools: cpu gpu
func.func @main(%x: tensor<2x24x33x33xf32>) -> tensor<2x48x8x8xf32> {
  %w = weight : tensor<48x8x3x3xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 3 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<2x24x33x33xf32>, tensor<48x8x3x3xf32>) -> tensor<2x48x31x31xf32>
  %1 = "graph.max_pool"(%0) {ceil_mode = false, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<2x48x31x31xf32>) -> tensor<2x48x16x16xf32>
  %2 = "graph.average_pool"(%1) {ceil_mode = false, count_include_pad = false, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<2x48x16x16xf32>) -> tensor<2x48x8x8xf32>
  return %2 : tensor<2x48x8x8xf32>
}
// -----
// dilated-f16: cpu gpu
func.func @main(%x: tensor<1x32x20x20xf16>) -> tensor<1x32x16x16xf16> {
  %w = weight : tensor<32x32x3x3xf16>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 2, 2>, group = 1 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x32x20x20xf16>, tensor<32x32x3x3xf16>) -> tensor<1x32x16x16xf16>
  %1 = "graph.tanh"(%0) : (tensor<1x32x16x16xf16>) -> tensor<1x32x16x16xf16>
  return %1 : tensor<1x32x16x16xf16>
}
