// RUN: mlc-reduce %s --test=%S/Inputs/ends.sh --test-arg=crash --expect-crash | filecheck %s
// RUN: mlc-reduce %s --test=%S/Inputs/ends.sh --test-arg=fail --expect-exit=3 | filecheck %s
// RUN: mlc-reduce %s --test=%S/Inputs/ends.sh --test-arg=hang --expect-hang --timeout=1 --max-tests=3 -o %t.mlir 2>&1 | filecheck %s --check-prefix=LIMIT
// RUN: not mlc-reduce %s --test=%S/Inputs/ends.sh --test-arg=fail --expect-crash 2>&1 | filecheck %s --check-prefix=OTHER

// CHECK-NOT: @g
// CHECK: arith.muli
// CHECK-NOT: @g

// LIMIT: mlc-reduce: 5 ops, {{[0-9]+}} bytes -> {{[0-9]+}} ops, {{[0-9]+}} bytes; 3 tests; stopped by --max-tests
// OTHER: expectations.mlir is not interesting: the test ended with 3
func.func @f(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}
func.func @g() {
  return
}
