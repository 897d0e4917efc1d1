// RUN: mlc-opt %s --graph-form-kernels | filecheck %s

// An elementwise op ends the kernel of LRN on a plain image, not that on blocks, which has no tiles.
// CHECK-LABEL: func.func @main
// CHECK-DAG: "tloop.launch"(%arg0) {kernel = @[[PLAIN:lrn_relu_[0-9a-f]*]],
// CHECK-DAG: %[[BLOCKED:.*]] = "tloop.launch"(%arg1) {kernel = @[[ALONE:lrn_[0-9a-f]*]],
// CHECK-DAG: "tloop.launch"(%[[BLOCKED]]) {kernel = @[[RELU:relu_[0-9a-f]*]],
// CHECK: return
func.func @main(%x: tensor<1x32x6x6xf32>, %y: tensor<1x1x6x6x32xf32>) -> (tensor<1x32x6x6xf32>, tensor<1x1x6x6x32xf32>) {
  %0 = "graph.lrn"(%x) {alpha = 1.0e-04 : f64, beta = 7.5e-01 : f64, bias = 1.0 : f64, layout = "NCHW", size = 5} : (tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  %1 = "graph.relu"(%0) : (tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  %2 = "graph.lrn"(%y) {alpha = 1.0e-04 : f64, beta = 7.5e-01 : f64, bias = 1.0 : f64, layout = "NCHWc", size = 5} : (tensor<1x1x6x6x32xf32>) -> tensor<1x1x6x6x32xf32>
  %3 = "graph.relu"(%2) : (tensor<1x1x6x6x32xf32>) -> tensor<1x1x6x6x32xf32>
  return %1, %3 : tensor<1x32x6x6xf32>, tensor<1x1x6x6x32xf32>
}
