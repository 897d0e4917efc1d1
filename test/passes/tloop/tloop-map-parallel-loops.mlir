// RUN: mlc-opt %s --tloop-map-parallel-loops | filecheck %s

// CHECK-LABEL: func.func private @threads
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%c0, %c0{{.*}}) to (%c4, %c8) step (%c1, %c1{{.*}}) {
// CHECK-NEXT: memref.store %arg1, %arg0[%[[I]], %[[J]]]
func.func private @threads(%m: memref<4x8xf32>, %x: f32) attributes {tloop.kernel} {
  scf.forall (%i, %j) in (4, 8) {
    memref.store %x, %m[%i, %j] : memref<4x8xf32>
  }
  return
}

// CHECK-LABEL: func.func private @one_thread
// CHECK-NOT: scf.parallel
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store
func.func private @one_thread(%m: memref<4x8xf32>, %x: f32) attributes {tloop.kernel, tloop.one_thread} {
  scf.forall (%i, %j) in (4, 8) {
    memref.store %x, %m[%i, %j] : memref<4x8xf32>
  }
  return
}

// CHECK-LABEL: func.func @no_kernel
// CHECK-NEXT: scf.forall
func.func @no_kernel(%m: memref<4x8xf32>, %x: f32) {
  scf.forall (%i, %j) in (4, 8) {
    memref.store %x, %m[%i, %j] : memref<4x8xf32>
  }
  return
}
