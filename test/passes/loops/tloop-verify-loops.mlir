// RUN: mlc-opt %s --tloop-verify-loops --verify-diagnostics --split-input-file | filecheck %s

// CHECK-LABEL: func.func private @loops
// CHECK-LABEL: func.func @main
func.func private @loops(%x: memref<4xf32>) attributes {tloop.kernel} {
  %0 = memref.alloca() : memref<4xf32>
  memref.copy %x, %0 : memref<4xf32> to memref<4xf32>
  return
}
// Only kernels are at this level.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %x : tensor<4xf32>
}

// -----

// Arguments, results inside loops, values that loops carry.
// expected-error @below {{'func.func' op of kernel @tensors still defines a tensor<4xf32>: it was not bufferised}}
func.func private @tensors(%x: tensor<4xf32>, %y: memref<4xf32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{'bufferization.to_tensor' op of kernel @tensors still defines a tensor<4xf32>: it was not bufferised}}
  %0 = bufferization.to_tensor %y restrict : memref<4xf32> to tensor<4xf32>
  // expected-note @below {{'scf.for' op of kernel @tensors still defines a tensor<4xf32>: it was not bufferised}}
  %1 = scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %0) -> (tensor<4xf32>) {
    scf.yield %t : tensor<4xf32>
  }
  return
}

// -----

func.func private @heap(%size: index) attributes {tloop.kernel} {
  // expected-error @below {{'memref.alloc' op of kernel @heap uses the heap, which the kernel contract forbids}}
  %0 = memref.alloc() : memref<4xf32>
  // expected-note @below {{'memref.alloc' op of kernel @heap uses the heap, which the kernel contract forbids}}
  %1 = memref.alloc(%size) : memref<?xf32>
  // expected-note @below {{'memref.dealloc' op of kernel @heap uses the heap, which the kernel contract forbids}}
  memref.dealloc %1 : memref<?xf32>
  return
}
