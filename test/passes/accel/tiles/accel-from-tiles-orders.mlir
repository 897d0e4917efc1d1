// RUN: mlc-opt %s --pass-pipeline="builtin.module(accel-kernel)" --split-input-file | filecheck %s

// 32x16 tiles, a cluster's two in a column: the first dim of the grid is the index in the cluster. Of 256 clusters 4
// in a column, then those of the next of 16 columns, then the next 4 lines of clusters.
// CHECK-LABEL: func.func private @clusters(
// CHECK: "accel.launch"(%c2, %c256) ({
// CHECK-NEXT: ^bb0(%[[INSIDE:.*]]: index, %[[NUMBER:.*]]: index):
// CHECK: %[[LINE:.*]] = arith.remui %[[NUMBER]], %c4
// CHECK-NEXT: %[[REST:.*]] = arith.divui %[[NUMBER]], %c4
// CHECK-NEXT: %[[COLUMN:.*]] = arith.remui %[[REST]], %c16
// CHECK-NEXT: %[[GROUP:.*]] = arith.divui %[[REST]], %c16
// CHECK-NEXT: %[[LINES:.*]] = arith.muli %[[GROUP]], %c4
// CHECK-NEXT: %[[CLUSTER:.*]] = arith.addi %[[LINES]], %[[LINE]]
// CHECK-NEXT: %[[ABOVE:.*]] = arith.muli %[[CLUSTER]], %c2
// CHECK-NEXT: %[[TILE:.*]] = arith.addi %[[ABOVE]], %[[INSIDE]]
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[TILE]], %c128
// CHECK-NEXT: %{{.*}} = arith.muli %[[COLUMN]], %c256
// CHECK: }) {cluster = array<i64: 2, 1>, warps = 8 : i64} : (index, index) -> ()
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @clusters(%a: tensor<4096x1024xbf16>, %b: tensor<1024x4096xbf16>) -> tensor<4096x4096xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<4096x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<4096x4096xbf16>
  %1 = "graph.cast"(%0) : (tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  return %1 : tensor<4096x4096xf32>
}
}

// -----

// Batches one after the other, whose dim of one tile is gone; groups of 8 tiles of a column.
// CHECK-LABEL: func.func private @groups(
// CHECK: "accel.launch"(%c1024) ({
// CHECK-NEXT: ^bb0(%[[NUMBER:.*]]: index):
// CHECK: %[[LINE:.*]] = arith.remui %[[NUMBER]], %c8
// CHECK-NEXT: %[[REST:.*]] = arith.divui %[[NUMBER]], %c8
// CHECK-NEXT: %[[COLUMN:.*]] = arith.remui %[[REST]], %c16
// CHECK-NEXT: %[[AFTER:.*]] = arith.divui %[[REST]], %c16
// CHECK-NEXT: %[[GROUP:.*]] = arith.remui %[[AFTER]], %c2
// CHECK-NEXT: %[[BATCH:.*]] = arith.divui %[[AFTER]], %c2
// CHECK: }) {warps = 8 : i64} : (index) -> ()
module attributes {tloop.target = "cuda:sm_80"} {
func.func private @groups(%a: tensor<1x4x2048x512xf16>, %b: tensor<1x4x512x2048xf16>) -> tensor<1x4x2048x2048xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<1x4x2048x512xf16>, tensor<1x4x512x2048xf16>) -> tensor<1x4x2048x2048xf16>
  %1 = "graph.cast"(%0) : (tensor<1x4x2048x2048xf16>) -> tensor<1x4x2048x2048xf32>
  return %1 : tensor<1x4x2048x2048xf32>
}
}
