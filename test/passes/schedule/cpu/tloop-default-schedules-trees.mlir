// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --tloop-fuse-elementwise --tloop-default-schedules | filecheck %s

// Tiles of rows that divide all rows: each goes through all trees. What is computed before the sums belongs to
// the tile.
// CHECK-LABEL: func.func private @classes
// CHECK-NOT: tloop.one_thread
// CHECK: "tloop.schedule"
// CHECK: "tloop.get_block"() {{.*}}block_name = "root"
// CHECK: "tloop.tile"({{.*}}) {{.*}}mode = "parallel", sizes = array<i64: 0, 0, 150>
// CHECK: "tloop.get_block"() {{.*}}block_name = "producer1"
// CHECK: "tloop.compute_at"
// CHECK: "tloop.get_block"() {{.*}}block_name = "producer0"
// CHECK: "tloop.compute_at"
func.func private @classes(%x: tensor<1200x5xf32>, %roots: tensor<2x70xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>,
    %weights: tensor<20x3xf32>) -> tensor<1200x2x3xf32> attributes {tloop.kernel} {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<1200x5xf32>, tensor<2x70xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x3xf32>) -> tensor<1200x2x3xf32>
  return %0 : tensor<1200x2x3xf32>
}

// -----

// Few ways from root to leaf are no work for two threads, and so are one tile.
// CHECK-LABEL: func.func private @few
// CHECK-SAME: tloop.one_thread
// CHECK: sizes = array<i64: 0, 0, 32>
func.func private @few(%x: tensor<32x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>,
    %weights: tensor<20x1xf32>) -> tensor<32x1x1xf32> attributes {tloop.kernel} {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<32x5xf32>, tensor<1x7xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x1xf32>) -> tensor<32x1x1xf32>
  return %0 : tensor<32x1x1xf32>
}

// -----

// Tiles of fewer rows than walk together are of one row, which walks down several trees.
// CHECK-LABEL: func.func private @seven
// CHECK: sizes = array<i64: 0, 0, 1>
func.func private @seven(%x: tensor<14x5xf32>, %roots: tensor<1x700xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>,
    %weights: tensor<20x1xf32>) -> tensor<14x1x1xf32> attributes {tloop.kernel} {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<14x5xf32>, tensor<1x700xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x1xf32>) -> tensor<14x1x1xf32>
  return %0 : tensor<14x1x1xf32>
}

// -----

// One row needs no tiles.
// CHECK-LABEL: func.func private @one_row
// CHECK-NOT: tloop.schedule
func.func private @one_row(%x: tensor<1x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>,
    %weights: tensor<20x1xf32>) -> tensor<1x1x1xf32> attributes {tloop.kernel} {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<1x5xf32>, tensor<1x7xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x1xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// -----

// A dynamic number of rows: eight walk down each tree, the others one after the other down several trees.
// CHECK-LABEL: func.func private @open
// CHECK-SAME: tloop.least_iterations
// CHECK: %[[ROOT:.*]] = "tloop.get_block"() {{.*}}block_name = "root"
// CHECK: %[[TILED:.*]]:2 = "tloop.tile"(%[[ROOT]]) {{.*}}mode = "parallel", sizes = array<i64: 0, 0, 8>
// CHECK: %[[LEAVES:.*]] = "tloop.compute_at"(%{{.*}}, %[[TILED]]#1)
// CHECK: "tloop.compute_at"(%{{.*}}, %[[TILED]]#1)
// CHECK: %[[EIGHT:.*]]:2 = "tloop.tile"(%[[TILED]]#0) {{.*}}mode = "sequential", sizes = array<i64: 0, 0, 8>
// CHECK: "tloop.compute_at"(%[[LEAVES]], %[[EIGHT]]#1)
// CHECK: "tloop.balance"(%[[EIGHT]]#1) {full}
func.func private @open(%x: tensor<?x5xf32>, %roots: tensor<2x70xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>,
    %weights: tensor<20x3xf32>, %dims: tensor<1xindex>) -> tensor<?x2x3xf32> attributes {tloop.kernel, tloop.dims = [["d0", ""], ["", ""], [""], [""], [""], ["", ""], ["d0", "", ""]]} {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64, graph.dims = [["d0", "", ""]]}
      : (tensor<?x5xf32>, tensor<2x70xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x3xf32>) -> tensor<?x2x3xf32>
  return %0 : tensor<?x2x3xf32>
}
