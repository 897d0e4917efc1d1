// RUN: mlc-opt %s --cse --symbol-dce --mlir-print-ir-before=symbol-dce -o /dev/null 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: mlc-opt %s --cse --symbol-dce --mlir-print-ir-after=cse -o /dev/null 2>&1 | filecheck %s --check-prefix=AFTER
// RUN: mlc-opt %s --cse --symbol-dce --mlir-print-ir-after-all --mlir-print-ir-after-change -o /dev/null 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(cse))" --mlir-print-ir-after-all --mlir-print-ir-module-scope -o /dev/null 2>&1 | filecheck %s --check-prefix=SCOPE

// BEFORE-NOT: After
// BEFORE-NOT: CSEPass
// BEFORE: IR Dump Before SymbolDCEPass: symbol-dce //----- //
// BEFORE-NOT: Dump

// AFTER: IR Dump After CSEPass: cse //----- //
// AFTER-NOT: Dump

// CHANGE-NOT: CSEPass
// CHANGE: IR Dump After SymbolDCEPass: symbol-dce //----- //

// SCOPE: IR Dump After CSEPass: cse ('func.func' operation: @f) //----- //
// SCOPE-NEXT: module {
func.func @f() { return }
func.func private @unused()
