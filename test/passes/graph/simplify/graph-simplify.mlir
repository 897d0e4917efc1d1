// RUN: mlc-opt %s --graph-simplify | filecheck %s
// RUN: mlc-opt %s --graph-simplify="exactness=exact" | filecheck %s --check-prefix=EXACT

// What rules of one pass leave is what those of another see: the quotient is a product, the two factors meet,
// the reshapes before them are one, and the sum of the factor with zero is the factor.
// CHECK-LABEL: func.func @joint
// CHECK-DAG: %[[SIX:.*]] = "graph.constant"() {value = dense<6.000000e+00> : tensor<f32>}
// CHECK-DAG: %[[VIEW:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 8>}
// CHECK: %[[RESULT:.*]] = "graph.mul"(%[[VIEW]], %[[SIX]])
// CHECK-NEXT: return %[[RESULT]]
// EXACT-LABEL: func.func @joint
// EXACT: graph.add
// EXACT-COUNT-2: graph.mul
func.func @joint(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %half = "graph.constant"() {value = dense<0.5> : tensor<8xf32>} : () -> tensor<8xf32>
  %three = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.reshape"(%x) {shape = array<i64: 4, 2>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 8>} : (tensor<4x2xf32>) -> tensor<8xf32>
  %2 = "graph.add"(%zero, %1) : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = "graph.div"(%2, %half) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = "graph.mul"(%3, %three) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}

// What is one op already is not taken apart.
// CHECK-LABEL: func.func @whole
// CHECK: graph.batch_norm
func.func @whole(%x: tensor<?x3x?xf32>, %p: tensor<3xf32>) -> tensor<?x3x?xf32> {
  %0 = "graph.batch_norm"(%x, %p, %p, %p, %p) {epsilon = 1.0e-5 : f64} : (tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3x?xf32>
  return %0 : tensor<?x3x?xf32>
}
