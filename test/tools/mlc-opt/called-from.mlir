// The calls that led to an op are shown, also those inside fused and named locations.

// RUN: not mlc-opt %s 2>&1 | filecheck %s

// CHECK: inner:3:4: error: 'arith.constant' op failed to verify
// CHECK-NEXT: outer:5:6: note: called from
// CHECK-NEXT: outermost:7:8: note: called from
func.func @f() {
  %0 = "arith.constant"() <{value = 1 : i32}> : () -> i1 loc(fused["x", "y"(callsite("inner":3:4 at callsite("outer":5:6 at "outermost":7:8)))])
  return
}
