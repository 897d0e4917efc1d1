// product: cpu
// dim n 1 64
func.func @main(%x: tensor<?x64xf32> {graph.dims = ["n", ""]}) -> tensor<?x96xf32> {
  %w = weight : tensor<64x96xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
  %1 = "graph.softmax"(%0) {axis = 1 : i64} : (tensor<?x96xf32>) -> tensor<?x96xf32>
  return %1 : tensor<?x96xf32>
}
