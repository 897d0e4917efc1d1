// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-fail 2>&1 | filecheck %s --check-prefix=FAIL
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-crash 2>&1 | filecheck %s --check-prefix=CRASH
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-crash --mlc-traceback 2>&1 | filecheck %s --check-prefix=TRACE
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-invalidate 2>&1 | filecheck %s --check-prefix=INVALID
// RUN: mlc-opt %s --load-plugin=%S/Inputs/plugin.py --verify-each=false --test-invalidate | filecheck %s --check-prefix=UNVERIFIED
// RUN: not mlc-opt %s --convert-scf-to-spirv="no-such-option=1" 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not mlc-opt %s --tloop-prefetch-panels 2>&1 | filecheck %s --check-prefix=RENAMED
// RUN: not mlc-opt %s --pass-pipeline="builtin.module(func.func(tloop-prefetch-panels))" 2>&1 | filecheck %s --check-prefix=RENAMED
// RUN: not mlc-opt %s --mlir-print-ir-after=tloop-prefetch-panels --canonicalize 2>&1 | filecheck %s --check-prefix=RENAMED

// FAIL: errors.mlir:{{[0-9]+}}:1: error: function has arguments
// FAIL-NEXT: func.func @f(%a: i32) {
// FAIL-NEXT: {{^\^}}
// FAIL-NEXT: note: use a function without arguments
// FAIL-NEXT: mlc-opt: error: pass 'test-fail' failed on 'func.func' operation: @f

// CRASH-NOT: Traceback
// CRASH: error: pass 'test-crash' raised KeyError: 'missing'
// CRASH: mlc-opt: error: pass 'test-crash' failed on 'builtin.module' operation (--mlc-traceback shows where)

// TRACE: Traceback
// TRACE: KeyError: 'missing'

// INVALID: error: empty block: expect at least a terminator
// INVALID: mlc-opt: error: pass 'test-invalidate' failed on 'func.func' operation: @f

// UNVERIFIED: "func.func"()

// OPTION: mlc-opt: error: pass 'convert-scf-to-spirv': {{.*}}no such option no-such-option

// RENAMED: there is no pass 'tloop-prefetch-panels' any more; it is 'tloop-prefetch'
func.func @f(%a: i32) {
  return
}
