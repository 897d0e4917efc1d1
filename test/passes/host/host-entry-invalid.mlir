// RUN: mlc-opt %s --host-entry --verify-diagnostics --split-input-file

func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{'memref.alloca' cannot be part of a host function}}
  %0 = memref.alloca() : memref<4xf32>
  memref.copy %x, %0 : memref<4xf32> to memref<4xf32>
  return
}

// -----

// expected-error @below {{the host function is not on buffers; run host-plan-memory first}}
func.func @main(%x: memref<4xf32>, %arena: memref<128xi8>, %at: index) {
  %0 = memref.view %arena[%at][] : memref<128xi8> to memref<4xf32>
  return
}

// -----

// expected-error @below {{the host function is not on buffers; run host-plan-memory first}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{a transfer of the host has a token, and waits for no other}}
  gpu.memcpy %y, %x : memref<4xf32>, memref<4xf32>
  return
}
