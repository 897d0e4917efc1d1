// RUN: mlc-opt %s --no-implicit-module --canonicalize --mlir-print-debuginfo | filecheck %s
// RUN: mlc-opt %s --no-implicit-module --mlir-print-debuginfo --pass-pipeline="func.func(canonicalize)" | filecheck %s
// RUN: not mlc-opt %s --no-implicit-module --symbol-privatize --pass-pipeline="builtin.module(cse)" 2>&1 | filecheck %s --check-prefix=BOTH
// RUN: not mlc-opt %S/order.mlir --no-implicit-module --split-input-file=nothing 2>&1 | filecheck %s --check-prefix=MANY

// CHECK-NOT: module {
// CHECK: func.func @f(
// CHECK-NEXT: return %{{.*}} loc(
// BOTH: error: --pass-pipeline cannot be combined
// MANY: error: source must contain a single top-level operation
func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %a, %zero : i32
  return %0 : i32
}
