// RUN: mlc-opt %s --graph-form-kernels | filecheck %s

// A scan shares its kernel neither with the ops before it nor with those after it.
// CHECK-LABEL: func.func @main
// CHECK: tloop.launch{{.*}}@exp_
// CHECK: tloop.launch{{.*}}@cumsum_
// CHECK: tloop.launch{{.*}}@neg_
func.func @main(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = "graph.exp"(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = "graph.cumsum"(%0) {axis = 1, exclusive = false, reverse = false} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = "graph.neg"(%1) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}
