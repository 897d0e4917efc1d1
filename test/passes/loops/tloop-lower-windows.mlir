// RUN: mlc-opt %s --graph-to-linalg --tloop-lower-windows --canonicalize | filecheck %s

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
