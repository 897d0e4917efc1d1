// RUN: mlc-opt %s --kernel-entry --verify-diagnostics --split-input-file

// expected-error @below {{the kernel still returns a buffer after bufferisation}}
func.func private @returns(%a: memref<4xf32>) -> memref<4xf32> attributes {tloop.kernel} {
  return %a : memref<4xf32>
}

// -----

// expected-error @below {{this memref<?xf32> has dims that the kernel does not name}}
func.func private @dynamic(%a: memref<?xf32>) attributes {tloop.kernel} {
  return
}

// -----

// expected-error @below {{a kernel takes dense row-major buffers only, but this one has a f32}}
func.func private @scalar(%a: f32) attributes {tloop.kernel} {
  return
}

// -----

// expected-error @below {{a kernel takes dense row-major buffers only, but this one has a memref<4xf32, strided<[2]>>}}
func.func private @strided(%a: memref<4xf32, strided<[2]>>) attributes {tloop.kernel} {
  return
}

// -----

// expected-error @below {{'' is none of the kernel's 2 dims}}
func.func private @unnamed(%a: memref<?xf32>, %dims: memref<2xindex>) attributes {tloop.kernel, tloop.dims = [[""]]} {
  return
}

// -----

// expected-error @below {{'rows' is none of the kernel's 2 dims}}
func.func private @unknown(%a: memref<?xf32>, %dims: memref<2xindex>) attributes {tloop.kernel, tloop.dims = [["d1*rows"]]} {
  return
}

// -----

// expected-error @below {{'d2' is none of the kernel's 2 dims}}
func.func private @beyond(%a: memref<?xf32>, %dims: memref<2xindex>) attributes {tloop.kernel, tloop.dims = [["d2"]]} {
  return
}

// -----

// expected-error @below {{a kernel has a body}}
func.func private @external(%a: memref<4xf32>) attributes {tloop.kernel}
