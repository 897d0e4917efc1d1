// RUN: mlc-opt %s --graph-to-linalg | filecheck %s

// Indices count from the end where negative, and are clamped: data must not make a kernel read outside its buffers.
// CHECK-LABEL: func.func private @gather
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<5xi64>)
// CHECK-NEXT: ^bb0(%[[I:.*]]: i64, %{{.*}}: f32):
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[I]] : i64 to index
// CHECK: arith.cmpi slt, %[[INDEX]]
// CHECK: arith.addi %[[INDEX]]
// CHECK: %[[WRAPPED:.*]] = arith.select
// CHECK: %[[LOW:.*]] = arith.maxsi %[[WRAPPED]]
// CHECK: %[[LAST:.*]] = arith.constant 9 : index
// CHECK: %[[PLACE:.*]] = arith.minsi %[[LOW]], %[[LAST]]
// CHECK: tensor.extract %arg0[%[[PLACE]], %{{.*}}]
func.func private @gather(%x: tensor<10x4xf32>, %i: tensor<5xi64>) -> tensor<5x4xf32> attributes {tloop.kernel} {
  %0 = "graph.gather"(%x, %i) {axis = 0} : (tensor<10x4xf32>, tensor<5xi64>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// Constant indices inside the data need no bounds, those outside do.
// CHECK-LABEL: func.func private @gather_constants
// CHECK: ^bb0(%[[I:.*]]: i32, %{{.*}}: f32):
// CHECK-NOT: arith.minsi
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK-NEXT: tensor.extract %arg0[%[[PLACE]], %{{.*}}]
// CHECK: ^bb0
// CHECK: arith.maxsi
// CHECK: ^bb0
// CHECK: arith.minsi
func.func private @gather_constants(%x: tensor<10x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<1x4xf32>) attributes {tloop.kernel} {
  %inside = "graph.constant"() {value = dense<[0, 9, 4]> : tensor<3xi32>} : () -> tensor<3xi32>
  %before = "graph.constant"() {value = dense<[0, -1, 4]> : tensor<3xi32>} : () -> tensor<3xi32>
  %behind = "graph.constant"() {value = dense<10> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = "graph.gather"(%x, %inside) {axis = 0} : (tensor<10x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  %1 = "graph.gather"(%x, %before) {axis = 0} : (tensor<10x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  %2 = "graph.gather"(%x, %behind) {axis = 0} : (tensor<10x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  return %0, %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<1x4xf32>
}

// The indices are read once for each dim that they index; the batch dim and the rest of the slice stay in place.
// CHECK-LABEL: func.func private @gather_nd
// CHECK: linalg.generic {{.*}} ins(%arg1, %arg1 : tensor<2x3x2xi64>, tensor<2x3x2xi64>)
// CHECK-NEXT: ^bb0(%[[I:.*]]: i64, %[[J:.*]]: i64, %{{.*}}: f32):
// CHECK: arith.index_cast %[[I]]
// CHECK: %[[ROW:.*]] = arith.minsi
// CHECK: arith.index_cast %[[J]]
// CHECK: %[[COLUMN:.*]] = arith.minsi
// CHECK-DAG: %[[BATCH:.*]] = linalg.index 0
// CHECK-DAG: %[[REST:.*]] = linalg.index 2
// CHECK: tensor.extract %arg0[%[[BATCH]], %[[ROW]], %[[COLUMN]], %[[REST]]]
func.func private @gather_nd(%x: tensor<2x10x7x4xf32>, %i: tensor<2x3x2xi64>) -> tensor<2x3x4xf32> attributes {tloop.kernel} {
  %0 = "graph.gather_nd"(%x, %i) {batch_dims = 1} : (tensor<2x10x7x4xf32>, tensor<2x3x2xi64>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @trilu
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[DIAGONAL:.*]] = arith.addi %[[ROW]]
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: arith.cmpi sle, %[[COLUMN]], %[[DIAGONAL]]
func.func private @trilu(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {tloop.kernel} {
  %0 = "graph.trilu"(%x) {upper = false, k = 1} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func private @creation
// CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: arith.constant 7 : i64
func.func private @creation() -> (tensor<2xf32>, tensor<3xi64>) attributes {tloop.kernel} {
  %0 = "graph.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = "graph.full"() {value = 7} : () -> tensor<3xi64>
  return %0, %1 : tensor<2xf32>, tensor<3xi64>
}
