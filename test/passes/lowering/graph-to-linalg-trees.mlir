// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// A loop from root to leaf for each row, group and tree. The first child is taken where the feature is at most
// the threshold, else the one after it. No index is outside the tables, and no path is longer than the depth.
// Leaves, whose elements are the first ones, lead to themselves: more steps change nothing. Then the leaves'
// weights are summed over the trees, in a separate computation: walking down the trees is not elementwise, which
// would be fused and repeated for each weight.
// CHECK-LABEL: func.func private @summed
// CHECK: %[[ROOTS:[a-z0-9_]+]] = tensor.expand_shape {{.*}} into tensor<2x7x1xi32>
// CHECK: %[[LEAVES:[a-z0-9_]+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]{{.*}} ins(%[[ROOTS]] : tensor<2x7x1xi32>) outs(%{{.*}} : tensor<2x7x6xi32>)
// CHECK: ^bb0(%[[ROOT:[a-z0-9_]+]]: i32
// CHECK: %[[ROW:[a-z0-9_]+]] = linalg.index 2
// CHECK: %[[FIRST:[a-z0-9_]+]] = arith.index_cast %[[ROOT]]
// CHECK: scf.while (%[[NODE:[a-z0-9_]+]] = %[[FIRST]], %[[LEFT:[a-z0-9_]+]] = %c4
// CHECK: %[[INNER:[a-z0-9_]+]] = arith.cmpi sge, %[[NODE]]
// CHECK: %[[MORE:[a-z0-9_]+]] = arith.cmpi sgt, %[[LEFT]]
// CHECK: %[[ON:[a-z0-9_]+]] = arith.andi %[[INNER]], %[[MORE]]
// CHECK: scf.condition(%[[ON]]) %[[NODE]], %[[LEFT]]
// CHECK: arith.addi %{{.*}}, %c20
// CHECK: %[[PLACE:[a-z0-9_]+]] = arith.minui %{{.*}}, %c28
// CHECK: %[[FEATURE:[a-z0-9_]+]] = tensor.extract %arg2[%[[PLACE]]]
// CHECK: arith.index_cast %[[FEATURE]]
// CHECK: %[[COLUMN:[a-z0-9_]+]] = arith.minui
// CHECK: %[[X:[a-z0-9_]+]] = tensor.extract %arg0[%[[ROW]], %[[COLUMN]]]
// CHECK: %[[T:[a-z0-9_]+]] = tensor.extract %arg3[%[[PLACE]]]
// CHECK: %[[SECOND:[a-z0-9_]+]] = arith.cmpf ult, %[[T]], %[[X]]
// CHECK: tensor.extract %arg4[%[[PLACE]]]
// CHECK: %[[SIDE:[a-z0-9_]+]] = arith.index_castui %[[SECOND]]
// CHECK: %[[CHILD:[a-z0-9_]+]] = arith.addi %{{.*}}, %[[SIDE]]
// CHECK: scf.yield %[[CHILD]]
// CHECK: } attributes {tloop.settles}
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel", "parallel"]{{.*}} ins(%[[LEAVES]] : tensor<2x7x6xi32>) outs(%{{.*}} : tensor<6x2x3xf32>)
// CHECK: arith.minui %{{.*}}, %c19
// CHECK: %[[K:[a-z0-9_]+]] = linalg.index 3
// CHECK: %[[WEIGHT:[a-z0-9_]+]] = tensor.extract %arg5[%{{.*}}, %[[K]]]
// CHECK: arith.addf %{{.*}}, %[[WEIGHT]]
func.func private @summed(%x: tensor<6x5xf32>, %roots: tensor<2x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>,
    %weights: tensor<20x3xf32>) -> tensor<6x2x3xf32> attributes {tloop.kernel} {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<6x5xf32>, tensor<2x7xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x3xf32>) -> tensor<6x2x3xf32>
  return %0 : tensor<6x2x3xf32>
}

// -----

// Leaves of one weight are read where they are reached. Tables that the front end has checked need no limits.
// CHECK-LABEL: func.func private @least
// CHECK: arith.constant 0x7F800000 : f32
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel", "parallel"]{{.*}} ins(%arg1 : tensor<1x7xi32>) outs(%{{.*}} : tensor<6x1x1xf32>)
// CHECK: scf.while (%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}) : (index) -> index
// CHECK-NOT: arith.min
// CHECK: scf.yield
// CHECK-NOT: arith.min
// CHECK: tensor.extract %arg5
// CHECK: arith.minimumf
func.func private @least(%x: tensor<6x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>,
    %weights: tensor<20x1xf32>) -> tensor<6x1x1xf32> attributes {tloop.kernel} {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64, aggregate = "min", checked = true}
      : (tensor<6x5xf32>, tensor<1x7xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x1xf32>) -> tensor<6x1x1xf32>
  return %0 : tensor<6x1x1xf32>
}
