// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --cse --canonicalize | filecheck %s --check-prefix=SIMPLE

// CHECK-LABEL: func.func @f
// SIMPLE-LABEL: func.func @f
func.func @f(%x: tensor<?xi64> {graph.dims = ["n"]}, %t: tensor<i1>) -> (tensor<?xi64>, tensor<?xi64>) {
  // CHECK-NEXT: "graph.check"(%arg0, %arg1) {message = "Slice 'y': a step is 0"} : (tensor<?xi64>, tensor<i1>) -> tensor<?xi64>
  // One that two need is made once.
  // SIMPLE-COUNT-1: "graph.check"
  // SIMPLE-NEXT: return %0, %0
  %0 = "graph.check"(%x, %t) {message = "Slice 'y': a step is 0"} : (tensor<?xi64>, tensor<i1>) -> tensor<?xi64>
  %1 = "graph.check"(%x, %t) {message = "Slice 'y': a step is 0"} : (tensor<?xi64>, tensor<i1>) -> tensor<?xi64>
  return %0, %1 : tensor<?xi64>, tensor<?xi64>
}
