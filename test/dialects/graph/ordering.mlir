// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Ops that put elements in order: values, and their positions.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x?x9xf32>, %i: tensor<7xui8>) {
  // CHECK-NEXT: %{{.*}}:2 = "graph.top_k"(%{{.*}}) {axis = 2 : i64, k = 3 : i64} : (tensor<2x?x9xf32>) -> (tensor<2x?x3xf32>, tensor<2x?x3xi64>)
  %0, %1 = "graph.top_k"(%x) {axis = 2, k = 3} : (tensor<2x?x9xf32>) -> (tensor<2x?x3xf32>, tensor<2x?x3xi64>)
  // CHECK-NEXT: %{{.*}}:2 = "graph.top_k"(%{{.*}}) {axis = 0 : i64, k = 7 : i64, largest = false, sorted = false} : (tensor<7xui8>) -> (tensor<7xui8>, tensor<7xi64>)
  %2, %3 = "graph.top_k"(%i) {axis = 0, k = 7, largest = false, sorted = false} : (tensor<7xui8>) -> (tensor<7xui8>, tensor<7xi64>)
  // CHECK-NEXT: %{{.*}}:2 = "graph.top_k"(%{{.*}}) {axis = 1 : i64, k = -1 : i64} : (tensor<2x?x9xf32>) -> (tensor<2x?x9xf32>, tensor<2x?x9xi64>)
  %4, %5 = "graph.top_k"(%x) {axis = 1, k = -1} : (tensor<2x?x9xf32>) -> (tensor<2x?x9xf32>, tensor<2x?x9xi64>)
  return
}
