// RUN: mlc-opt %s --load-plugin=%S/../../../examples/accelerator/tiny_npu --pass-pipeline="builtin.module(tiny-npu-kernel)" --mlir-print-ir-before=tloop-split-accumulators \
// RUN:   -o /dev/null 2>&1 \
// RUN:   | filecheck %s
// RUN: mlc-opt %s --load-plugin=%S/../../../examples/accelerator/tiny_npu --tiny-npu-kernel | filecheck %s --check-prefix=LLVM

// Sums at 0, the left operand's tile at 1024, the right one's at 1536, the bias at 2048, the result at 2112: all
// that the kernel allocated. Rows of a tile of x are 128 bytes apart in main memory, those of w and y 96.
// CHECK-LABEL: func.func private @dense(%arg0: memref<32x64xf16>, %arg1: memref<64x48xf16>, %arg2: memref<48xf16>, %arg3: memref<32x48xf16>)
// CHECK-NOT: memref.alloc
// CHECK: call @npu_begin()
// CHECK-NEXT: scf.for %[[I:.*]] = %c0 to %c32 step %c16
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %c48 step %c16
// CHECK-NEXT: @npu_vector_fill(%c0, %c0, %c4, %c256)
// CHECK-NEXT: scf.for %[[K:.*]] = %c0 to %c64 step %c16
// CHECK-NEXT: %[[X:.*]] = memref.subview %arg0[%[[I]], %[[K]]] [16, 16] [1, 1]
// CHECK-NEXT: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[X]]
// CHECK-NEXT: %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK-NEXT: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %c2
// CHECK-NEXT: %[[ADDRESS:.*]] = arith.addi %[[START]], %[[BYTES]]
// CHECK-NEXT: @npu_dma_in(%c1024, %[[ADDRESS]], %c16, %c32, %c128)
// CHECK: memref.subview %arg1[%[[K]], %[[J]]] [16, 16] [1, 1]
// CHECK: @npu_dma_in(%c1536, %{{.*}}, %c16, %c32, %c96)
// CHECK-NEXT: @npu_mma_f16(%c0, %c1024, %c1536)
// CHECK-NEXT: }
// CHECK-NEXT: memref.subview %arg2[%[[J]]] [16] [1]
// CHECK: @npu_dma_in(%c2048, %{{.*}}, %c1, %c32, %c0)
// CHECK-NEXT: @npu_vector_spread(%c2624, %c2048, %c2, %c16, %c16)
// CHECK-NEXT: @npu_vector_widen_f16(%c3136, %c2624, %c256)
// CHECK-NEXT: @npu_vector_narrow_f16(%c4160, %c0, %c256)
// CHECK-NEXT: @npu_vector_widen_f16(%c4672, %c4160, %c256)
// CHECK-NEXT: @npu_vector_add_f32(%c5696, %c4672, %c3136, %c256)
// CHECK-NEXT: @npu_vector_narrow_f16(%c6720, %c5696, %c256)
// CHECK-NEXT: @npu_vector_widen_f16(%c7232, %c6720, %c256)
// CHECK-NEXT: @npu_vector_fill(%c8256, %c0, %c4, %c256)
// CHECK-NEXT: @npu_vector_greater_f32(%c9280, %c8256, %c7232, %c256)
// CHECK-NEXT: @npu_vector_select_f32(%c9536, %c9280, %c8256, %c7232, %c256)
// CHECK-NEXT: @npu_vector_narrow_f16(%c2112, %c9536, %c256)
// CHECK-NEXT: memref.subview %arg3[%[[I]], %[[J]]] [16, 16] [1, 1]
// CHECK: @npu_dma_out(%{{.*}}, %c2112, %c16, %c32, %c96)
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: call @npu_end()
// CHECK-NEXT: return

// Intrinsics are gone; the functions of the simulator are declared, and the kernel has the contract's entry.
// LLVM-NOT: _pattern
// LLVM-NOT: linalg
// LLVM-LABEL: llvm.func @dense(%arg0: !llvm.ptr, %arg1: !llvm.ptr)
// LLVM: llvm.func @npu_mma_f16(i64, i64, i64)
func.func private @dense(%x: tensor<32x64xf16>, %w: tensor<64x48xf16>, %b: tensor<48xf16>) -> tensor<32x48xf16> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%x, %w) : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf16>
  %1 = "graph.add"(%0, %b) : (tensor<32x48xf16>, tensor<48xf16>) -> tensor<32x48xf16>
  %2 = "graph.relu"(%1) : (tensor<32x48xf16>) -> tensor<32x48xf16>
  return %2 : tensor<32x48xf16>
}
