// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// The index replaces the coordinate along the axis; it counts from the end where negative, and is clamped.
// CHECK-LABEL: func.func private @elements
// CHECK: scf.for %[[I:[a-z0-9]+]] = %{{.*}} to %{{.*}} iter_args(%{{.*}} = %arg0) -> (tensor<4x5xf32>)
// CHECK: scf.for %[[J:[a-z0-9]+]] = %{{.*}} iter_args(%[[OLD:[a-z0-9]+]] =
// CHECK: %[[INDEX:.*]] = tensor.extract %arg1[%[[I]], %[[J]]] : tensor<2x3xi64>
// CHECK: arith.index_cast %[[INDEX]]
// CHECK: %[[LAST:.*]] = arith.constant 4 : index
// CHECK: %[[PLACE:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// CHECK: %[[UPDATE:.*]] = tensor.extract %arg2[%[[I]], %[[J]]]
// CHECK: %[[ELEMENT:.*]] = tensor.extract %[[OLD]][%[[I]], %[[PLACE]]]
// CHECK: %[[SUM:.*]] = arith.addf %[[ELEMENT]], %[[UPDATE]]
// CHECK: tensor.insert %[[SUM]] into %[[OLD]][%[[I]], %[[PLACE]]]
func.func private @elements(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>) -> tensor<4x5xf32> attributes {tloop.kernel} {
  %0 = "graph.scatter_elements"(%x, %i, %u) {axis = 1, reduction = "add"} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// Two coordinates of each tuple, then the index in the slice. Without a reduction updates replace elements.
// CHECK-LABEL: func.func private @slices
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: scf.for %[[K:[a-z0-9]+]] = %{{.*}} iter_args(%[[OLD:[a-z0-9]+]] =
// CHECK: %[[FIRST:.*]] = arith.constant 0 : index
// CHECK: tensor.extract %arg1[%[[I]], %[[FIRST]]]
// CHECK: %[[SECOND:.*]] = arith.constant 1 : index
// CHECK: tensor.extract %arg1[%[[I]], %[[SECOND]]]
// CHECK: %[[ROW:.*]] = arith.minsi
// CHECK: %[[COLUMN:.*]] = arith.minsi
// CHECK: %[[UPDATE:.*]] = tensor.extract %arg2[%[[I]], %[[K]]]
// CHECK: tensor.insert %[[UPDATE]] into %[[OLD]][%[[ROW]], %[[COLUMN]], %[[K]]]
func.func private @slices(%x: tensor<4x5x6xf32>, %i: tensor<3x2xi32>, %u: tensor<3x6xf32>) -> tensor<4x5x6xf32> attributes {tloop.kernel} {
  %0 = "graph.scatter_nd"(%x, %i, %u) {reduction = "none"} : (tensor<4x5x6xf32>, tensor<3x2xi32>, tensor<3x6xf32>) -> tensor<4x5x6xf32>
  return %0 : tensor<4x5x6xf32>
}

// -----

// 16-bit floats are combined in f32, unsigned integers as such, booleans by `and` and `or`.
// CHECK-LABEL: func.func private @types
// CHECK: %[[WIDE:.*]] = arith.mulf %{{.*}} : f32
// CHECK: arith.truncf %[[WIDE]] : f32 to bf16
// CHECK: arith.maxui %{{.*}} : i8
// CHECK: arith.maxui %{{.*}} : i1
func.func private @types(%x: tensor<4xbf16>, %y: tensor<4xui8>, %z: tensor<4xi1>, %i: tensor<3xi32>, %u: tensor<3xbf16>, %v: tensor<3xui8>, %w: tensor<3xi1>)
    -> (tensor<4xbf16>, tensor<4xui8>, tensor<4xi1>) attributes {tloop.kernel} {
  %0 = "graph.scatter_elements"(%x, %i, %u) {axis = 0, reduction = "mul"} : (tensor<4xbf16>, tensor<3xi32>, tensor<3xbf16>) -> tensor<4xbf16>
  %1 = "graph.scatter_elements"(%y, %i, %v) {axis = 0, reduction = "max"} : (tensor<4xui8>, tensor<3xi32>, tensor<3xui8>) -> tensor<4xui8>
  %2 = "graph.scatter_elements"(%z, %i, %w) {axis = 0, reduction = "add"} : (tensor<4xi1>, tensor<3xi32>, tensor<3xi1>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xbf16>, tensor<4xui8>, tensor<4xi1>
}
