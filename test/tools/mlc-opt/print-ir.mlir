// RUN: mlc-opt %s --cse --symbol-dce --mlir-print-ir-before=symbol-dce -o /dev/null 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: mlc-opt %s --cse --symbol-dce --mlir-print-ir-after=cse -o /dev/null 2>&1 | filecheck %s --check-prefix=AFTER
// RUN: mlc-opt %s --cse --symbol-dce --mlir-print-ir-after-all --mlir-print-ir-after-change -o /dev/null 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(cse))" --mlir-print-ir-after-all --mlir-print-ir-module-scope -o /dev/null 2>&1 | filecheck %s --check-prefix=SCOPE
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --cse --test-fail --mlir-print-ir-after-all 2>&1 | filecheck %s --check-prefix=FAILED --check-prefix=ALL
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --cse --test-fail --mlir-print-ir-after-all --mlir-print-ir-after-failure 2>&1 | filecheck %s --check-prefix=FAILED --check-prefix=ONLY
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --cse --test-fail --mlir-print-ir-after-failure --mlir-print-ir-after=cse 2>&1 | filecheck %s --check-prefix=FAILED --check-prefix=ONLY
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-invalidate --mlir-print-ir-after-failure 2>&1 | filecheck %s --check-prefix=INVALID
// RUN: mlc-opt %s --cse --canonicalize --symbol-dce --mlir-print-ir-after=cse,symbol-dce --mlir-print-ir-before=canonicalize -o /dev/null 2>&1 | filecheck %s --check-prefix=LISTS
// RUN: mlc-opt %s --cse --canonicalize --mlir-print-ir-before=cse --mlir-print-ir-before=canonicalize -o /dev/null 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: mlc-opt %s --cse --mlir-print-ir-after-change -o /dev/null 2>&1 | filecheck %s --check-prefix=NONE --allow-empty
// RUN: not mlc-opt %s --cse --mlir-print-ir-after=canonicalise 2>&1 | filecheck %s --check-prefix=UNKNOWN

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

// ALL: IR Dump After CSEPass: cse
// ONLY-NOT: CSEPass
// FAILED: IR Dump After Fail Failed: test-fail //----- //
// FAILED-NEXT: func.func @with(

// Invalid IR is printed in generic form.
// INVALID: IR Dump After Invalidate Failed: test-invalidate //----- //
// INVALID-NEXT: "func.func"

// LISTS: After CSEPass: cse
// LISTS: Before CanonicalizerPass: canonicalize
// LISTS-NOT: After CanonicalizerPass
// LISTS: After SymbolDCEPass: symbol-dce

// TWICE: Before CSEPass: cse
// TWICE: Before CanonicalizerPass: canonicalize

// NONE-NOT: Dump

// UNKNOWN: mlc-opt: error: --mlir-print-ir-after: there is no pass named 'canonicalise'; did you mean canonicalize or
func.func @f() { return }
func.func @with(%a: i32) { return }
func.func private @unused()
