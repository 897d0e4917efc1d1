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

// The trip count is dynamic: few iterations run on one thread.
// CHECK-LABEL: func.func private @few
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %{{.*}}, %c100
// CHECK: scf.if %[[FEW]] {
// CHECK-NEXT: scf.for %[[I:.*]] = %c0 to %arg1 step %c1
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %c3 step
// CHECK-NEXT: memref.store %{{.*}}, %arg0[%[[I]], %[[J]]]
// CHECK: } else {
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = {{.*}} to (%arg1, %c3{{.*}})
// CHECK-NEXT: memref.store %{{.*}}, %arg0[%[[I]], %[[J]]]
func.func private @few(%out: memref<?x3xf32>, %n: index) attributes {tloop.kernel, tloop.least_iterations = 100 : i64} {
  %one = arith.constant 1.0 : f32
  scf.forall (%i, %j) in (%n, 3) {
    memref.store %one, %out[%i, %j] : memref<?x3xf32>
  }
  return
}
