// RUN: mlc-opt %s --graph-to-linalg --tloop-lower-windows --canonicalize | filecheck %s

// CHECK-DAG: #[[MULTIPLE:.*]] = affine_map<()[s0] -> (((s0 + 3) floordiv 4) * 4)>
// CHECK-DAG: #[[COUNT:.*]] = affine_map<()[s0] -> ((s0 + 3) floordiv 4)>
// CHECK-DAG: #[[INDEX:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1)>

// A loop over the channels; the two rows of a channel are computed at once, without padding in memory.
// CHECK-LABEL: func.func private @pool
// CHECK-NOT: tloop.row_window
// CHECK: %[[E:.*]] = tensor.empty() : tensor<1x3x2x16xf32>
// CHECK: %[[ALL:.*]] = scf.for %[[C:.*]] = %c0 to %c3 step %c1 iter_args(%[[T:.*]] = %[[E]])
// CHECK: vector.transfer_read %arg0[%c0, %[[C]], {{.*}}vector<16xf32>
// CHECK: arith.maximumf
// CHECK: vector.transfer_write {{.*}} vector<2x16xf32>, tensor<1x1x2x16xf32>
// CHECK: tensor.insert_slice {{.*}} into %[[T]][0, %[[C]], 0, 0] [1, 1, 2, 16]
// CHECK: return %[[ALL]]
func.func private @pool(%x: tensor<1x3x4x18xf32>) -> tensor<1x3x2x16xf32> attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x4x18xf32>) -> tensor<1x3x2x16xf32>
  return %0 : tensor<1x3x2x16xf32>
}

// Open rows go element by element.
// CHECK-LABEL: func.func private @open_pool
// CHECK-NOT: tloop.row_window
// CHECK: %[[W:.*]] = affine.apply #{{.*}}()[%dim]
// CHECK: scf.for %[[C:.*]] = %c0 to %c3 step %c1
// CHECK: scf.for %[[X:.*]] = %c0 to %[[W]] step %c1
// CHECK: arith.maximumf {{.*}} : vector<1xf32>
// CHECK: tensor.insert_slice {{.*}}[0, %[[C]], %{{.*}}, %[[X]]] [1, 1, 1, 1]
func.func private @open_pool(%x: tensor<1x3x4x?xf32>, %d: tensor<2xindex>) -> tensor<1x3x2x?xf32>
    attributes {tloop.kernel, tloop.dims = [["", "", "", "d0"], ["", "", "", "d1"]]} {
  %0 = "graph.max_pool"(%x) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, graph.dims = [["", "", "", "d1"]]}
      : (tensor<1x3x4x?xf32>) -> tensor<1x3x2x?xf32>
  return %0 : tensor<1x3x2x?xf32>
}

// Tiles reach beyond the image, which is a part of what they compute.
// CHECK-LABEL: func.func private @output
// CHECK-NOT: tloop.winograd_output
// CHECK: %[[E:.*]] = tensor.empty() : tensor<1x2x8x4x16xf32>
// CHECK: %[[BLOCKS:.*]] = scf.for %[[B:.*]] = %c0 to %c2 step %c1 iter_args(%[[T:.*]] = %[[E]])
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c2 step %c1
// CHECK: vector.transfer_write {{.*}} vector<4x4x16xf32>, tensor<1x1x4x4x16xf32>
// CHECK: tensor.insert_slice {{.*}}[1, 1, 4, 4, 16] {{.*}} into tensor<1x2x8x4x16xf32>
// CHECK: %[[IMAGE:.*]] = tensor.extract_slice %[[BLOCKS]][0, 0, 0, 0, 0] [1, 2, 6, 4, 16]
// CHECK: return %[[IMAGE]]
func.func private @output(%y: tensor<36x2x2x16xf32>) -> tensor<1x2x6x4x16xf32> attributes {tloop.kernel} {
  %0 = "tloop.winograd_output"(%y) {tile = 4 : i64} : (tensor<36x2x2x16xf32>) -> tensor<1x2x6x4x16xf32>
  return %0 : tensor<1x2x6x4x16xf32>
}

// The tiles that cover each open image one by one, of which the rows and columns of the image are taken.
// CHECK-LABEL: func.func private @open_output
// CHECK-NOT: tloop.winograd_output
// CHECK-DAG: %[[ROWS:.*]] = affine.apply #[[COUNT]]()[%arg2]
// CHECK-DAG: %[[ALL:.*]] = affine.apply #[[MULTIPLE]]()[%arg2]
// CHECK: %[[E:.*]] = tensor.empty(%arg1, %[[ALL]]) : tensor<?x2x?x4x16xf32>
// CHECK: %[[BLOCKS:.*]] = scf.for %{{.*}} = %c0 to %arg1 step %c1 iter_args(%{{.*}} = %[[E]])
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %[[ROWS]] step %c1
// CHECK: tensor.insert_slice {{.*}}[1, 1, 4, 4, 16] {{.*}} into tensor<?x2x?x4x16xf32>
// CHECK: %[[IMAGE:.*]] = tensor.extract_slice %[[BLOCKS]][0, 0, 0, 0, 0] [%arg1, 2, %arg2, 4, 16]
// CHECK: return %[[IMAGE]]
func.func private @open_output(%y: tensor<36x?x2x16xf32>, %n: index, %h: index) -> tensor<?x2x?x4x16xf32>
    attributes {tloop.kernel} {
  %0 = "tloop.winograd_output"(%y, %n, %h) {tile = 4 : i64}
    : (tensor<36x?x2x16xf32>, index, index) -> tensor<?x2x?x4x16xf32>
  return %0 : tensor<?x2x?x4x16xf32>
}

// Tile by tile.
// CHECK-LABEL: func.func private @input
// CHECK-NOT: tloop.winograd_input
// CHECK: %[[E:.*]] = tensor.empty() : tensor<36x6x16xf32>
// CHECK: %[[ALL:.*]] = scf.for %[[I:.*]] = %c0 to %c3 step %c1 iter_args(%{{.*}} = %[[E]])
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c2 step %c1
// CHECK: %[[T:.*]] = affine.apply #[[INDEX]](%[[I]], %[[ROW]])
// CHECK: tensor.insert_slice {{.*}}[0, %[[T]], 0] [36, 1, 16] {{.*}} into tensor<36x6x16xf32>
// CHECK: return %[[ALL]]
func.func private @input(%x: tensor<3x1x10x6x16xf32>) -> tensor<36x6x16xf32> attributes {tloop.kernel} {
  %0 = "tloop.winograd_input"(%x) {tile = 4 : i64} : (tensor<3x1x10x6x16xf32>) -> tensor<36x6x16xf32>
  return %0 : tensor<36x6x16xf32>
}

// CHECK-LABEL: func.func private @open_input
// CHECK-NOT: tloop.winograd_input
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[H:.*]] = tensor.dim %arg0, %c2
// CHECK-DAG: %[[ROWS:.*]] = affine.apply #{{.*}}()[%[[H]]]
// CHECK-DAG: %[[E:.*]] = tensor.empty(%arg1) : tensor<36x?x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1 iter_args(%{{.*}} = %[[E]])
// CHECK: scf.for %{{.*}} = %c0 to %[[ROWS]] step %c1
// CHECK: tensor.insert_slice {{.*}}[36, 1, 16] {{.*}} into tensor<36x?x16xf32>
func.func private @open_input(%x: tensor<?x1x?x6x16xf32>, %tiles: index) -> tensor<36x?x16xf32>
    attributes {tloop.kernel} {
  %0 = "tloop.winograd_input"(%x, %tiles) {tile = 4 : i64}
    : (tensor<?x1x?x6x16xf32>, index) -> tensor<36x?x16xf32>
  return %0 : tensor<36x?x16xf32>
}
