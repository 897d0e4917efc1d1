// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(graph-to-linalg))' --split-input-file | filecheck %s

// Dynamic dims are elements of the kernel's last operand; a mean divides by one of them.

// CHECK-LABEL: func.func private @mean
func.func private @mean(%x: tensor<?x?x8xf32>, %dims: tensor<2xindex>) -> tensor<?x8xf32> attributes {tloop.kernel, tloop.dims = [["d0", "d1", ""], ["d0", ""]]} {
  // CHECK: %[[ROWS:.*]] = tensor.extract %arg1[%c0] : tensor<2xindex>
  // CHECK: %[[COUNT:.*]] = tensor.extract %arg1[%c1] : tensor<2xindex>
  // CHECK: tensor.empty(%[[ROWS]]) : tensor<?x8xf32>
  // CHECK: linalg.generic{{.*}}"reduction"
  // CHECK: %[[WIDE:.*]] = arith.index_cast %[[COUNT]] : index to i64
  // CHECK: %[[NUMBER:.*]] = arith.sitofp %[[WIDE]] : i64 to f32
  // CHECK: arith.divf %{{.*}}, %[[NUMBER]]
  %0 = "graph.reduce_mean"(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<?x?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// A dim that does not follow from the operands' is named at the op; parts are written one after the other.

// CHECK-LABEL: func.func private @join
func.func private @join(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %dims: tensor<3xindex>) -> tensor<?x4xf32> attributes {tloop.kernel, tloop.dims = [["d0", ""], ["d1", ""], ["d2", ""]]} {
  // CHECK-DAG: %[[FIRST:.*]] = tensor.extract %{{.*}}[%c0]
  // CHECK-DAG: %[[SECOND:.*]] = tensor.extract %{{.*}}[%c1]
  // CHECK-DAG: %[[BOTH:.*]] = tensor.extract %{{.*}}[%c2]
  // CHECK: %[[EMPTY:.*]] = tensor.empty(%[[BOTH]]) : tensor<?x4xf32>
  // CHECK: %[[HALF:.*]] = tensor.insert_slice %arg0 into %[[EMPTY]][0, 0] [%[[FIRST]], 4] [1, 1]
  // CHECK: tensor.insert_slice %arg1 into %[[HALF]][%[[FIRST]], 0] [%[[SECOND]], 4] [1, 1]
  %0 = "graph.concat"(%x, %y) {axis = 0 : i64, graph.dims = [["d2", ""]], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
