// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// Iteration space: batch, m, n, and k last: with k elsewhere vectorisation makes dot products.
// CHECK: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d1, d3)>
// CHECK: #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK: #[[C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func private @batched
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: arith.addf %{{.*}}, %[[P]]
func.func private @batched(%a: tensor<1x3x5xf32>, %b: tensor<2x5x4xf32>) -> tensor<2x3x4xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<1x3x5xf32>, tensor<2x5x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// A transpose that only contractions read is part of their maps.
// CHECK: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func private @transposed
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], {{.*}} ins(%arg0, %arg1 : tensor<3x5xf32>, tensor<4x5xf32>)
// CHECK-NOT: graph.
func.func private @transposed(%a: tensor<3x5xf32>, %b: tensor<4x5xf32>) -> tensor<3x4xf32> attributes {tloop.kernel} {
  %t = "graph.transpose"(%b) {permutation = array<i64: 1, 0>} : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %0 = "graph.matmul"(%a, %t) : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// 16-bit floats are widened after it: it is a separate computation, which is fused later.
// CHECK: #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func private @narrow
// CHECK: %[[T:.*]] = linalg.generic {indexing_maps = [#[[SWAPPED]], {{.*}} ins(%arg1 : tensor<4x5xf16>)
// CHECK: linalg.generic {{.*}} ins(%[[T]] : tensor<5x4xf16>) outs(%{{.*}} : tensor<5x4xf32>)
// CHECK-NOT: graph.
func.func private @narrow(%a: tensor<3x5xf16>, %b: tensor<4x5xf16>) -> tensor<3x4xf16> attributes {tloop.kernel} {
  %t = "graph.transpose"(%b) {permutation = array<i64: 1, 0>} : (tensor<4x5xf16>) -> tensor<5x4xf16>
  %0 = "graph.matmul"(%a, %t) : (tensor<3x5xf16>, tensor<5x4xf16>) -> tensor<3x4xf16>
  return %0 : tensor<3x4xf16>
}

// -----

// CHECK: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK: #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-LABEL: func.func private @packed
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], {{.*}}"reduction"]}
func.func private @packed(%a: tensor<3x5xf32>, %b: tensor<2x5x16xf32>) -> tensor<3x2x16xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<3x5xf32>, tensor<2x5x16xf32>) -> tensor<3x2x16xf32>
  return %0 : tensor<3x2x16xf32>
}

// -----

// Vectors have no m or no n.
// CHECK-LABEL: func.func private @vectors
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]}
func.func private @vectors(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<f32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
