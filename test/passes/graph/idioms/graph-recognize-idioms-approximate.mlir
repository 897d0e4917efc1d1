// RUN: mlc-opt %s --graph-recognize-idioms=exactness=approximate | filecheck %s
// RUN: mlc-opt %s --graph-recognize-idioms=exactness=exact | filecheck %s --check-prefix=EXACT

// Without the maximum, where e^x overflows the quotient is NaN.
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: "graph.softmax"(%arg0) {axis = 1 : i64}
// CHECK-NEXT: return
// EXACT-NOT: graph.softmax
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = "graph.exp"(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = "graph.reduce_sum"(%0) {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?x1xf32>
  %2 = "graph.reciprocal"(%1) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %3 = "graph.mul"(%0, %2) : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}
