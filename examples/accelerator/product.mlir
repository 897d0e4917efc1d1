// A kernel: relu(x w + b), in f16.
func.func private @dense(%x: tensor<32x64xf16>, %w: tensor<64x48xf16>, %b: tensor<48xf16>) -> tensor<32x48xf16> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%x, %w) : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf16>
  %1 = "graph.add"(%0, %b) : (tensor<32x48xf16>, tensor<48xf16>) -> tensor<32x48xf16>
  %2 = "graph.relu"(%1) : (tensor<32x48xf16>) -> tensor<32x48xf16>
  return %2 : tensor<32x48xf16>
}
