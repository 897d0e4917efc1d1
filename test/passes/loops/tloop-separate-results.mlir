// RUN: mlc-opt %s "--pass-pipeline=builtin.module(func.func(tloop-separate-results))" | filecheck %s

// The second result of the same buffer is a copy.
// CHECK-LABEL: func.func private @twice
// CHECK: %[[FIRST:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[OTHER:.*]] = memref.alloc() : memref<2xf32>
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[FIRST]], %[[COPY]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: return %[[FIRST]], %[[OTHER]], %[[COPY]]
func.func private @twice() -> (memref<4xf32>, memref<2xf32>, memref<4xf32>) {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.alloc() : memref<2xf32>
  return %0, %1, %0 : memref<4xf32>, memref<2xf32>, memref<4xf32>
}

// CHECK-LABEL: func.func private @once
// CHECK-NOT: memref.copy
// CHECK: return %arg0 : memref<4xf32>
func.func private @once(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// The copy has the sizes of the buffer.
// CHECK-LABEL: func.func private @dynamic
// CHECK: %[[BUFFER:.*]] = memref.alloc(%arg0) : memref<4x?xf32>
// CHECK: %[[SIZE:.*]] = memref.dim %[[BUFFER]], %c1
// CHECK: %[[COPY:.*]] = memref.alloc(%[[SIZE]]) : memref<4x?xf32>
// CHECK-NEXT: memref.copy %[[BUFFER]], %[[COPY]]
// CHECK-NEXT: return %[[BUFFER]], %[[COPY]]
func.func private @dynamic(%n: index) -> (memref<4x?xf32>, memref<4x?xf32>) {
  %0 = memref.alloc(%n) : memref<4x?xf32>
  return %0, %0 : memref<4x?xf32>, memref<4x?xf32>
}
