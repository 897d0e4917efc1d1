// transposes: all
func.func @main(%x: tensor<12x40x56x8xf32>) -> tensor<8x12x56x40xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 3, 0, 2, 1>} : (tensor<12x40x56x8xf32>) -> tensor<8x12x56x40xf32>
  return %0 : tensor<8x12x56x40xf32>
}
// -----
// transposed-bytes: all
func.func @main(%x: tensor<64x48xi8>) -> tensor<48x64xi8> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<64x48xi8>) -> tensor<48x64xi8>
  return %0 : tensor<48x64xi8>
}
// -----
// gathered: all
func.func @main(%x: tensor<500x33xf32>, %i: tensor<16xi64>) -> tensor<17x38xf32> {
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<500x33xf32>, tensor<16xi64>) -> tensor<16x33xf32>
  %1 = "graph.exp"(%0) : (tensor<16x33xf32>) -> tensor<16x33xf32>
  %2 = "graph.pad"(%1) {high = array<i64: 1, 2>, low = array<i64: 0, 3>, mode = "reflect", value = 0.0 : f64} : (tensor<16x33xf32>) -> tensor<17x38xf32>
  return %2 : tensor<17x38xf32>
}
// -----
// functions: all amd
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %1 = "graph.exp"(%x) : (tensor<1000xf32>) -> tensor<1000xf32>
  %2 = "graph.log"(%1) : (tensor<1000xf32>) -> tensor<1000xf32>
  %3 = "graph.sqrt"(%2) : (tensor<1000xf32>) -> tensor<1000xf32>
  %4 = "graph.erf"(%3) : (tensor<1000xf32>) -> tensor<1000xf32>
  %5 = "graph.sin"(%4) : (tensor<1000xf32>) -> tensor<1000xf32>
  %6 = "graph.cos"(%5) : (tensor<1000xf32>) -> tensor<1000xf32>
  %7 = "graph.tan"(%6) : (tensor<1000xf32>) -> tensor<1000xf32>
  %8 = "graph.atan"(%7) : (tensor<1000xf32>) -> tensor<1000xf32>
  %9 = "graph.sinh"(%8) : (tensor<1000xf32>) -> tensor<1000xf32>
  %10 = "graph.tanh"(%9) : (tensor<1000xf32>) -> tensor<1000xf32>
  %11 = "graph.asinh"(%10) : (tensor<1000xf32>) -> tensor<1000xf32>
  %12 = "graph.mish"(%11) : (tensor<1000xf32>) -> tensor<1000xf32>
  %13 = "graph.softplus"(%12) : (tensor<1000xf32>) -> tensor<1000xf32>
  %14 = "graph.sigmoid"(%13) : (tensor<1000xf32>) -> tensor<1000xf32>
  %15 = "graph.reciprocal"(%14) : (tensor<1000xf32>) -> tensor<1000xf32>
  return %15 : tensor<1000xf32>
}
// -----
// functions-f64: cpu sm_80
func.func @main(%x: tensor<77xf64>) -> tensor<77xf64> {
  %0 = "graph.exp"(%x) : (tensor<77xf64>) -> tensor<77xf64>
  %1 = "graph.erf"(%0) : (tensor<77xf64>) -> tensor<77xf64>
  %2 = "graph.log"(%1) : (tensor<77xf64>) -> tensor<77xf64>
  %3 = "graph.cos"(%2) : (tensor<77xf64>) -> tensor<77xf64>
  return %3 : tensor<77xf64>
}
