// RUN: mlc-opt %s --graph-to-linalg --canonicalize | filecheck %s

// The outer dim of scores is the keys; keys and values are read through their transposes; the quotient comes last.
// CHECK-DAG: #[[KEYS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-DAG: #[[QUERIES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[WEIGHTS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
// CHECK-DAG: #[[VALUES:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[MASK:.*]] = affine_map<(d0, d1, d2) -> (0, d2, d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[SHARED_KEYS:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d1, d3)>
// CHECK-DAG: #[[SHARED_VALUES:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d3, d2)>
// CHECK-LABEL: func.func private @masked
// CHECK: %[[SCORES:.*]] = linalg.generic {indexing_maps = [#[[KEYS]], #[[QUERIES]], #[[OUT]]]
// CHECK-SAME: ins(%arg1, %arg0
// CHECK-SAME: tloop.block = "scores"
// CHECK: %[[MASKED:.*]] = linalg.generic {indexing_maps = [#[[SAME]], #[[MASK]], #[[SAME]]]
// CHECK-SAME: ins(%[[SCORES]], %arg3
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.cmpi sgt
// CHECK: arith.select
// CHECK: %[[TOP:.*]] = linalg.generic {{.*}} ins(%[[MASKED]]
// CHECK-SAME: tloop.block = "top"
// CHECK: arith.maximumf
// CHECK: %[[POWERS:.*]] = linalg.generic {indexing_maps = [#[[COLUMN]], #[[SAME]]]
// CHECK-SAME: ins(%[[TOP]]
// CHECK-SAME: outs(%[[MASKED]]
// CHECK: math.exp
// CHECK: %[[TOTAL:.*]] = linalg.generic {{.*}} ins(%[[POWERS]]
// CHECK-SAME: tloop.block = "total"
// CHECK: %[[INVERSE:.*]] = linalg.reciprocal {tloop.block = "inverse"} ins(%[[TOTAL]]
// CHECK: %[[SUMS:.*]] = linalg.generic {indexing_maps = [#[[WEIGHTS]], #[[VALUES]], #[[OUT]]]
// CHECK-SAME: ins(%[[POWERS]], %arg2
// CHECK: linalg.generic {indexing_maps = [#[[SAME]], #[[ROW]], #[[SAME]]]
// CHECK-SAME: ins(%[[SUMS]], %[[INVERSE]]
func.func private @masked(%q: tensor<2x48x16xf32>, %k: tensor<40x2x16xf32>, %v: tensor<40x2x8xf32>, %m: tensor<1x48x40xf32>) -> tensor<2x48x8xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%k) {permutation = array<i64: 1, 0, 2>} : (tensor<40x2x16xf32>) -> tensor<2x40x16xf32>
  %1 = "graph.transpose"(%v) {permutation = array<i64: 1, 0, 2>} : (tensor<40x2x8xf32>) -> tensor<2x40x8xf32>
  %2 = "graph.attention"(%q, %0, %1, %m) {scale = 0.25, causal = true} : (tensor<2x48x16xf32>, tensor<2x40x16xf32>, tensor<2x40x8xf32>, tensor<1x48x40xf32>) -> tensor<2x48x8xf32>
  return %2 : tensor<2x48x8xf32>
}

// All heads read one head of keys. Where weights that are NaN count as 0, so do the weighted values.
// CHECK-LABEL: func.func private @shared
// CHECK: linalg.generic {indexing_maps = [#[[SHARED_KEYS]], #[[QUERIES]], #[[OUT]]]
// CHECK-SAME: ins(%arg1, %arg0
// CHECK: linalg.generic {indexing_maps = [#[[WEIGHTS]], #[[SHARED_VALUES]], #[[OUT]]]
// CHECK-SAME: ins(%{{.*}}, %arg1
// CHECK: linalg.generic
// CHECK: %[[SHARE:.*]] = arith.mulf
// CHECK: %[[NAN:.*]] = arith.cmpf uno
// CHECK: arith.select %[[NAN]], %{{.*}}, %[[SHARE]]
func.func private @shared(%q: tensor<8x48x16xf32>, %k: tensor<1x40x16xf32>) -> tensor<8x48x16xf32> attributes {tloop.kernel} {
  %0 = "graph.attention"(%q, %k, %k) {scale = 1.0, safe = true} : (tensor<8x48x16xf32>, tensor<1x40x16xf32>, tensor<1x40x16xf32>) -> tensor<8x48x16xf32>
  return %0 : tensor<8x48x16xf32>
}
