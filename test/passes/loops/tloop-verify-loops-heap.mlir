// RUN: mlc-opt %s --tloop-verify-loops=heap=true --verify-diagnostics --split-input-file | filecheck %s

// Before tloop-stack-buffers a kernel still allocates.
// CHECK-LABEL: func.func private @heap
// CHECK: memref.alloc()
func.func private @heap() attributes {tloop.kernel} {
  %0 = memref.alloc() : memref<4xf32>
  memref.dealloc %0 : memref<4xf32>
  return
}

// -----

func.func private @tensor() attributes {tloop.kernel} {
  // expected-error @below {{'tensor.empty' op of kernel @tensor still defines a tensor<4xf32>: it was not bufferised}}
  %0 = tensor.empty() : tensor<4xf32>
  return
}
