// RUN: mlc-opt %s --load-plugin=%S/../../../examples/accelerator/tiny_npu --split-input-file \
// RUN:   --pass-pipeline="builtin.module(func.func(graph-to-linalg),canonicalize,cse,tloop-fuse-elementwise,canonicalize,cse,tiny-npu-schedule)" --mlir-print-local-scope \
// RUN:   | filecheck %s

// Tiles of 16x16 in the scratchpad, steps of 16 along the reduction; the bias comes in beside the sums.
// CHECK-LABEL: func.func private @dense
// CHECK: attrs = {tloop.block = "init"}
// CHECK: attrs = {tloop.block = "anchor"}
// CHECK: attrs = {tloop.block = "root"}
// CHECK: "tloop.schedule"
// CHECK-NEXT: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-NEXT: %[[TILE:.*]]:2 = "tloop.tile"(%[[ROOT]]) {mode = "sequential", sizes = array<i64: 16, 16>}
// CHECK-NEXT: %[[LOOPS:.*]]:2 = "tloop.get_loops"(%[[TILE]]#0)
// CHECK-NEXT: %[[ANCHOR:.*]] = "tloop.get_block"() {block_name = "anchor"}
// CHECK-NEXT: %[[PRODUCT:.*]] = "tloop.compute_at"(%[[ANCHOR]], %[[LOOPS]]#1)
// CHECK-NEXT: %[[START:.*]] = "tloop.get_block"() {block_name = "init"}
// CHECK-NEXT: %[[INIT:.*]] = "tloop.compute_at"(%[[START]], %[[LOOPS]]#1)
// CHECK-NEXT: %[[STEP:.*]]:2 = "tloop.tile"(%[[PRODUCT]]) {mode = "sequential", sizes = array<i64: 0, 0, 16>}
// CHECK-NEXT: "tloop.cache_read"(%[[STEP]]#0, %[[STEP]]#1) {block_name = "left", operand = 0 : i64}
// CHECK-NEXT: "tloop.cache_read"(%[[STEP]]#0, %[[STEP]]#1) {block_name = "right", operand = 1 : i64}
// CHECK-NEXT: "tloop.cache_read"(%[[TILE]]#0, %[[LOOPS]]#1) {block_name = "operand1", operand = 1 : i64}
// CHECK-NEXT: "tloop.cache_write"(%[[INIT]], %[[LOOPS]]#1) {block_name = "sums"}
// CHECK-NEXT: "tloop.cache_write"(%[[TILE]]#0, %[[LOOPS]]#1) {block_name = "result"}
// CHECK-NEXT: "tloop.tensorize"(%[[STEP]]#0) {intrinsic = @npu_mma_f16_pattern}
// CHECK: kernel = @dense
// CHECK: func.func private @npu_mma_f16_tile
// CHECK: attrs = {tiny_npu.function = "npu_mma_f16"}
// CHECK: func.func private @npu_mma_f16_pattern
// CHECK-SAME: tloop.implementation = @npu_mma_f16_tile
// CHECK-NOT: tiny_npu.function
func.func private @dense(%x: tensor<32x64xf16>, %w: tensor<64x48xf16>, %b: tensor<48xf16>) -> tensor<32x48xf16> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%x, %w) : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf16>
  %1 = "graph.add"(%0, %b) : (tensor<32x48xf16>, tensor<48xf16>) -> tensor<32x48xf16>
  %2 = "graph.relu"(%1) : (tensor<32x48xf16>) -> tensor<32x48xf16>
  return %2 : tensor<32x48xf16>
}

// -----

// A transposed weight has its own instruction. Two kernels share its intrinsic.
// CHECK-LABEL: func.func private @transposed
// CHECK: "tloop.tensorize"({{.*}}) {intrinsic = @npu_mma_f16_transposed_pattern}
// CHECK: func.func private @npu_mma_f16_transposed_pattern
// CHECK: affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func private @again
// CHECK: "tloop.tensorize"({{.*}}) {intrinsic = @npu_mma_f16_transposed_pattern}
// CHECK-NOT: func.func private @npu_mma_f16_transposed_pattern
func.func private @transposed(%x: tensor<16x32xf16>, %w: tensor<48x32xf16>) -> tensor<16x48xf16> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%w) {permutation = array<i64: 1, 0>} : (tensor<48x32xf16>) -> tensor<32x48xf16>
  %1 = "graph.matmul"(%x, %0) : (tensor<16x32xf16>, tensor<32x48xf16>) -> tensor<16x48xf16>
  return %1 : tensor<16x48xf16>
}
func.func private @again(%x: tensor<32x32xf16>, %w: tensor<48x32xf16>) -> tensor<32x48xf16> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%w) {permutation = array<i64: 1, 0>} : (tensor<48x32xf16>) -> tensor<32x48xf16>
  %1 = "graph.matmul"(%x, %0) : (tensor<32x32xf16>, tensor<32x48xf16>) -> tensor<32x48xf16>
  return %1 : tensor<32x48xf16>
}

// -----

// What the machine does not compute is left to the host: sizes that are no multiples of 16, a left operand
// that is transposed, an epilogue that the vector unit lacks, other types, batches, no product at all.
// CHECK-NOT: tloop.schedule
// CHECK-NOT: tiny_npu
func.func private @odd(%x: tensor<32x64xf16>, %w: tensor<64x10xf16>) -> tensor<32x10xf16> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%x, %w) : (tensor<32x64xf16>, tensor<64x10xf16>) -> tensor<32x10xf16>
  return %0 : tensor<32x10xf16>
}
func.func private @left(%x: tensor<64x32xf16>, %w: tensor<64x16xf16>) -> tensor<32x16xf16> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<64x32xf16>) -> tensor<32x64xf16>
  %1 = "graph.matmul"(%0, %w) : (tensor<32x64xf16>, tensor<64x16xf16>) -> tensor<32x16xf16>
  return %1 : tensor<32x16xf16>
}
func.func private @tanh(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>) -> tensor<32x16xf16> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%x, %w) : (tensor<32x64xf16>, tensor<64x16xf16>) -> tensor<32x16xf16>
  %1 = "graph.tanh"(%0) : (tensor<32x16xf16>) -> tensor<32x16xf16>
  return %1 : tensor<32x16xf16>
}
func.func private @single(%x: tensor<32x64xf32>, %w: tensor<64x16xf32>) -> tensor<32x16xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%x, %w) : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}
func.func private @batch(%x: tensor<2x32x64xf16>, %w: tensor<64x16xf16>) -> tensor<2x32x16xf16> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%x, %w) : (tensor<2x32x64xf16>, tensor<64x16xf16>) -> tensor<2x32x16xf16>
  return %0 : tensor<2x32x16xf16>
}
func.func private @softmax(%x: tensor<32x16xf16>) -> tensor<32x16xf16> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<32x16xf16>) -> tensor<32x16xf16>
  return %0 : tensor<32x16xf16>
}
