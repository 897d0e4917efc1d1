// RUN: mlc-opt %s --pass-pipeline="builtin.module(accel-kernel,accel-persist-blocks,accel-multicast-copies,accel-specialize-warps,canonicalize,cse,accel-stage-stores,canonicalize,cse)" | filecheck %s

// Operands of the next tile are in the ring when this one is stored: it is staged in a separate buffer of 32 KiB,
// half of its columns at a time. The epilogue is computed, and bias and residual are read, for the same half.
// CHECK-LABEL: func.func private @k(
// CHECK: %[[PART:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x128xbf16
// CHECK: "accel.alloc"() {stages = 4 : i64
// CHECK: "accel.alloc"() {stages = 4 : i64
// CHECK: "accel.specialize"() ({
// CHECK: }, {
// CHECK: scf.for
// CHECK: %[[SUMS:.*]]:4 = scf.for
// CHECK: scf.yield
// CHECK: %[[FIRST:.*]] = vector.extract_strided_slice %[[SUMS]]#0 {offsets = [0, 0], sizes = [128, 128], strides = [1, 1]}
// CHECK-NEXT: %[[BIAS:.*]] = vector.transfer_read %arg2[%[[COLUMN:.*]]], %{{.*}} : memref<4096xf32>, vector<128xf32>
// CHECK-NEXT: %[[ROWS:.*]] = vector.broadcast %[[BIAS]] : vector<128xf32> to vector<128x128xf32>
// CHECK-NEXT: %[[ADDED:.*]] = arith.addf %[[FIRST]], %[[ROWS]]
// CHECK-NEXT: %[[BESIDE:.*]] = vector.transfer_read %arg3[%[[ROW:.*]], %[[COLUMN]]], %{{.*}} : memref<4096x4096xbf16>, vector<128x128xbf16>
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[BESIDE]]
// CHECK-NEXT: %[[ALL:.*]] = arith.addf %[[ADDED]], %[[WIDE]]
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[ALL]] : vector<128x128xf32> to vector<128x128xbf16>
// CHECK-NEXT: vector.transfer_write %[[NARROW]], %[[PART]]
// CHECK-NEXT: %[[TOKEN:.*]] = "accel.copy"(%[[PART]], %arg4, %[[ROW]], %[[COLUMN]]) {box = array<i64: 128, 128>, bulk}
// CHECK-NEXT: "accel.wait"(%[[TOKEN]]) {read}
// CHECK-NEXT: vector.extract_strided_slice %[[SUMS]]#0 {offsets = [0, 128], sizes = [128, 128], strides = [1, 1]}
// CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[COLUMN]], %c128
// CHECK-NEXT: vector.transfer_read %arg2[%[[BEHIND]]]
// CHECK: vector.transfer_read %arg3[%[[ROW]], %[[BEHIND]]]
// CHECK: "accel.copy"(%[[PART]], %arg4, %[[ROW]], %[[BEHIND]]) {box = array<i64: 128, 128>, bulk}
// CHECK-NEXT: "accel.wait"(%{{.*}}) {read}
// CHECK-NEXT: scf.yield
module attributes {tloop.target = "cuda:sm_90a"} {
func.func private @k(%a: tensor<4096x1024xbf16>, %b: tensor<1024x4096xbf16>, %bias: tensor<4096xf32>, %beside: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<4096x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<4096x4096xbf16>
  %1 = "graph.cast"(%0) : (tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  %2 = "graph.add"(%1, %bias) : (tensor<4096x4096xf32>, tensor<4096xf32>) -> tensor<4096x4096xf32>
  %3 = "graph.cast"(%beside) : (tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  %4 = "graph.add"(%2, %3) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %5 = "graph.cast"(%4) : (tensor<4096x4096xf32>) -> tensor<4096x4096xbf16>
  return %5 : tensor<4096x4096xbf16>
}
}
