// RUN: not mlc-opt %s 2>&1 | filecheck %s --check-prefix=DEFAULT
// RUN: not mlc-opt %s --mlir-print-op-on-diagnostic=false 2>&1 | filecheck %s --check-prefix=QUIET
// RUN: not mlc-opt %s --mlir-disable-diagnostic-notes 2>&1 | filecheck %s --check-prefix=QUIET

// DEFAULT: error: 'arith.addi' op requires the same type
// DEFAULT: note: see current operation: %0 = "arith.addi"
// QUIET: error: 'arith.addi' op requires the same type
// QUIET-NOT: note
func.func @f(%a: i32, %b: i64) {
  %0 = "arith.addi"(%a, %b) : (i32, i64) -> i32
  return
}
