// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules --tloop-apply-schedules --canonicalize \
// RUN:   | filecheck %s --check-prefix=LOOPS

// The filters of a block of channels, 590 KB, are used for 49 pixels only: the blocks of input channels come one after
// the other, each for all pixels. A register tile takes two of the seven lines; the last one is alone.
// CHECK-LABEL: func.func private @window
// CHECK: linalg.generic {{.*}} ins(%arg2 : tensor<1x16x1x1x32xf32>) outs(%{{.*}} : tensor<1x16x7x7x32xf32>) attrs = {tloop.block = "root"}
// CHECK: "tloop.schedule"
// CHECK-DAG: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-DAG: %[[ANCHOR:.*]] = "tloop.get_block"() {block_name = "anchor"}
// CHECK-DAG: %[[INIT:.*]] = "tloop.get_block"() {block_name = "init"}
// CHECK: %[[PART:.*]]:2 = "tloop.tile"(%[[ROOT]]) {mode = "parallel", sizes = array<i64: 1, 1>}
// CHECK-NEXT: %[[SUMS:.*]] = "tloop.compute_at"(%[[ANCHOR]], %[[PART]]#1)
// CHECK-NEXT: "tloop.compute_at"(%[[INIT]], %[[PART]]#1)
// CHECK-NEXT: %[[BLOCK:.*]]:2 = "tloop.tile"(%[[SUMS]]) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[LINES:.*]]:2 = "tloop.tile"(%[[BLOCK]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 2>}
// CHECK-NEXT: "tloop.peel"(%[[LINES]]#1)

// LOOPS-LABEL: func.func private @window
// LOOPS: scf.forall (%{{.*}}) in (16)
// LOOPS: scf.for %{{.*}} = %c0 to %c16 step %c1
// LOOPS: scf.for %{{.*}} = %c0 to %c6 step %c2
// LOOPS: vector.transfer_read {{.*}} vector<2x7x32xf32>
// LOOPS: scf.for %{{.*}} = %c0 to %c3 step %c1 {{.*}} -> (vector<2x7x32xf32>)
// LOOPS: scf.for %{{.*}} = %c0 to %c3 step %c1 {{.*}} -> (vector<2x7x32xf32>)
// LOOPS: scf.for %{{.*}} = %c0 to %c32 step %c2 {{.*}} -> (vector<2x7x32xf32>)
// LOOPS: vector.fma
// LOOPS: scf.for {{.*}} -> (vector<7x32xf32>)
// LOOPS: arith.maximumf {{.*}} vector<7x32xf32>
module attributes {tloop.target = "name=x86-64-v4,l1d=32768,l2=1048576,cores=2"} {
  func.func private @window(%x: tensor<1x16x9x9x32xf32>, %w: tensor<16x16x3x3x32x32xf32>, %b: tensor<1x16x1x1x32xf32>) -> tensor<1x16x7x7x32xf32> attributes {tloop.kernel} {
    %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
        : (tensor<1x16x9x9x32xf32>, tensor<16x16x3x3x32x32xf32>) -> tensor<1x16x7x7x32xf32>
    %1 = "graph.max"(%0, %b) : (tensor<1x16x7x7x32xf32>, tensor<1x16x1x1x32xf32>) -> tensor<1x16x7x7x32xf32>
    return %1 : tensor<1x16x7x7x32xf32>
  }

  // Filters of four blocks of a 1x1 window fill half of the L1 cache. No epilogue.
  // LOOPS-LABEL: func.func private @pointwise
  // LOOPS: scf.for %{{.*}} = %c0 to %c64 step %c4
  // LOOPS: scf.for %{{.*}} = %c0 to %c6 step %c2
  // LOOPS: scf.for %{{.*}} = %c0 to %c4 step %c1 {{.*}} -> (vector<2x7x32xf32>)
  // LOOPS: scf.for %{{.*}} = %c0 to %c32 step %c2 {{.*}} -> (vector<2x7x32xf32>)
  // LOOPS-NOT: linalg.generic
  func.func private @pointwise(%x: tensor<1x64x7x7x32xf32>, %w: tensor<16x64x1x1x32x32xf32>) -> tensor<1x16x7x7x32xf32> attributes {tloop.kernel} {
    %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
        : (tensor<1x64x7x7x32xf32>, tensor<16x64x1x1x32x32xf32>) -> tensor<1x16x7x7x32xf32>
    return %0 : tensor<1x16x7x7x32xf32>
  }

  // Operands that fit the L2 cache are not blocked: a tile gets its epilogue at once. Three tiles of two lines of six pixels
  // are shared by the threads.
  // CHECK-LABEL: func.func private @fits
  // CHECK: "tloop.schedule"
  // CHECK: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
  // CHECK: "tloop.tile"(%[[ROOT]]) {mode = "parallel", sizes = array<i64: 0, 1, 2>}
  // LOOPS-LABEL: func.func private @fits
  // LOOPS: scf.forall
  // LOOPS: scf.for %{{.*}} = %c0 to %c26 step %c1 {{.*}} -> (vector<2x6x32xf32>)
  func.func private @fits(%x: tensor<1x26x6x6x32xf32>, %w: tensor<12x26x1x1x32x32xf32>, %b: tensor<1x12x1x1x32xf32>) -> tensor<1x12x6x6x32xf32> attributes {tloop.kernel} {
    %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
        : (tensor<1x26x6x6x32xf32>, tensor<12x26x1x1x32x32xf32>) -> tensor<1x12x6x6x32xf32>
    %1 = "graph.max"(%0, %b) : (tensor<1x12x6x6x32xf32>, tensor<1x12x1x1x32xf32>) -> tensor<1x12x6x6x32xf32>
    return %1 : tensor<1x12x6x6x32xf32>
  }
}
// -----

// Of the rows of a window on lines of 8 zeros, 17 elements and 8 zeros, each line leaves out those of zeros alone, and so
// do tiles of columns. Padding of a single line around a large image is multiplied.
// LOOPS-DAG: #[[FIRST:.*]] = affine_map<(d0) -> (0, (-d0 + 8) ceildiv 4)>
// LOOPS-DAG: #[[END:.*]] = affine_map<(d0) -> (5, (-d0) floordiv 4 + 7)>
module attributes {tloop.target = "name=x86-64-v4,l1d=32768,l2=1048576,cores=2"} {
  // CHECK-LABEL: func.func private @dilated
  // CHECK: %[[WINDOW_LINE:.*]]:2 = "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 1>}
  // CHECK: %[[WINDOW_COLUMN:.*]]:2 = "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 0, 1>}
  // CHECK: "tloop.skip_padding"(%[[WINDOW_LINE]]#1)
  // CHECK-NEXT: "tloop.skip_padding"(%[[WINDOW_COLUMN]]#1)
  // LOOPS-LABEL: func.func private @dilated
  // LOOPS: scf.forall (%{{.*}}, %[[LINE:.*]]) in
  // LOOPS-DAG: %[[FROM:.*]] = affine.max #[[FIRST]](%[[LINE]])
  // LOOPS-DAG: %[[TO:.*]] = affine.min #[[END]](%[[LINE]])
  // LOOPS: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1
  func.func private @dilated(%x: tensor<1x4x33x33x32xf32>, %w: tensor<16x4x5x5x32x32xf32>) -> tensor<1x16x17x17x32xf32> attributes {tloop.kernel} {
    %0 = "graph.conv"(%x, %w) {dilations = array<i64: 4, 4>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, graph.padding = array<i64: 0, 0, 8, 8, 0, 0, 0, 8, 8, 0>}
        : (tensor<1x4x33x33x32xf32>, tensor<16x4x5x5x32x32xf32>) -> tensor<1x16x17x17x32xf32>
    return %0 : tensor<1x16x17x17x32xf32>
  }

  // CHECK-LABEL: func.func private @wide
  // CHECK: "tloop.schedule"
  // CHECK-NOT: tloop.skip_padding
  // CHECK: kernel = @wide
  func.func private @wide(%x: tensor<1x4x66x66x32xf32>, %w: tensor<16x4x3x3x32x32xf32>) -> tensor<1x16x64x64x32xf32> attributes {tloop.kernel} {
    %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, graph.padding = array<i64: 0, 0, 1, 1, 0, 0, 0, 1, 1, 0>}
        : (tensor<1x4x66x66x32xf32>, tensor<16x4x3x3x32x32xf32>) -> tensor<1x16x64x64x32xf32>
    return %0 : tensor<1x16x64x64x32xf32>
  }
}
