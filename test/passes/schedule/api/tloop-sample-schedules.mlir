// RUN: mlc-opt %s --tloop-sample-schedules=seed=1 | filecheck %s
// RUN: mlc-opt %s --tloop-sample-schedules=seed=1 > %t.first
// RUN: mlc-opt %s --tloop-sample-schedules=seed=1 > %t.again
// RUN: cmp %t.first %t.again
// RUN: mlc-opt %s --tloop-sample-schedules=seed=2 > %t.other
// RUN: not cmp %t.first %t.other
// RUN: mlc-opt %s --tloop-sample-schedules=seed=1 --tloop-apply-schedules | filecheck %s --check-prefix=APPLIED

// Every stochastic primitive gets a decision; one that has been made stays. The kernel is as it was.
// CHECK-LABEL: func.func private @add
// CHECK: affine.for %{{.*}} = 0 to 64
// CHECK-NEXT: affine.load
// CHECK: tloop.sample_perfect_tile
// CHECK-SAME: decision = array<i64: {{[0-9]+, [0-9]+, [0-9]+}}>
// CHECK: tloop.sample_perfect_tile
// CHECK-SAME: decision = array<i64: 1, 1>
// CHECK: tloop.sample_categorical
// CHECK-SAME: decision = 2 : i64

// The product of the factors is the number of iterations.
// APPLIED-LABEL: func.func private @add
// APPLIED: affine.for %{{.*}} = 0 to 64 step
// APPLIED: affine.for
// APPLIED: affine.for
// APPLIED: {tloop.unrolled = 8 : i64}
func.func private @add(%a: memref<64xf32>, %b: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<64xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<64xf32>
  }
  affine.for %i = 0 to 1 {
    %0 = affine.load %a[%i] : memref<64xf32>
    affine.store %0, %b[%i] {tloop.block = "one"} : memref<64xf32>
  }
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %one = "tloop.get_block"() {block_name = "one"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  %j = "tloop.get_loops"(%one) : (!tloop.block) -> (!tloop.loop)
  %f:3 = "tloop.sample_perfect_tile"(%i) {dim = 0, largest = 16} : (!tloop.loop) -> (!tloop.value, !tloop.value, !tloop.value)
  %l:3 = "tloop.split"(%i, %f#0, %f#1, %f#2) {factors = array<i64: -2, -2, -2>, tail = "exact"} : (!tloop.loop, !tloop.value, !tloop.value, !tloop.value) -> (!tloop.loop, !tloop.loop, !tloop.loop)
  %g:2 = "tloop.sample_perfect_tile"(%j) {dim = 0, largest = 1, decision = array<i64: 1, 1>} : (!tloop.loop) -> (!tloop.value, !tloop.value)
  %u = "tloop.sample_categorical"() {candidates = array<i64: 2, 4, 8>, probabilities = array<f64: 0.0, 0.0, 1.0>} : () -> !tloop.value
  "tloop.annotate"(%l#2) {key = "tloop.unrolled", value = 8 : i64} : (!tloop.loop) -> ()
}) {kernel = @add} : () -> ()
