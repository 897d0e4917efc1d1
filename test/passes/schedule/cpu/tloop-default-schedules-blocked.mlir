// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules | filecheck %s
// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules --tloop-apply-schedules --canonicalize \
// RUN:   | filecheck %s --check-prefix=LOOPS

// Rows of 12 KiB evict each other from the L1 cache: they are multiplied in blocks of 768 steps, which are copied,
// and the partial sums are kept in the result's buffer. The epilogue reads them there.
// CHECK-LABEL: func.func private @blocked
// CHECK: linalg.generic {{.*}} ins(%arg2 : tensor<1x24x32xf32>) outs(%{{.*}} : tensor<128x24x32xf32>) attrs = {tloop.block = "root"}
// CHECK: "tloop.schedule"
// CHECK: %[[INIT:.*]] = "tloop.get_block"() {block_name = "init"}
// CHECK-NEXT: "tloop.tile"(%[[INIT]]) {mode = "parallel", sizes = array<i64: 0, 1>}
// CHECK: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-NEXT: "tloop.tile"(%[[ROOT]]) {mode = "parallel", sizes = array<i64: 0, 1>}
// CHECK: %[[ANCHOR:.*]] = "tloop.get_block"() {block_name = "anchor"}
// CHECK: %[[BLOCK:.*]]:2 = "tloop.tile"(%[[ANCHOR]]) {mode = "sequential", sizes = array<i64: 0, 0, 0, 768>}
// CHECK-NEXT: "tloop.cache_read"(%[[BLOCK]]#0, %[[BLOCK]]#1) {block_name = "left", operand = 0 : i64}
// CHECK-NEXT: %[[PANEL:.*]]:2 = "tloop.tile"(%[[BLOCK]]#0) {mode = "parallel", sizes = array<i64: 0, 1>}
// CHECK-NEXT: %[[ROWS:.*]]:2 = "tloop.tile"(%[[PANEL]]#0) {mode = "sequential", sizes = array<i64: 8>}
// CHECK-NEXT: "tloop.tile"(%[[ROWS]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 4>}

// LOOPS-LABEL: func.func private @blocked
// LOOPS: scf.forall (%{{.*}}) in (24)
// LOOPS: vector.transfer_write {{.*}} vector<32xf32>, tensor<1x1x32xf32>
// LOOPS: scf.for %{{.*}} = %c0 to %c3072 step %c768
// LOOPS: tensor<128x3072xf32> to tensor<128x768xf32>
// LOOPS: scf.forall (%{{.*}}) in (24)
// LOOPS: scf.for %{{.*}} = %c0 to %c128 step %c8
// LOOPS: vector.transfer_read {{.*}} tensor<8x1x32xf32>, vector<8x32xf32>
// LOOPS: scf.for %{{.*}} = %c0 to %c768 step %c4 {{.*}} -> (vector<8x32xf32>)
// LOOPS: vector.transfer_read {{.*}} tensor<128x768xf32>, vector<8x4xf32>
// LOOPS: vector.fma
// LOOPS: scf.forall (%{{.*}}) in (24)
// LOOPS: arith.maximumf {{.*}} vector<32xf32>
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
  func.func private @blocked(%x: tensor<128x3072xf32>, %w: tensor<24x3072x32xf32>, %b: tensor<1x24x32xf32>) -> tensor<128x24x32xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul_packed"(%x, %w) : (tensor<128x3072xf32>, tensor<24x3072x32xf32>) -> tensor<128x24x32xf32>
    %1 = "graph.max"(%0, %b) : (tensor<128x24x32xf32>, tensor<1x24x32xf32>) -> tensor<128x24x32xf32>
    return %1 : tensor<128x24x32xf32>
  }

  // Rows that are no multiple of the register tile's; no epilogue.
  // LOOPS-LABEL: func.func private @peeled
  // LOOPS: scf.for %{{.*}} = %c0 to %c4096 step %c512
  // LOOPS: scf.for %{{.*}} = %c0 to %c91 step %c13
  // LOOPS: scf.for %{{.*}} -> (vector<13x32xf32>)
  // LOOPS: scf.for %{{.*}} -> (vector<10x32xf32>)
  // LOOPS-NOT: linalg.generic
  func.func private @peeled(%x: tensor<101x4096xf32>, %w: tensor<12x4096x32xf32>) -> tensor<101x12x32xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul_packed"(%x, %w) : (tensor<101x4096xf32>, tensor<12x4096x32xf32>) -> tensor<101x12x32xf32>
    return %0 : tensor<101x12x32xf32>
  }

  // Shorter rows stay as they are, and the register tile gets its epilogue.
  // CHECK-LABEL: func.func private @whole
  // CHECK: "tloop.schedule"
  // CHECK-NOT: "tloop.cache_read"
  // CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 0, 1>}
  func.func private @whole(%x: tensor<128x768xf32>, %w: tensor<24x768x32xf32>) -> tensor<128x24x32xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul_packed"(%x, %w) : (tensor<128x768xf32>, tensor<24x768x32xf32>) -> tensor<128x24x32xf32>
    return %0 : tensor<128x24x32xf32>
  }
}
