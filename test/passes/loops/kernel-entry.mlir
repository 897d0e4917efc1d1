// RUN: mlc-opt %s --kernel-entry | filecheck %s

// The contract: an array of pointers and one of dims.
// CHECK-LABEL: func.func @kernel(%arg0: !llvm.ptr, %arg1: !llvm.ptr) {
// CHECK-NEXT: %[[S0:.*]] = llvm.getelementptr %arg0[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT: %[[P0:.*]] = llvm.load %[[S0]]
// CHECK-NEXT: %[[S1:.*]] = llvm.getelementptr %arg0[1]
// CHECK-NEXT: %[[P1:.*]] = llvm.load %[[S1]]
// CHECK-NEXT: %[[S2:.*]] = llvm.getelementptr %arg0[2]
// CHECK-NEXT: %[[P2:.*]] = llvm.load %[[S2]]
// CHECK-NEXT: call @kernel__body(%[[P0]], %[[P1]], %[[P2]])
// CHECK-NEXT: return
// LLVM learns from the body's arguments that buffers do not overlap.
// CHECK: func.func private @kernel__body(%arg0: !llvm.ptr {llvm.noalias, llvm.nonnull}, %arg1: !llvm.ptr {llvm.noalias, llvm.nonnull}, %arg2: !llvm.ptr {llvm.noalias, llvm.nonnull})
// CHECK-NOT: tloop.kernel
// A memref is its pointer, offset 0, sizes and row-major strides.
// CHECK: %[[ROWS:.*]] = llvm.mlir.constant(4 : i64)
// CHECK-NEXT: %[[COLUMNS:.*]] = llvm.mlir.constant(8 : i64)
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-NEXT: %[[STRIDE:.*]] = llvm.mlir.constant(8 : i64)
// CHECK-NEXT: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT: llvm.insertvalue %arg0, %{{.*}}[0]
// CHECK-NEXT: llvm.insertvalue %arg0, %{{.*}}[1]
// CHECK-NEXT: llvm.insertvalue %[[OFFSET]], %{{.*}}[2]
// CHECK-NEXT: llvm.insertvalue %[[ROWS]], %{{.*}}[3, 0]
// CHECK-NEXT: llvm.insertvalue %[[STRIDE]], %{{.*}}[4, 0]
// CHECK-NEXT: llvm.insertvalue %[[COLUMNS]], %{{.*}}[3, 1]
// CHECK-NEXT: %[[LAST:.*]] = llvm.insertvalue %[[ONE]], %{{.*}}[4, 1]
// CHECK-NEXT: %[[A:.*]] = builtin.unrealized_conversion_cast %[[LAST]] : {{.*}} to memref<4x8xf32>
// CHECK: %[[B:.*]] = builtin.unrealized_conversion_cast {{.*}} : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
// CHECK: %[[X:.*]] = memref.load %[[A]]
// CHECK: memref.store %[[X]], %[[B]][]
// CHECK: func.func @host(%arg0: memref<4xf32>)
func.func private @kernel(%a: memref<4x8xf32>, %b: memref<f32>, %out: memref<4xi64>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0, %c0] : memref<4x8xf32>
  memref.store %x, %b[] : memref<f32>
  return
}
func.func @host(%a: memref<4xf32>) {
  return
}
