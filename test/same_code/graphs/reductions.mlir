// rows: all amd
func.func @main(%x: tensor<16x1000xf32>) -> tensor<16x1000xf32> {
  %0 = "graph.layer_norm"(%x) {axes = array<i64: 1>, epsilon = 1.0e-5 : f64} : (tensor<16x1000xf32>) -> tensor<16x1000xf32>
  %1 = "graph.log_softmax"(%0) {axis = 1 : i64} : (tensor<16x1000xf32>) -> tensor<16x1000xf32>
  return %1 : tensor<16x1000xf32>
}
// -----
// scan: all
func.func @main(%x: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  %0 = "graph.cumsum"(%x) {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<4x4096xf32>) -> tensor<4x4096xf32>
  return %0 : tensor<4x4096xf32>
}
// -----
// columns: all
func.func @main(%x: tensor<256x300xf32>) -> tensor<300xf32> {
  %0 = "graph.reduce_sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<256x300xf32>) -> tensor<300xf32>
  %1 = "graph.rsqrt"(%0) : (tensor<300xf32>) -> tensor<300xf32>
  return %1 : tensor<300xf32>
}
// -----
// extremes: all
func.func @main(%x: tensor<256x300xf32>) -> tensor<256xi64> {
  %0 = "graph.arg_max"(%x) {axis = 1 : i64, keepdims = false, select_last_index = false} : (tensor<256x300xf32>) -> tensor<256xi64>
  return %0 : tensor<256xi64>
}
