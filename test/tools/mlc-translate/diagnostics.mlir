// RUN: not mlc-translate --mlir-to-llvmir --split-input-file %s 2>&1 | filecheck %s --check-prefix=ALL
// RUN: not mlc-translate --mlir-to-llvmir --split-input-file --error-diagnostics-only %s 2>&1 | filecheck %s --check-prefix=ERRORS
// RUN: mlc-translate --mlir-to-llvmir --split-input-file --verify-diagnostics=only-expected %s -o /dev/null
// RUN: not mlc-translate --mlir-to-llvmir --split-input-file --verify-diagnostics=some %s 2>&1 | filecheck %s --check-prefix=LEVEL
// RUN: not mlc-translate --mlir-to-llvmir --split-input-file --color %s 2>&1 | filecheck %s --check-prefix=COLOR

// ALL: diagnostics.mlir:{{[0-9]+}}:3: error: cannot be converted to LLVM IR
// ALL: note: see current operation
// ERRORS: error: cannot be converted to LLVM IR
// ERRORS-NOT: note:
// LEVEL: mlc-translate: error: --verify-diagnostics must be one of all, only-expected, not 'some'
// COLOR: {{.}}[1;31merror: {{.}}[0mcannot be converted

llvm.func @f() {
  // expected-error@+1 {{cannot be converted to LLVM IR}}
  "arith.constant"() {value = 1 : i32} : () -> i32
  llvm.return
}

// -----

llvm.func @fine()
