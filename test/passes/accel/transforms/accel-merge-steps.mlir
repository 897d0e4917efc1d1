// RUN: mlc-opt %s --accel-merge-steps --canonicalize --cse | filecheck %s
// RUN: mlc-opt %s --accel-merge-steps --accel-split-k --canonicalize --cse | filecheck %s --check-prefix=SHARED

#shared = #gpu.address_space<workgroup>

// Two of six steps: copies of both, one wait, both products.
// CHECK-LABEL: func.func @steps(
// CHECK: "accel.launch"
// CHECK-DAG: %[[A0:.*]] = "accel.alloc"() {{.*}} -> memref<32x4xf32,
// CHECK-DAG: %[[A1:.*]] = "accel.alloc"() {{.*}} -> memref<32x4xf32,
// CHECK-DAG: %[[B0:.*]] = "accel.alloc"() {{.*}} -> memref<4x32xf32,
// CHECK-DAG: %[[B1:.*]] = "accel.alloc"() {{.*}} -> memref<4x32xf32,
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c24 step %c8 iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<32x32xf32>) {
// CHECK-NEXT: %[[L:.*]] = arith.addi %[[K]], %c4
// CHECK: %[[T0:.*]] = "accel.copy"(%arg0, %{{.*}}, %c0, %[[K]])
// CHECK: %[[T1:.*]] = "accel.copy"(%arg1, %{{.*}}, %[[K]], %c0)
// CHECK: %[[T2:.*]] = "accel.copy"(%arg0, %{{.*}}, %c0, %[[L]])
// CHECK: %[[T3:.*]] = "accel.copy"(%arg1, %{{.*}}, %[[L]], %c0)
// CHECK-NEXT: "accel.wait"(%[[T0]], %[[T1]], %[[T2]], %[[T3]])
// CHECK-NEXT: %[[ONE:.*]] = "accel.mma"(%{{.*}}, %{{.*}}, %[[OLD]])
// CHECK-NEXT: %[[TWO:.*]] = "accel.mma"(%{{.*}}, %{{.*}}, %[[ONE]])
// CHECK-NEXT: scf.yield %[[TWO]]
// CHECK-NEXT: } {accel.stages = 2 : i64}
// CHECK-NEXT: vector.transfer_write %[[SUM]]
func.func @steps(%a: memref<32x24xf32>, %b: memref<24x32xf32>, %c: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<32x4xf32, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<4x32xf32, #shared>
    %start = arith.constant dense<0.0> : vector<32x32xf32>
    %sum = scf.for %k = %c0 to %c24 step %c4 iter_args(%old = %start) -> vector<32x32xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<32x24xf32>, memref<32x4xf32, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %c0) : (memref<24x32xf32>, memref<4x32xf32, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<32x4xf32, #shared>, memref<4x32xf32, #shared>, vector<32x32xf32>) -> vector<32x32xf32>
      scf.yield %new : vector<32x32xf32>
    } {accel.merged = 2 : i64, accel.stages = 2 : i64}
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// Three blocks share three iterations of two steps each.
// SHARED-LABEL: func.func @shared(
// SHARED: "accel.launch"(%c3)
// SHARED-NEXT: ^bb0(%[[PART:.*]]: index):
// SHARED: %[[FIRST:.*]] = arith.muli %[[PART]], %c8
// SHARED: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %c8
// SHARED: "accel.launch"(%c1)
func.func @shared(%a: memref<32x24xf32>, %b: memref<24x32xf32>, %c: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<32x4xf32, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<4x32xf32, #shared>
    %start = arith.constant dense<0.0> : vector<32x32xf32>
    %sum = scf.for %k = %c0 to %c24 step %c4 iter_args(%old = %start) -> vector<32x32xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<32x24xf32>, memref<32x4xf32, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %c0) : (memref<24x32xf32>, memref<4x32xf32, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<32x4xf32, #shared>, memref<4x32xf32, #shared>, vector<32x32xf32>) -> vector<32x32xf32>
      scf.yield %new : vector<32x32xf32>
    } {accel.merged = 2 : i64, accel.split_k = 3 : i64, accel.stages = 2 : i64}
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}
