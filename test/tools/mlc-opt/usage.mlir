// RUN: not mlc-opt %s --cannonicalize 2>&1 | filecheck %s --check-prefix=TYPO
// RUN: not mlc-opt %s --load-pass-plugin=x.so 2>&1 | filecheck %s --check-prefix=IMPOSSIBLE
// RUN: not mlc-opt %s --debug-only=cse 2>&1 | filecheck %s --check-prefix=DEBUG
// RUN: not mlc-opt %s --test-print-liveness 2>&1 | filecheck %s --check-prefix=TEST
// RUN: not mlc-opt "" 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: not mlc-opt %s -o "" 2>&1 | filecheck %s --check-prefix=NAMELESS
// RUN: not mlc-opt %s --mlir-print-ir-tree-dir= 2>&1 | filecheck %s --check-prefix=FOLDER
// RUN: mlc-opt %s --split-input-file -output-split-marker "" --verify-each=false --verify-each=true -o /nowhere/x -o - | filecheck %s --check-prefix=LAST
// RUN: not mlc-opt %s --pass-pipeline="builtin.module(cse" 2>&1 | filecheck %s --check-prefix=PAREN
// RUN: not mlc-opt %s --pass-pipeline="builtin.module(cse)" --cse 2>&1 | filecheck %s --check-prefix=BOTH
// RUN: not mlc-opt %s --pass-pipeline="func.func(cse)" 2>&1 | filecheck %s --check-prefix=ANCHOR
// RUN: not mlc-opt %s %s 2>&1 | filecheck %s --check-prefix=TWO
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag="valu=1" 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag="value=x" 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag="mode=x" 2>&1 | filecheck %s --check-prefix=CHOICE
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/none.py 2>&1 | filecheck %s --check-prefix=PLUGIN
// RUN: not mlc-opt %s --load-plugin=%S/Inputs 2>&1 | filecheck %s --check-prefix=NO_PLUGIN
// RUN: not mlc-opt %S/Inputs/none.mlir 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not mlc-opt %s --run-reproducer 2>&1 | filecheck %s --check-prefix=REPRODUCER

// TYPO: mlc-opt: error: unknown argument '--cannonicalize'; did you mean --canonicalize
// IMPOSSIBLE: mlc-opt: error: --load-pass-plugin is not supported: upstream's Python bindings have no way to it; passes in Python come with --load-plugin
// DEBUG: mlc-opt: error: --debug-only is not supported: the wheel's MLIR is built without assertions
// TEST: mlc-opt: error: --test-print-liveness is not supported: upstream's test passes and its test dialect are not in the wheel
// EMPTY: mlc-opt: error: an argument is empty: the name of the input file?
// NAMELESS: mlc-opt: error: --o needs the name of a file, and got none
// FOLDER: mlc-opt: error: --mlir-print-ir-tree-dir needs the name of a folder, and got none
// As in LLVM 22, the last value of a flag that is given several times holds.
// LAST: module {
// PAREN: mlc-opt: error: expected ',' or the ')' that closes 'builtin.module('
// BOTH: mlc-opt: error: --pass-pipeline cannot be combined with pass flags such as --cse
// ANCHOR: mlc-opt: error: a pipeline on 'func.func' cannot run on 'builtin.module'
// TWO: mlc-opt: error: one input file at most
// OPTION: mlc-opt: error: pass 'test-tag': no option 'valu'; valid options: value, mode, names
// VALUE: mlc-opt: error: pass 'test-tag': option 'value' is of type int, but the value is 'x'
// CHOICE: mlc-opt: error: pass 'test-tag': option 'mode' must be one of plain, named, but the value is 'x'
// PLUGIN: mlc-opt: error: cannot load plugin '{{.*}}none.py': No such file or directory
// NO_PLUGIN: mlc-opt: error: cannot load plugin '{{.*}}': neither a Python file nor a package's folder
// FILE: mlc-opt: error: {{.*}}none.mlir: No such file or directory
// REPRODUCER: mlc-opt: error: {{.*}}usage.mlir holds no reproducer
