// RUN: mlc-opt %s --pass-pipeline="builtin.module(accel-kernel)" --split-input-file | filecheck %s

// One loop over 3x3 positions of the window and 2 blocks of 64 channels. A step's pixels, two apart, are rows of a
// matrix; the image begins before its memory, which has no padding.
// CHECK-LABEL: func.func private @convolution(
// CHECK-SAME: %[[X:.*]]: memref<1x1x28x28x128xf16>, %[[W:.*]]: memref<1x1x3x3x128x64xf16>, %[[R:.*]]: memref<1x1x14x14x64xf32>)
// CHECK: scf.for %[[I:.*]] = %c0 to %c18 step %c1 iter_args
// CHECK-DAG: %[[BLOCK:.*]] = arith.remui %[[I]], %c2
// CHECK-DAG: %[[PLACE:.*]] = arith.divui %[[I]], %c2
// CHECK-DAG: %[[COLUMN:.*]] = arith.remui %[[PLACE]], %c3
// CHECK-DAG: %[[LINE:.*]] = arith.divui %[[PLACE]], %c3
// CHECK-DAG: %[[CHANNEL:.*]] = arith.muli %[[BLOCK]], %c64
// CHECK: "accel.copy"(%[[X]], %[[PIXELS:.*]], %c0, %c0, %{{.*}}, %{{.*}}, %[[CHANNEL]]) {box = array<i64: 1, 1, 2, 16, 64>, steps = array<i64: 1, 1, 2, 2, 1>}
// CHECK: "accel.copy"(%[[W]], %[[FILTERS:.*]], %c0, %c0, %[[LINE]], %[[COLUMN]], %[[CHANNEL]], %{{.*}}) : {{.*}} memref<64x32xf16, #gpu.address_space<workgroup>>
// CHECK: "accel.mma"(%[[PIXELS]], %[[FILTERS]], %{{.*}}) {precision = "exact"}
// CHECK: } {accel.stages = 4 : i64}
// CHECK: vector.transfer_write %{{.*}}, %[[R]][{{.*}}] {in_bounds = [true, false, true]} : vector<2x16x32xf32>
func.func private @convolution(%x: tensor<1x1x28x28x128xf16>, %w: tensor<1x1x3x3x128x64xf16>) -> tensor<1x1x14x14x64xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, graph.unrounded, layout = "NCHWc", pads = array<i64: 1, 1, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<1x1x28x28x128xf16>, tensor<1x1x3x3x128x64xf16>) -> tensor<1x1x14x14x64xf16>
  %1 = "graph.cast"(%0) : (tensor<1x1x14x14x64xf16>) -> tensor<1x1x14x14x64xf32>
  return %1 : tensor<1x1x14x14x64xf32>
}

// -----

// A window of each channel reads around the image, where zeros are, and is added in registers.
// CHECK-LABEL: func.func private @depthwise(
// CHECK: scf.for %{{.*}} = %c0 to %c9 step %c1 iter_args({{.*}})
// CHECK: %[[PART:.*]] = vector.transfer_read %arg0[%c0, %c0, %{{.*}}], %cst
// CHECK: %[[TERM:.*]] = arith.mulf
// CHECK-NEXT: arith.addf %{{.*}}, %[[TERM]]
func.func private @depthwise(%x: tensor<1x1x16x16x64xf32>, %w: tensor<1x3x3x64xf32>) -> tensor<1x1x16x16x64xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 64 : i64, layout = "NCHWc", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x1x16x16x64xf32>, tensor<1x3x3x64xf32>) -> tensor<1x1x16x16x64xf32>
  return %0 : tensor<1x1x16x16x64xf32>
}
