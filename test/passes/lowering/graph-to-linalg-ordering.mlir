// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// The first four elements become a heap, of which the root is the last in the order; blocks of a line are compared
// with it at once, 32 f32 each. At the end the root goes to the end of what is left.
// CHECK-LABEL: func.func private @largest
// CHECK: scf.forall (%[[ROW:.*]], %{{.*}}) in (2, 1) shared_outs(%{{.*}}) -> (tensor<2x4xf32>, tensor<2x4xi64>)
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[END:.*]] = arith.constant 68 : index
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 32 : index
// CHECK: scf.for %[[AT:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[VALUES:[a-z0-9]+]] = %{{.*}}, %{{.*}}) -> (tensor<1x4xf32>, tensor<1x4xi64>)
// CHECK: %[[BLOCK:.*]] = vector.transfer_read %arg0[%[[ROW]], %[[AT]]], {{.*}} : tensor<2x70xf32>, vector<32xf32>
// CHECK: %[[ROOT:.*]] = vector.broadcast %{{.*}} : f32 to vector<32xf32>
// CHECK: %[[BEYOND:.*]] = arith.cmpf ugt, %[[BLOCK]], %[[ROOT]]
// CHECK: %[[NUMBER:.*]] = arith.cmpf ord, %[[ROOT]], %[[ROOT]]
// CHECK: %[[BETTER:.*]] = arith.andi %[[BEYOND]], %[[NUMBER]]
// CHECK: %[[FOUND:.*]] = vector.reduction <or>, %[[BETTER]]
// CHECK: scf.if %[[FOUND]]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[ROW]], %{{.*}}] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<2x4xf32>
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[ROW]], %{{.*}}] [1, 4] [1, 1] : tensor<1x4xi64> into tensor<2x4xi64>
func.func private @largest(%x: tensor<2x70xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>) attributes {tloop.kernel} {
  %0, %1 = "graph.top_k"(%x) {axis = 1, k = 4, largest = true, sorted = true} : (tensor<2x70xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xi64>
}

// -----

// Columns are read one element after the other. The smallest: NaN is last; without an order at the end
// the heap stays.
// CHECK-LABEL: func.func private @smallest
// CHECK-NOT: vector.
// CHECK: %[[X:.*]] = tensor.extract %arg0[%{{.*}}, %{{.*}}] : tensor<70x2xf16>
// CHECK: %[[BEYOND:.*]] = arith.cmpf ult, %[[A:.*]], %{{.*}} : f32
// CHECK-NEXT: arith.cmpf ord, %[[A]], %[[A]]
// CHECK: scf.if
// CHECK: } else {
// CHECK-NOT: scf.for %
// CHECK: scf.forall.in_parallel
func.func private @smallest(%x: tensor<70x2xf16>) -> (tensor<3x2xf16>, tensor<3x2xi64>) attributes {tloop.kernel} {
  %0, %1 = "graph.top_k"(%x) {axis = 0, k = 3, largest = false, sorted = false} : (tensor<70x2xf16>) -> (tensor<3x2xf16>, tensor<3x2xi64>)
  return %0, %1 : tensor<3x2xf16>, tensor<3x2xi64>
}

// -----

// All elements of a dynamic number of rows, of dynamic length: a heap of all, and nothing to compare with it.
// CHECK-LABEL: func.func private @sorted
// CHECK-DAG: %[[ROWS:.*]] = tensor.extract %arg1[%c0
// CHECK-DAG: %[[LENGTH:.*]] = tensor.extract %arg1[%c1
// CHECK: scf.forall (%[[ROW:.*]], %{{.*}}) in (%[[ROWS]], 1) shared_outs(%{{.*}}) -> (tensor<?x?xf32>, tensor<?x?xi64>)
// CHECK: tensor.empty(%[[LENGTH]]) : tensor<1x?xf32>
// CHECK: scf.for %[[AT:[a-z0-9]+]] = %c0{{.*}} to %[[LENGTH]] step
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: tensor.extract %arg0[%[[ROW]], %[[AT]]]
// CHECK-NOT: scf.if
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[ROW]], %{{.*}}] [1, %[[LENGTH]]] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
func.func private @sorted(%x: tensor<?x?xf32>, %n: tensor<2xindex>) -> (tensor<?x?xf32>, tensor<?x?xi64>) attributes {tloop.kernel, tloop.dims = [["d0", "d1"], ["d0", "d1"], ["d0", "d1"]]} {
  %0, %1 = "graph.top_k"(%x) {axis = 1, k = -1, largest = true, sorted = true, graph.dims = [["d0", "d1"], ["d0", "d1"]]} : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi64>)
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xi64>
}

// -----

// The rows of the column's largest element and of the diagonal are swapped, which flips the sign.
// CHECK-LABEL: func.func private @determinant
// CHECK: scf.for %[[STEP:[a-z0-9]+]] = %{{.*}} -> (tensor<3x3xf32>, f32)
// CHECK: math.absf
// CHECK: arith.cmpf ogt
// CHECK: %[[KEPT:.*]] = arith.cmpi eq
// CHECK: arith.divf
// CHECK: arith.subf
// CHECK: %[[TURNED:.*]] = arith.negf %[[PIVOT:.*]] : f32
// CHECK: arith.select %[[KEPT]], %[[PIVOT]], %[[TURNED]]
func.func private @determinant(%x: tensor<2x3x3xf32>) -> tensor<2xf32> attributes {tloop.kernel} {
  %0 = "graph.det"(%x) : (tensor<2x3x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
