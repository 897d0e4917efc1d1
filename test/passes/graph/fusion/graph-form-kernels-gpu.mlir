// RUN: mlc-opt %s --split-input-file --graph-form-kernels | filecheck %s

// Thread blocks that multiply tiles store them as they are: padding is a separate kernel.
module attributes {tloop.target = "cuda:sm_80"} {
// CHECK-LABEL: func.func @main
// CHECK: kernel = @matmul_relu_{{[0-9a-f]+}}
// CHECK: kernel = @pad_{{[0-9a-f]+}}
func.func @main(%x: tensor<16x64xf32>, %w: tensor<64x24xf32>) -> tensor<16x32xf32> {
  %0 = "graph.matmul"(%x, %w) : (tensor<16x64xf32>, tensor<64x24xf32>) -> tensor<16x24xf32>
  %1 = "graph.relu"(%0) : (tensor<16x24xf32>) -> tensor<16x24xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 0>, high = array<i64: 0, 8>, mode = "constant", value = 0.0 : f64} : (tensor<16x24xf32>) -> tensor<16x32xf32>
  return %2 : tensor<16x32xf32>
}
}

// -----

// What is elementwise is written into the padded result.
module attributes {tloop.target = "cuda:sm_80"} {
// CHECK-LABEL: func.func @main
// CHECK: kernel = @relu_pad_{{[0-9a-f]+}}
func.func @main(%x: tensor<16x24xf32>) -> tensor<16x32xf32> {
  %1 = "graph.relu"(%x) : (tensor<16x24xf32>) -> tensor<16x24xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 0>, high = array<i64: 0, 8>, mode = "constant", value = 0.0 : f64} : (tensor<16x24xf32>) -> tensor<16x32xf32>
  return %2 : tensor<16x32xf32>
}
}
