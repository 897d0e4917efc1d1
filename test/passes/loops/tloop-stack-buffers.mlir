// RUN: mlc-opt %s --tloop-stack-buffers | filecheck %s

// The buffer moves out of sequential loops: an alloca in a loop would grow the stack with every iteration.
// CHECK-LABEL: func.func private @kernel
// CHECK-NEXT: %[[BUFFER:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.copy %arg0, %[[BUFFER]]
// CHECK-NOT: dealloc

// Each thread has its own; what is outside the parallel region is shared.
// CHECK-LABEL: func.func private @parallel
// CHECK-NEXT: %[[SHARED:.*]] = memref.alloca()
// CHECK: omp.parallel
// CHECK-NEXT: %[[OWN:.*]] = memref.alloca()
// CHECK: memref.copy %[[SHARED]], %[[OWN]]

// CHECK-LABEL: func.func @host
// CHECK-NEXT: memref.alloc()
func.func private @kernel(%a: memref<4xf32>, %n: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %0 = memref.alloc() : memref<4xf32>
      memref.copy %a, %0 : memref<4xf32> to memref<4xf32>
      memref.dealloc %0 : memref<4xf32>
    }
  }
  return
}
func.func private @parallel(%a: memref<4xf32>, %n: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<4xf32>
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        scf.for %j = %c0 to %n step %c1 {
          %0 = memref.alloc() : memref<4xf32>
          memref.copy %s, %0 : memref<4xf32> to memref<4xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
func.func @host() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}

// A workspace may be too large for the stack.
// CHECK-LABEL: func.func private @workspace
// CHECK-NEXT: %[[BUFFER:.*]] = memref.alloc() {tloop.workspace}
// CHECK: memref.dealloc %[[BUFFER]]
func.func private @workspace(%a: memref<4xf32>) attributes {tloop.kernel} {
  %0 = memref.alloc() {tloop.workspace} : memref<4xf32>
  memref.copy %a, %0 : memref<4xf32> to memref<4xf32>
  memref.copy %0, %a : memref<4xf32> to memref<4xf32>
  memref.dealloc %0 : memref<4xf32>
  return
}

// A buffer that is a part of one of known size: that one is outside.
// CHECK-LABEL: func.func private @part
// CHECK-NEXT: %[[WHOLE:.*]] = memref.alloca() {alignment = 64 : i64} : memref<128xi8>
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: %[[SIZE:.*]] = affine.min #{{.*}}(%[[I]])
// CHECK: memref.view %[[WHOLE]][%{{.*}}][%[[SIZE]]] : memref<128xi8> to memref<?x4xf32>
// CHECK-NOT: dealloc
func.func private @part(%a: memref<?x4xf32>, %n: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %size = affine.min affine_map<(i)[n] -> (n - i, 8)>(%i)[%n]
    %0 = memref.alloc(%size) : memref<?x4xf32>
    %part = memref.subview %a[%i, 0] [%size, 4] [1, 1] : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %part, %0 : memref<?x4xf32, strided<[4, 1], offset: ?>> to memref<?x4xf32>
    memref.dealloc %0 : memref<?x4xf32>
  }
  return
}

// Complex numbers have two parts; vectors, and integers of 24 bits, take powers of two.
// CHECK-LABEL: func.func private @elements
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<512xi8>
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<256xi8>
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<32xi8>
// CHECK: scf.for
func.func private @elements(%n: index) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %size = affine.min affine_map<(i)[n] -> (n - i, 8)>(%i)[%n]
    %0 = memref.alloc(%size) : memref<?x4xcomplex<f64>>
    %1 = memref.alloc(%size) : memref<?xvector<2x3xf32>>
    %2 = memref.alloc(%size) : memref<?xi24>
  }
  return
}
