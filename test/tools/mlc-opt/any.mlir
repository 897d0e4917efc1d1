// RUN: mlc-opt %s --allow-unregistered-dialect --pass-pipeline="builtin.module(any(affine-loop-unroll{unroll-factor=2}))" | filecheck %s
// RUN: not mlc-opt %s --allow-unregistered-dialect --pass-pipeline="any(affine-loop-unroll)" 2>&1 | filecheck %s --check-prefix=ROOT

// Ops on which the pass cannot run are passed over; at the root this is an error.
// CHECK: module @inner
// CHECK: func.func @f
// CHECK: affine.for %{{.*}} = 0 to 4 step 2
// ROOT: error: 'builtin.module' op trying to schedule pass 'AffineLoopUnroll' on an unsupported operation
module @inner {
}
func.func @f() {
  affine.for %i = 0 to 4 {
    "test.op"(%i) : (index) -> ()
  }
  return
}
