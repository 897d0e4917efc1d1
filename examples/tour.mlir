func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %root = "graph.constant"() {value = dense<1.41421354> : tensor<f32>} : () -> tensor<f32>
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.div"(%x, %root) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %1 = "graph.erf"(%0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = "graph.add"(%1, %one) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %3 = "graph.mul"(%x, %2) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %y = "graph.mul"(%3, %half) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
