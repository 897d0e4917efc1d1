// RUN: mlc-opt %s --tloop-hoist-loads | filecheck %s

// An index is read once for its row; the row's elements are read where they are used.
// CHECK-LABEL: func.func @lookup
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: %[[AT:.*]] = memref.load %arg1[%[[I]]]
// CHECK-NEXT: scf.for %[[J:.*]] =
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0[%[[AT]], %[[J]]]
// CHECK-NEXT: memref.store %[[X]], %arg2[%[[I]], %[[J]]]
func.func @lookup(%table: memref<9x8xf32>, %places: memref<4xindex>, %out: memref<4x8xf32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %at = memref.load %places[%i] : memref<4xindex>
      %x = memref.load %table[%at, %j] : memref<9x8xf32>
      memref.store %x, %out[%i, %j] : memref<4x8xf32>
    }
  }
  return
}

// Out of all loops; views are what they are views of.
// CHECK-LABEL: func.func @all
// CHECK: memref.load %arg0[%c0]
// CHECK-NEXT: scf.for
func.func @all(%x: memref<4xf32>, %out: memref<4x4xf32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %flat = memref.collapse_shape %out [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %a = memref.load %x[%c0] : memref<4xf32>
      memref.store %a, %flat[%j] : memref<16xf32>
    }
  }
  return
}

// A sum in memory changes while the loop runs.
// CHECK-LABEL: func.func @sum
// CHECK: scf.for
// CHECK-NEXT: memref.load %arg0
// CHECK-NEXT: memref.load %arg1[%c0]
func.func @sum(%x: memref<4xf32>, %out: memref<1xf32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %x[%i] : memref<4xf32>
    %old = memref.load %out[%c0] : memref<1xf32>
    %new = arith.addf %old, %a : f32
    memref.store %new, %out[%c0] : memref<1xf32>
  }
  return
}

// The kernel may write over this operand; the arguments of other functions may be one buffer.
// CHECK-LABEL: func.func @in_place
// CHECK: scf.for
// CHECK-NEXT: memref.load %arg0[%c0]
func.func @in_place(%x: memref<4xf32>, %out: memref<4xf32>) attributes {tloop.kernel, tloop.in_place = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %x[%c0] : memref<4xf32>
    memref.store %a, %out[%i] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: func.func @no_kernel
// CHECK: scf.for
// CHECK-NEXT: memref.load %arg0[%c0]
func.func @no_kernel(%x: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %x[%c0] : memref<4xf32>
    memref.store %a, %out[%i] : memref<4xf32>
  }
  return
}

// A loop that may not run at all must not read; a call may write anywhere.
// CHECK-LABEL: func.func @kept
// CHECK: scf.for
// CHECK-NEXT: memref.load %arg0[%c0]
// CHECK: scf.for
// CHECK-NEXT: memref.load %arg0[%c0]
func.func private @writes()
func.func @kept(%x: memref<4xf32>, %out: memref<4xf32>, %n: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%c0] : memref<4xf32>
    memref.store %a, %out[%i] : memref<4xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %x[%c0] : memref<4xf32>
    memref.store %a, %out[%i] : memref<4xf32>
    func.call @writes() : () -> ()
  }
  return
}
