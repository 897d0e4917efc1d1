// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// A loop from root to leaf for each row, group and tree. The first child is taken where the feature is at most
// the threshold. No index is outside the tables, and no path is longer than the depth. Then the leaves' weights are summed over the trees, in a separate computation: walking down
// the trees is not elementwise, which would be fused and repeated for each weight.
// CHECK-LABEL: func.func private @summed
// CHECK: %[[ROOTS:[a-z0-9_]+]] = tensor.expand_shape {{.*}} into tensor<2x7x1xi32>
// CHECK: %[[LEAVES:[a-z0-9_]+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]{{.*}} ins(%[[ROOTS]] : tensor<2x7x1xi32>) outs(%{{.*}} : tensor<2x7x6xi32>)
// CHECK: ^bb0(%[[ROOT:[a-z0-9_]+]]: i32
// CHECK: %[[ROW:[a-z0-9_]+]] = linalg.index 2
// CHECK: scf.while (%[[NODE:[a-z0-9_]+]] = %[[ROOT]], %[[LEFT:[a-z0-9_]+]] = %c4_i32
// CHECK: %[[INNER:[a-z0-9_]+]] = arith.cmpi sge, %[[NODE]]
// CHECK: %[[MORE:[a-z0-9_]+]] = arith.cmpi sgt, %[[LEFT]]
// CHECK: %[[ON:[a-z0-9_]+]] = arith.andi %[[INNER]], %[[MORE]]
// CHECK: scf.condition(%[[ON]]) %[[NODE]], %[[LEFT]]
// CHECK: arith.minui
// CHECK: %[[FEATURE:[a-z0-9_]+]] = tensor.extract %arg2[%[[PLACE:[a-z0-9_]+]]]
// CHECK: arith.minui %[[FEATURE]]
// CHECK: %[[X:[a-z0-9_]+]] = tensor.extract %arg0[%[[ROW]], %{{.*}}]
// CHECK: %[[T:[a-z0-9_]+]] = tensor.extract %arg3[%[[PLACE]]]
// CHECK: %[[SECOND:[a-z0-9_]+]] = arith.cmpf ult, %[[T]], %[[X]]
// CHECK: %[[SIDE:[a-z0-9_]+]] = arith.index_castui %[[SECOND]]
// CHECK: %[[CHILD:[a-z0-9_]+]] = tensor.extract %arg4[%[[PLACE]], %[[SIDE]]]
// CHECK: scf.yield %[[CHILD]]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel", "parallel"]{{.*}} ins(%[[LEAVES]] : tensor<2x7x6xi32>) outs(%{{.*}} : tensor<6x2x3xf32>)
// CHECK: %[[K:[a-z0-9_]+]] = linalg.index 3
// CHECK: %[[WEIGHT:[a-z0-9_]+]] = tensor.extract %arg5[%{{.*}}, %[[K]]]
// CHECK: arith.addf %{{.*}}, %[[WEIGHT]]
func.func private @summed(%x: tensor<6x5xf32>, %roots: tensor<2x7xi32>, %features: tensor<9xi32>, %thresholds: tensor<9xf32>, %children: tensor<9x2xi32>,
    %weights: tensor<20x3xf32>) -> tensor<6x2x3xf32> attributes {tloop.kernel} {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<6x5xf32>, tensor<2x7xi32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<20x3xf32>) -> tensor<6x2x3xf32>
  return %0 : tensor<6x2x3xf32>
}

// -----

// Leaves of one weight are read where they are reached.
// CHECK-LABEL: func.func private @least
// CHECK: arith.constant 0x7F800000 : f32
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel", "parallel"]{{.*}} ins(%arg1 : tensor<1x7xi32>) outs(%{{.*}} : tensor<6x1x1xf32>)
// CHECK: scf.while
// CHECK: scf.yield
// CHECK: tensor.extract %arg5
// CHECK: arith.minimumf
func.func private @least(%x: tensor<6x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<9xi32>, %thresholds: tensor<9xf32>, %children: tensor<9x2xi32>,
    %weights: tensor<20x1xf32>) -> tensor<6x1x1xf32> attributes {tloop.kernel} {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64, aggregate = "min"}
      : (tensor<6x5xf32>, tensor<1x7xi32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<20x1xf32>) -> tensor<6x1x1xf32>
  return %0 : tensor<6x1x1xf32>
}
