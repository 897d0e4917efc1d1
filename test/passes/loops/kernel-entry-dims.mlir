// RUN: mlc-opt %s --kernel-entry | filecheck %s

// The vector of dims is the second argument of the kernel contract; each extent is loaded once, and is a size of
// all buffers that have it.

// CHECK-LABEL: func.func @scale
// CHECK-SAME: (%[[BUFFERS:.*]]: !llvm.ptr, %[[DIMS:.*]]: !llvm.ptr)
// CHECK: %[[IN:.*]] = llvm.load
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[BUFFERS]][1]
// CHECK: %[[OUT:.*]] = llvm.load %[[SLOT]]
// CHECK: call @scale__body(%[[IN]], %[[DIMS]], %[[OUT]])

// The pointer to the dims is marked for llvm-nonnegative-offsets.
// CHECK-LABEL: func.func private @scale__body
// CHECK-SAME: (%arg0: !llvm.ptr {llvm.noalias, llvm.nonnull}, %arg1: !llvm.ptr {llvm.noalias, llvm.nonnull, tloop.sizes}, %arg2: !llvm.ptr {llvm.noalias, llvm.nonnull})
// CHECK-NOT: tloop.dims
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %arg1[0]
// CHECK: %[[ROWS:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> i64
// CHECK: llvm.insertvalue %[[ROWS]], %{{.*}}[3, 0]
// CHECK-NOT: llvm.load
// CHECK: llvm.insertvalue %[[ROWS]], %{{.*}}[3, 0]
func.func private @scale(%x: memref<?x4xf32>, %dims: memref<1xindex>, %out: memref<?x4xf32>) attributes {tloop.kernel, tloop.dims = [["d0", ""], ["d0", ""]]} {
  memref.copy %x, %out : memref<?x4xf32> to memref<?x4xf32>
  return
}
