// RUN: not mlc-opt %s --cannonicalize 2>&1 | filecheck %s --check-prefix=TYPO
// RUN: not mlc-opt %s --pass-pipeline="builtin.module(cse" 2>&1 | filecheck %s --check-prefix=PAREN
// RUN: not mlc-opt %s --pass-pipeline="builtin.module(cse)" --cse 2>&1 | filecheck %s --check-prefix=BOTH
// RUN: not mlc-opt %s --pass-pipeline="func.func(cse)" 2>&1 | filecheck %s --check-prefix=ANCHOR
// RUN: not mlc-opt %s %s 2>&1 | filecheck %s --check-prefix=TWO
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag="valu=1" 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag="value=x" 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag="mode=x" 2>&1 | filecheck %s --check-prefix=CHOICE
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/none.py 2>&1 | filecheck %s --check-prefix=PLUGIN
// RUN: not mlc-opt %S/Inputs/none.mlir 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not mlc-opt %s --run-reproducer 2>&1 | filecheck %s --check-prefix=REPRODUCER

// TYPO: mlc-opt: error: unknown argument '--cannonicalize'; did you mean --canonicalize
// PAREN: mlc-opt: error: expected ',' or the ')' that closes 'builtin.module('
// BOTH: mlc-opt: error: --pass-pipeline cannot be combined with pass flags such as --cse
// ANCHOR: mlc-opt: error: a pipeline on 'func.func' cannot run on 'builtin.module'
// TWO: mlc-opt: error: one input file at most
// OPTION: mlc-opt: error: pass 'test-tag': no option 'valu'; valid options: value, mode, names
// VALUE: mlc-opt: error: pass 'test-tag': option 'value' is of type int, but the value is 'x'
// CHOICE: mlc-opt: error: pass 'test-tag': option 'mode' must be one of plain, named, but the value is 'x'
// PLUGIN: mlc-opt: error: cannot load plugin '{{.*}}none.py': not a Python file
// FILE: mlc-opt: error: {{.*}}none.mlir: No such file or directory
// REPRODUCER: mlc-opt: error: {{.*}}usage.mlir holds no reproducer
