// matmul-softmax: all
func.func @main(%x: tensor<64x256xf32>, %w: tensor<256x512xf32>) -> tensor<64x512xf32> {
  %0 = "graph.matmul"(%x, %w) : (tensor<64x256xf32>, tensor<256x512xf32>) -> tensor<64x512xf32>
  %1 = "graph.softmax"(%0) {axis = 1 : i64} : (tensor<64x512xf32>) -> tensor<64x512xf32>
  return %1 : tensor<64x512xf32>
}
// -----
// packed-bias-gelu: all amd
func.func @main(%x: tensor<33x192xf32>) -> tensor<33x320xf32> {
  %w = weight : tensor<192x320xf32>
  %b = weight : tensor<320xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<33x192xf32>, tensor<192x320xf32>) -> tensor<33x320xf32>
  %1 = "graph.add"(%0, %b) : (tensor<33x320xf32>, tensor<320xf32>) -> tensor<33x320xf32>
  %2 = "graph.gelu"(%1) {approximate = "none"} : (tensor<33x320xf32>) -> tensor<33x320xf32>
  return %2 : tensor<33x320xf32>
}
// -----
// large-f16: gpu amd
func.func @main(%x: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %w = weight : tensor<512x512xf16>
  %0 = "graph.matmul"(%x, %w) : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %1 = "graph.relu"(%0) : (tensor<512x512xf16>) -> tensor<512x512xf16>
  return %1 : tensor<512x512xf16>
}
// -----
// large-bf16: all amd
func.func @main(%x: tensor<256x1024xbf16>) -> tensor<256x512xbf16> {
  %w = weight : tensor<1024x512xbf16>
  %0 = "graph.matmul"(%x, %w) : (tensor<256x1024xbf16>, tensor<1024x512xbf16>) -> tensor<256x512xbf16>
  %1 = "graph.relu"(%0) : (tensor<256x512xbf16>) -> tensor<256x512xbf16>
  return %1 : tensor<256x512xbf16>
}
// -----
// tf32: gpu amd
// precision tf32
func.func @main(%x: tensor<384x256xf32>) -> tensor<384x256xf32> {
  %w = weight : tensor<256x256xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<384x256xf32>, tensor<256x256xf32>) -> tensor<384x256xf32>
  %1 = "graph.relu"(%0) : (tensor<384x256xf32>) -> tensor<384x256xf32>
  return %1 : tensor<384x256xf32>
}
// -----
// bf16-operands: all
// precision bf16
func.func @main(%x: tensor<64x256xf32>) -> tensor<64x128xf32> {
  %w = weight : tensor<256x128xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %1 = "graph.relu"(%0) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
// -----
// split-k: gpu
func.func @main(%x: tensor<32x8192xf16>) -> tensor<32x64xf16> {
  %w = weight : tensor<8192x64xf16>
  %0 = "graph.matmul"(%x, %w) : (tensor<32x8192xf16>, tensor<8192x64xf16>) -> tensor<32x64xf16>
  %1 = "graph.relu"(%0) : (tensor<32x64xf16>) -> tensor<32x64xf16>
  return %1 : tensor<32x64xf16>
}
// -----
// row: all
func.func @main(%x: tensor<1x1024xf32>) -> tensor<1x1000xf32> {
  %w = weight : tensor<1024x1000xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<1x1024xf32>, tensor<1024x1000xf32>) -> tensor<1x1000xf32>
  %1 = "graph.relu"(%0) : (tensor<1x1000xf32>) -> tensor<1x1000xf32>
  return %1 : tensor<1x1000xf32>
}
// -----
// batched: all
func.func @main(%x: tensor<8x48x64xf32>, %w: tensor<8x64x80xf32>) -> tensor<8x48x80xf32> {
  %0 = "graph.matmul"(%x, %w) : (tensor<8x48x64xf32>, tensor<8x64x80xf32>) -> tensor<8x48x80xf32>
  return %0 : tensor<8x48x80xf32>
}
// -----
// quantised: all
func.func @main(%x: tensor<128x256xui8>) -> tensor<128x192xui8> {
  %w = weight : tensor<256x192xi8>
  %s = "graph.constant"() {value = dense<0.02> : tensor<f32>} : () -> tensor<f32>
  %z = "graph.constant"() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
  %0 = "graph.dequantize_linear"(%x, %s, %z) {axis = 1 : i64} : (tensor<128x256xui8>, tensor<f32>, tensor<ui8>) -> tensor<128x256xf32>
  %1 = "graph.dequantize_linear"(%w, %s) {axis = 1 : i64} : (tensor<256x192xi8>, tensor<f32>) -> tensor<256x192xf32>
  %2 = "graph.matmul"(%0, %1) : (tensor<128x256xf32>, tensor<256x192xf32>) -> tensor<128x192xf32>
  %3 = "graph.relu"(%2) : (tensor<128x192xf32>) -> tensor<128x192xf32>
  %4 = "graph.quantize_linear"(%3, %s, %z) {axis = 1 : i64} : (tensor<128x192xf32>, tensor<f32>, tensor<ui8>) -> tensor<128x192xui8>
  return %4 : tensor<128x192xui8>
}
