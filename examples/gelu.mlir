// Two functions for examples/fast_gelu.py: one with 64 elements, one with 8.
func.func @large(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = "graph.gelu"(%x) {approximate = "none"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

func.func @small(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = "graph.gelu"(%x) {approximate = "none"} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
