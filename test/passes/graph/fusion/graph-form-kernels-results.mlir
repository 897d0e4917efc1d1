// RUN: mlc-opt %s --form-kernels | filecheck %s

// Each result has a separate launch that writes it, also where one value is returned three times.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[A:[0-9]+]] = "tloop.launch"(%arg0) {kernel = @neg_
// CHECK-NEXT: %[[B:[0-9]+]] = "tloop.launch"(%[[A]]) {kernel = @identity_
// CHECK: %[[V:[0-9]+]] = "graph.reshape"(%[[B]])
// CHECK-NEXT: %[[C:[0-9]+]] = "tloop.launch"(%[[V]]) {kernel = @identity_
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<12xf32>) {
  %0 = "graph.neg"(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 12>} : (tensor<3x4xf32>) -> tensor<12xf32>
  return %0, %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<12xf32>
}
