// RUN: mlc-opt --version | filecheck %s --check-prefix=VERSION
// RUN: mlc-opt --help --load-plugin=%S/Inputs/plugin.py | filecheck %s --check-prefix=HELP
// RUN: mlc-opt -h --load-plugin=%S/Inputs/plugin.py | filecheck %s --check-prefix=HELP
// RUN: mlc-opt -list-passes --load-plugin=%S/Inputs/plugin.py | filecheck %s --check-prefix=LIST
// RUN: mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-named --dump-pass-pipeline 2>&1 | filecheck %s --check-prefix=NAMED

// VERSION: mlc-opt {{[0-9.]+}} (upstream MLIR from torch-mlir {{[0-9]+}})

// HELP: --pass-pipeline=<text>
// HELP: Timing and statistics:
// HELP: --mlir-timing
// HELP: Passes of mlc:
// HELP: --graph-simplify {{ +}} {{[A-Z].*}} (on builtin.module, rounding)
// HELP: --test-tag {{ +}} Puts an attribute on each function (on func.func, exact)
// HELP-NEXT: value=<int> the attribute's value; default 1
// HELP-NEXT: mode=<string> how to write it (plain, named); default plain
// HELP-NEXT: names=<list of string> the attributes' names; default tag
// HELP: --tloop-sample-schedules
// HELP-NEXT: seed=<int> of the random numbers; default 0
// HELP: Passes of upstream MLIR (their options that are lists are not shown, as the bindings do not show them):
// HELP: --canonicalize {{.*}} on builtin.module, func.func
// HELP: top-down=<value> default true
// HELP: --convert-func-to-llvm

// LIST: --graph-optimize
// LIST: --test-crash {{ +}} Has a bug
// LIST: --canonicalize

// NAMED: Pass Manager with 2 passes:
// NAMED-NEXT: builtin.module(
// NAMED-NEXT:   func.func(
// NAMED-NEXT:     test-tag{value=5 mode=plain names=tag},
// NAMED-NEXT:     cse
// NAMED-NEXT:   ),
// NAMED-NEXT:   symbol-dce
// NAMED-NEXT: )
// NAMED: attributes {tag = 5 : i64}
func.func @f() { return }
