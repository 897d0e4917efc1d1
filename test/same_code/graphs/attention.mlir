// attention-f32: all
func.func @main(%q: tensor<2x8x128x64xf32>, %k: tensor<2x8x128x64xf32>, %v: tensor<2x8x128x64xf32>) -> tensor<2x8x128x64xf32> {
  %0 = "graph.attention"(%q, %k, %v) {causal = true, scale = 0.125 : f64} : (tensor<2x8x128x64xf32>, tensor<2x8x128x64xf32>, tensor<2x8x128x64xf32>) -> tensor<2x8x128x64xf32>
  return %0 : tensor<2x8x128x64xf32>
}
// -----
// attention-f16: all
func.func @main(%q: tensor<2x8x128x64xf16>, %k: tensor<2x8x128x64xf16>, %v: tensor<2x8x128x64xf16>) -> tensor<2x8x128x64xf16> {
  %0 = "graph.attention"(%q, %k, %v) {causal = true, scale = 0.125 : f64} : (tensor<2x8x128x64xf16>, tensor<2x8x128x64xf16>, tensor<2x8x128x64xf16>) -> tensor<2x8x128x64xf16>
  return %0 : tensor<2x8x128x64xf16>
}
// -----
// attention-groups-mask: all
func.func @main(%q: tensor<1x16x160x64xf16>, %k: tensor<1x4x192x64xf16>, %v: tensor<1x4x192x64xf16>, %m: tensor<1x1x160x192xf16>) -> tensor<1x16x160x64xf16> {
  %0 = "graph.attention"(%q, %k, %v, %m) {scale = 0.125 : f64} : (tensor<1x16x160x64xf16>, tensor<1x4x192x64xf16>, tensor<1x4x192x64xf16>, tensor<1x1x160x192xf16>) -> tensor<1x16x160x64xf16>
  return %0 : tensor<1x16x160x64xf16>
}
// -----
// encoder-block: all
func.func @main(%x: tensor<1x64x128xf32>) -> tensor<1x64x128xf32> {
  %wq = weight : tensor<128x128xf32>
  %q0 = "graph.matmul"(%x, %wq) : (tensor<1x64x128xf32>, tensor<128x128xf32>) -> tensor<1x64x128xf32>
  %q1 = "graph.reshape"(%q0) {shape = array<i64: 1, 64, 4, 32>} : (tensor<1x64x128xf32>) -> tensor<1x64x4x32xf32>
  %q2 = "graph.transpose"(%q1) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x64x4x32xf32>) -> tensor<1x4x64x32xf32>
  %wk = weight : tensor<128x128xf32>
  %k0 = "graph.matmul"(%x, %wk) : (tensor<1x64x128xf32>, tensor<128x128xf32>) -> tensor<1x64x128xf32>
  %k1 = "graph.reshape"(%k0) {shape = array<i64: 1, 64, 4, 32>} : (tensor<1x64x128xf32>) -> tensor<1x64x4x32xf32>
  %k2 = "graph.transpose"(%k1) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x64x4x32xf32>) -> tensor<1x4x64x32xf32>
  %wv = weight : tensor<128x128xf32>
  %v0 = "graph.matmul"(%x, %wv) : (tensor<1x64x128xf32>, tensor<128x128xf32>) -> tensor<1x64x128xf32>
  %v1 = "graph.reshape"(%v0) {shape = array<i64: 1, 64, 4, 32>} : (tensor<1x64x128xf32>) -> tensor<1x64x4x32xf32>
  %v2 = "graph.transpose"(%v1) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x64x4x32xf32>) -> tensor<1x4x64x32xf32>
  %kt = "graph.transpose"(%k2) {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x4x64x32xf32>) -> tensor<1x4x32x64xf32>
  %s = "graph.matmul"(%q2, %kt) : (tensor<1x4x64x32xf32>, tensor<1x4x32x64xf32>) -> tensor<1x4x64x64xf32>
  %c = "graph.constant"() {value = dense<0.176776695> : tensor<f32>} : () -> tensor<f32>
  %s1 = "graph.mul"(%s, %c) : (tensor<1x4x64x64xf32>, tensor<f32>) -> tensor<1x4x64x64xf32>
  %p = "graph.softmax"(%s1) {axis = 3 : i64} : (tensor<1x4x64x64xf32>) -> tensor<1x4x64x64xf32>
  %o = "graph.matmul"(%p, %v2) : (tensor<1x4x64x64xf32>, tensor<1x4x64x32xf32>) -> tensor<1x4x64x32xf32>
  %o1 = "graph.transpose"(%o) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x4x64x32xf32>) -> tensor<1x64x4x32xf32>
  %o2 = "graph.reshape"(%o1) {shape = array<i64: 1, 64, 128>} : (tensor<1x64x4x32xf32>) -> tensor<1x64x128xf32>
  %wo = weight : tensor<128x128xf32>
  %o3 = "graph.matmul"(%o2, %wo) : (tensor<1x64x128xf32>, tensor<128x128xf32>) -> tensor<1x64x128xf32>
  %o4 = "graph.add"(%o3, %x) : (tensor<1x64x128xf32>, tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
  %l = "graph.layer_norm"(%o4) {axes = array<i64: 2>, epsilon = 1.0e-5 : f64} : (tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
  %g = weight : tensor<128xf32>
  %l1 = "graph.mul"(%l, %g) : (tensor<1x64x128xf32>, tensor<128xf32>) -> tensor<1x64x128xf32>
  %w1 = weight : tensor<128x512xf32>
  %f = "graph.matmul"(%l1, %w1) : (tensor<1x64x128xf32>, tensor<128x512xf32>) -> tensor<1x64x512xf32>
  %f1 = "graph.gelu"(%f) {approximate = "tanh"} : (tensor<1x64x512xf32>) -> tensor<1x64x512xf32>
  %w2 = weight : tensor<512x128xf32>
  %f2 = "graph.matmul"(%f1, %w2) : (tensor<1x64x512xf32>, tensor<512x128xf32>) -> tensor<1x64x128xf32>
  %y = "graph.add"(%f2, %l1) : (tensor<1x64x128xf32>, tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
  return %y : tensor<1x64x128xf32>
}
