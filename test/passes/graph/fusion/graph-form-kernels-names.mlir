// RUN: mlc-opt %s --split-input-file --graph-form-kernels | filecheck %s

// A kernel's name follows from its ops and its content, not from what is around it: caches find it again.
// CHECK: {kernel = @[[NAME:neg_abs_[0-9a-f]*]],
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "graph.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "graph.abs"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK: {kernel = @exp_
// CHECK: {kernel = @[[NAME]],
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %0 = "graph.exp"(%y) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "graph.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.abs"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %2 : tensor<2xf32>, tensor<4xf32>
}

// -----

// Another shape is another kernel. Names of many ops are shortened.
// CHECK-NOT: {kernel = @[[NAME]],
// CHECK: {kernel = @neg_abs_
// CHECK: {kernel = @exp_neg_abs_etc_
func.func @main(%x: tensor<5xf32>, %y: tensor<2xf32>) -> (tensor<5xf32>, tensor<2xf32>) {
  %0 = "graph.neg"(%x) : (tensor<5xf32>) -> tensor<5xf32>
  %1 = "graph.abs"(%0) : (tensor<5xf32>) -> tensor<5xf32>
  %2 = "graph.exp"(%y) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "graph.neg"(%2) : (tensor<2xf32>) -> tensor<2xf32>
  %4 = "graph.abs"(%3) : (tensor<2xf32>) -> tensor<2xf32>
  %5 = "graph.neg"(%4) : (tensor<2xf32>) -> tensor<2xf32>
  %6 = "graph.exp"(%5) : (tensor<2xf32>) -> tensor<2xf32>
  return %1, %6 : tensor<5xf32>, tensor<2xf32>
}
