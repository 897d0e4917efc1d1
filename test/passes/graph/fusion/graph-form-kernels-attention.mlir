// RUN: mlc-opt %s --graph-form-kernels | filecheck %s

// Heads are read and written in place; the reader of the result is a separate kernel.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: tloop.launch
// CHECK-NOT: tloop.launch
func.func @main(%q: tensor<1x48x2x16xf32>, %k: tensor<1x40x2x16xf32>, %v: tensor<1x40x2x16xf32>) -> tensor<1x48x2x16xf32> {
  %0 = "graph.transpose"(%q) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x48x2x16xf32>) -> tensor<1x2x48x16xf32>
  %1 = "graph.transpose"(%k) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x40x2x16xf32>) -> tensor<1x2x40x16xf32>
  %2 = "graph.transpose"(%v) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x40x2x16xf32>) -> tensor<1x2x40x16xf32>
  %3 = "graph.attention"(%0, %1, %2) {scale = 0.25} : (tensor<1x2x48x16xf32>, tensor<1x2x40x16xf32>, tensor<1x2x40x16xf32>) -> tensor<1x2x48x16xf32>
  %4 = "graph.transpose"(%3) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x2x48x16xf32>) -> tensor<1x48x2x16xf32>
  %5 = "graph.exp"(%4) : (tensor<1x48x2x16xf32>) -> tensor<1x48x2x16xf32>
  return %5 : tensor<1x48x2x16xf32>
}

// A transpose of the features, and one of the mask, are separate kernels.
// CHECK-LABEL: func.func @prepare
// CHECK-COUNT-3: tloop.launch
// CHECK: func.func private @attention_
// CHECK-COUNT-3: "graph.transpose"
// CHECK-NEXT: "graph.attention"
// CHECK-NEXT: "graph.transpose"
// CHECK-NEXT: return
// CHECK: func.func private @exp_
// CHECK: func.func private @transpose_
// CHECK: func.func private @transpose_
// CHECK: func.func private @attention_
// CHECK-NEXT: "graph.attention"
func.func @prepare(%q: tensor<2x16x48xf32>, %m: tensor<48x2x48xf32>) -> tensor<2x48x16xf32> {
  %0 = "graph.transpose"(%q) {permutation = array<i64: 0, 2, 1>} : (tensor<2x16x48xf32>) -> tensor<2x48x16xf32>
  %1 = "graph.transpose"(%m) {permutation = array<i64: 1, 0, 2>} : (tensor<48x2x48xf32>) -> tensor<2x48x48xf32>
  %2 = "graph.attention"(%0, %0, %0, %1) {scale = 0.25} : (tensor<2x48x16xf32>, tensor<2x48x16xf32>, tensor<2x48x16xf32>, tensor<2x48x48xf32>) -> tensor<2x48x16xf32>
  return %2 : tensor<2x48x16xf32>
}
