// RUN: mlc-opt %s --tloop-lower-copies | filecheck %s

// CHECK-LABEL: func.func @copies
// CHECK-NEXT: linalg.copy {{.*}}ins(%arg0 : memref<4x8xf32>) outs(%arg1 : memref<4x8xf32, strided<[16, 1]>>)
// A copy of a buffer to itself goes.
// CHECK-NEXT: return
func.func @copies(%a: memref<4x8xf32>, %b: memref<4x8xf32, strided<[16, 1]>>) {
  memref.copy %a, %b : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1]>>
  memref.copy %a, %a : memref<4x8xf32> to memref<4x8xf32>
  return
}
