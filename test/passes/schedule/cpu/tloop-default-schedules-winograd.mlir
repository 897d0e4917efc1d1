// RUN: mlc-opt %s --graph-to-linalg --tloop-default-schedules | filecheck %s
// RUN: mlc-opt %s --graph-to-linalg --tloop-default-schedules --tloop-apply-schedules --canonicalize | filecheck %s --check-prefix=LOOPS

// A strip of 28 tiles is transformed and stays; a block of columns is multiplied, then transformed back tile by tile.
// CHECK-LABEL: func.func private @fused
// CHECK: "tloop.schedule"
// CHECK-DAG: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-DAG: %[[OUT:.*]] = "tloop.get_block"() {block_name = "output"}
// CHECK-DAG: %[[IN:.*]] = "tloop.get_block"() {block_name = "input"}
// CHECK: %[[STRIP:.*]]:2 = "tloop.tile"(%[[ROOT]]) {mode = "parallel", sizes = array<i64: 1, 0, 4, 112>}
// CHECK-NEXT: %[[OUT1:.*]] = "tloop.compute_at"(%[[OUT]], %[[STRIP]]#1)
// CHECK: "tloop.compute_at"(%[[IN]], %[[STRIP]]#1)
// CHECK-NEXT: %[[COLUMNS:.*]]:2 = "tloop.tile"(%[[STRIP]]#0) {mode = "sequential", sizes = array<i64: 0, 1>}
// CHECK-NEXT: "tloop.compute_at"(%[[OUT1]], %[[COLUMNS]]#1)
// CHECK: sizes = array<i64: 0, 0, 0, 0, 16>
// CHECK: sizes = array<i64: 0, 0, 4>
// CHECK: sizes = array<i64: 0, 0, 0, 4>
// CHECK: "tloop.vectorize"

// LOOPS-LABEL: func.func private @fused
// LOOPS-DAG: %[[V:.*]] = tensor.empty() : tensor<36x28x80xf32>
// LOOPS: scf.forall
// Chunks of 16 of 64 channels, one row of 28 tiles; 36 vectors each, in rows with room for 16 channels more.
// LOOPS: scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(%{{.*}} = %[[V]])
// LOOPS: scf.for %{{.*}} = %c0 to %c28 step %c1
// LOOPS-COUNT-36: vector.transfer_write {{.*}} vector<16xf32>, tensor<36x28x80xf32>
// LOOPS: scf.for %{{.*}} = %c0 to %c2 step %c1
// LOOPS: scf.for %{{.*}} = %c0 to %c36 step %c1
// LOOPS: vector.fma
// LOOPS: scf.for %{{.*}} = %c0 to %c32 step %c16
// LOOPS: scf.for %{{.*}} = %c0 to %c112 step %c4
// LOOPS: vector.transfer_read {{.*}} vector<16xf32>
// LOOPS-NOT: tloop.winograd
func.func private @fused(%x: tensor<1x2x58x114x32xf32>, %w: tensor<36x2x64x32xf32>) -> tensor<1x2x56x112x32xf32> attributes {tloop.kernel} {
  %0 = "graph.winograd_input"(%x) {tile = 4 : i64} : (tensor<1x2x58x114x32xf32>) -> tensor<36x392x64xf32>
  %1 = "graph.matmul_packed"(%0, %w) : (tensor<36x392x64xf32>, tensor<36x2x64x32xf32>) -> tensor<36x392x2x32xf32>
  %2 = "graph.winograd_output"(%1) {tile = 4 : i64, shape = array<i64: 1, 56, 112>} : (tensor<36x392x2x32xf32>) -> tensor<1x2x56x112x32xf32>
  return %2 : tensor<1x2x56x112x32xf32>
}

// Images of any size: strips of at most 30 tiles of a row, register tiles of equal sizes, and what the image has of a
// tile pixel by pixel.
// CHECK-LABEL: func.func private @open
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 0, 4, 120>}
// CHECK: "tloop.balance"
// CHECK: sizes = array<i64: 0, 0, 1, 1>
// CHECK-NEXT: "tloop.vectorize"

// LOOPS-LABEL: func.func private @open
// The 36 vectors of a tile clamp rows and columns from the fourth on.
// LOOPS: scf.forall
// LOOPS: arith.minsi
// LOOPS-COUNT-36: vector.transfer_write {{.*}} vector<16xf32>, tensor<36x30x80xf32>
// LOOPS: scf.index_switch
// LOOPS: vector.fma
// LOOPS: vector.transfer_write {{.*}} vector<4x4x16xf32>, tensor<1x1x4x4x16xf32>
// LOOPS: tensor.extract_slice {{.*}} : tensor<1x1x4x4x16xf32> to tensor<1x1x?x?x16xf32>
// LOOPS-NOT: tloop.winograd
func.func private @open(%x: tensor<?x2x?x?x32xf32>, %w: tensor<36x2x64x32xf32>, %dims: tensor<6xindex>) -> tensor<?x2x?x?x32xf32>
    attributes {tloop.kernel, tloop.dims = [["d0", "", "d1", "d2", ""], ["", "", "", ""], ["d0", "", "d4", "d5", ""]]} {
  %0 = "graph.winograd_input"(%x) {tile = 4 : i64, graph.dims = [["", "d3", ""]]} : (tensor<?x2x?x?x32xf32>) -> tensor<36x?x64xf32>
  %1 = "graph.matmul_packed"(%0, %w) {graph.dims = [["", "d3", "", ""]]} : (tensor<36x?x64xf32>, tensor<36x2x64x32xf32>) -> tensor<36x?x2x32xf32>
  %2 = "graph.winograd_output"(%1) {tile = 4 : i64, shape = array<i64: -1, -1, -1>, graph.dims = [["d0", "", "d4", "d5", ""]]} : (tensor<36x?x2x32xf32>) -> tensor<?x2x?x?x32xf32>
  return %2 : tensor<?x2x?x?x32xf32>
}
