// RUN: mlc-opt %s --accel-kernel | filecheck %s

// 37 rows of 100 in 5 blocks of 8 rows; 28 elements of a row of 128 are padding, which is no part of maximum and sum.
// CHECK-LABEL: func.func private @softmax(
// CHECK-SAME: %[[X:.*]]: memref<37x100xf32>, %[[Y:.*]]: memref<37x100xf32>) attributes {tloop.kernel}
// CHECK: "accel.launch"(%c5)
// CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: index):
// CHECK: %[[ROW:.*]] = arith.muli %[[BLOCK]], %c8
// CHECK: %[[TILE:.*]] = vector.transfer_read %[[X]][%[[ROW]], %c0], %{{.*}} : memref<37x100xf32>, vector<8x128xf32>
// CHECK: %[[INSIDE:.*]] = vector.constant_mask [8, 1, 100] : vector<8x1x128xi1>
// CHECK: arith.select %[[INSIDE]]
// CHECK: vector.multi_reduction <maximumf>
// CHECK: math.exp
// CHECK: arith.select %[[INSIDE]]
// CHECK: vector.multi_reduction <add>
// CHECK: %[[QUOTIENT:.*]] = arith.mulf
// CHECK-NEXT: vector.transfer_write %[[QUOTIENT]], %[[Y]][%[[ROW]], %c0] : vector<8x128xf32>, memref<37x100xf32>
// CHECK: {warps = 4 : i64}
func.func private @softmax(%x: tensor<37x100xf32>) -> tensor<37x100xf32> attributes {tloop.kernel} {
  %r = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<37x100xf32>) -> tensor<37x100xf32>
  return %r : tensor<37x100xf32>
}

// Three by three tiles of 32x32, so that there are more blocks; the reduction by steps of 64, whose operands are copied ahead, and a bias after it.
// CHECK-LABEL: func.func private @product(
// CHECK-SAME: %[[A:.*]]: memref<70x100xf16>, %[[B:.*]]: memref<100x75xf16>, %[[BIAS:.*]]: memref<75xf16>, %[[C:.*]]: memref<70x75xf16>)
// CHECK: "accel.launch"(%c9)
// CHECK-DAG: %[[LEFT:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16,
// CHECK-DAG: %[[RIGHT:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xf16,
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c100 step %c64 iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<32x32xf32>)
// CHECK-NEXT: %[[FIRST:.*]] = "accel.copy"(%[[A]], %[[LEFT]], [[ROW:%[0-9]+]], %[[K]])
// CHECK-NEXT: %[[SECOND:.*]] = "accel.copy"(%[[B]], %[[RIGHT]], %[[K]], [[COLUMN:%[0-9]+]])
// CHECK-NEXT: "accel.wait"(%[[FIRST]], %[[SECOND]])
// CHECK-NEXT: %[[NEW:.*]] = "accel.mma"(%[[LEFT]], %[[RIGHT]], %[[OLD]]) {precision = "exact"}
// CHECK-NEXT: scf.yield %[[NEW]]
// CHECK-NEXT: {accel.stages = 2 : i64}
// CHECK: vector.transfer_read %[[BIAS]][{{ *}}[[COLUMN]]], %{{.*}} : memref<75xf16>, vector<32xf16>
// CHECK: vector.transfer_write %{{.*}}, %[[C]][{{ *}}[[ROW]], [[COLUMN]]]
func.func private @product(%a: tensor<70x100xf16>, %b: tensor<100x75xf16>, %c: tensor<75xf16>) -> tensor<70x75xf16> attributes {tloop.kernel} {
  %p = "graph.matmul"(%a, %b) : (tensor<70x100xf16>, tensor<100x75xf16>) -> tensor<70x75xf16>
  %s = "graph.add"(%p, %c) : (tensor<70x75xf16>, tensor<75xf16>) -> tensor<70x75xf16>
  return %s : tensor<70x75xf16>
}

// Attention is a program from the start, and passes the other kernels' passes unchanged.
// CHECK-LABEL: func.func private @attention(
// CHECK-SAME: %{{.*}}: memref<2x40x16xf16>, %[[R:.*]]: memref<2x40x16xf16>) attributes {tloop.kernel}
// CHECK: "accel.launch"(%c2)
// CHECK: "accel.mma"({{.*}}) {precision = "exact", transpose_b}
// CHECK: math.exp2 %{{.*}} : vector<64x64xf32>
// CHECK: "accel.mma"({{.*}}) {precision = "exact"}
func.func private @attention(%q: tensor<2x40x16xf16>) -> tensor<2x40x16xf16> attributes {tloop.kernel} {
  %r = "graph.attention"(%q, %q, %q) {scale = 0.25 : f64} : (tensor<2x40x16xf16>, tensor<2x40x16xf16>, tensor<2x40x16xf16>) -> tensor<2x40x16xf16>
  return %r : tensor<2x40x16xf16>
}

// Two tiles of 64 steps, which are too few for any GPU: parts of them in a workspace, and a launch that adds these.
// CHECK-LABEL: func.func private @long(
// CHECK-SAME: %{{.*}}: memref<64x32xf32>) attributes {tloop.kernel}
// CHECK: %[[PARTS:.*]] = memref.alloc() {tloop.workspace}
// CHECK: "accel.launch"
// CHECK: "accel.mma"
// CHECK: } {accel.stages = {{[0-9]}} : i64}
// CHECK-NEXT: vector.transfer_write %{{.*}}, %[[PARTS]]
// CHECK: "accel.launch"
// CHECK-NOT: "accel.mma"
// CHECK: vector.transfer_read %[[PARTS]]
// CHECK: memref.dealloc %[[PARTS]]
func.func private @long(%a: tensor<64x4096xf16>, %b: tensor<4096x32xf16>) -> tensor<64x32xf32> attributes {tloop.kernel} {
  %p = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<64x4096xf16>, tensor<4096x32xf16>) -> tensor<64x32xf16>
  %w = "graph.cast"(%p) : (tensor<64x32xf16>) -> tensor<64x32xf32>
  return %w : tensor<64x32xf32>
}
