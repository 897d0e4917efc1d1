// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules --tloop-apply-schedules --canonicalize | filecheck %s

// Threads share the columns; groups of four rows are added to sums in memory, three rows are left over.
// CHECK-LABEL: func.func private @columns
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: vector.transfer_write %cst{{.*}} vector<32xf32>, tensor<1x32xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c4096 step %c4
// CHECK: scf.for %{{.*}} = %c0 to %c256 step %c32
// CHECK: %[[SUM:.*]] = vector.transfer_read {{.*}} tensor<1x32xf32>, vector<32xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(%{{.*}} = %[[SUM]]) -> (vector<32xf32>)
// CHECK: vector.transfer_read %arg0[{{.*}} : tensor<4099x512xf32>, vector<32xf32>
// CHECK: arith.addf {{.*}} vector<32xf32>
// CHECK: vector.transfer_write
// CHECK: scf.for %{{.*}} = %c0 to %c256 step %c32
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 {{.*}} -> (vector<32xf32>)
// CHECK: scf.for %{{.*}} = %c0 to %c256 step %c32
// CHECK: math.sqrt {{.*}} vector<32xf32>
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
  func.func private @columns(%x: tensor<4099x512xf32>) -> tensor<1x512xf32> attributes {tloop.kernel} {
    %0 = "graph.reduce_sum"(%x) {axes = array<i64: 0>, keepdims = true} : (tensor<4099x512xf32>) -> tensor<1x512xf32>
    %1 = "graph.sqrt"(%0) : (tensor<1x512xf32>) -> tensor<1x512xf32>
    return %1 : tensor<1x512xf32>
  }

  // The L2 cache holds it: a register tile goes down the rows.
  // CHECK-LABEL: func.func private @small
  // CHECK: scf.for %{{.*}} = %c0 to %c64 step %c1 iter_args({{.*}}) -> (vector<32xf32>)
  // CHECK-NOT: = scf.for %
  func.func private @small(%x: tensor<64x512xf32>) -> tensor<1x512xf32> attributes {tloop.kernel} {
    %0 = "graph.reduce_sum"(%x) {axes = array<i64: 0>, keepdims = true} : (tensor<64x512xf32>) -> tensor<1x512xf32>
    return %0 : tensor<1x512xf32>
  }
}
