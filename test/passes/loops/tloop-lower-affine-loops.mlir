// RUN: mlc-opt --pass-pipeline="builtin.module(func.func(tloop-lower-affine-loops))" %s | filecheck %s
// RUN: mlc-opt --pass-pipeline="builtin.module(func.func(tloop-lower-affine-loops,buffer-loop-hoisting))" %s | filecheck %s --check-prefix=BUFFER

// CHECK-LABEL: func.func @loops
// CHECK: scf.parallel
// CHECK: memref.alloc
// CHECK: scf.for
// CHECK-NOT: affine

// The buffer stays each iteration's own.
// BUFFER-LABEL: func.func @loops
// BUFFER: scf.parallel
// BUFFER: memref.alloc
func.func @loops(%x: memref<8x4xf32>) attributes {tloop.kernel} {
  affine.parallel (%i) = (0) to (8) {
    %t = memref.alloc() : memref<4xf32>
    affine.for %j = 0 to 4 {
      %0 = affine.load %x[%i, %j] : memref<8x4xf32>
      affine.store %0, %t[%j] : memref<4xf32>
    }
    affine.for %j = 0 to 4 {
      %0 = affine.load %t[3 - %j] : memref<4xf32>
      affine.store %0, %x[%i, %j] : memref<8x4xf32>
    }
  }
  return
}

// Kernels without affine loops, and other functions, are left alone.
// CHECK-LABEL: func.func @apply
// CHECK: affine.apply
func.func @apply(%i: index) -> index attributes {tloop.kernel} {
  %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
  return %0 : index
}
// CHECK-LABEL: func.func @other
// CHECK: affine.for
func.func @other(%x: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %0 = affine.load %x[%i] : memref<8xf32>
  }
  return
}
