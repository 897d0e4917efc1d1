// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<?x5xf64>, %roots: tensor<2x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf64>, %children: tensor<29xi32>, %weights: tensor<20x3xf32>) {
  // CHECK-NEXT: %{{.*}} = "graph.tree_ensemble"(%{{.*}}) {{.*}}aggregate = "max", depth = 4 : i64{{.*}} -> tensor<?x2x3xf32>
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {aggregate = "max", depth = 4 : i64}
      : (tensor<?x5xf64>, tensor<2x7xi32>, tensor<29xi32>, tensor<29xf64>, tensor<29xi32>, tensor<20x3xf32>) -> tensor<?x2x3xf32>
  return
}
