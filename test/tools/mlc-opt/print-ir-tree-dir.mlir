// RUN: rm -rf %t && mkdir %t
// RUN: mlc-opt %s --mlir-print-ir-tree-dir=%t/all --mlir-print-ir-after-all \
// RUN:   --pass-pipeline="builtin.module(canonicalize,func.func(cse,sccp),symbol-dce,builtin.module(func.func(cse)))" -o /dev/null 2> %t/stderr
// RUN: test ! -s %t/stderr
// RUN: cd %t/all && find . -type f | sort | filecheck %s --check-prefix=ALL
// RUN: filecheck %s --check-prefix=TEXT < %t/all/builtin_module_no-symbol-name/func_func_a_b/0_0_cse.mlir
// RUN: mlc-opt %s --mlir-print-ir-tree-dir=%t/cse --mlir-print-ir-before=cse --mlir-print-ir-after=cse --mlir-print-ir-module-scope --cse --symbol-dce -o /dev/null
// RUN: cd %t/cse && find . -type f | sort | filecheck %s --check-prefix=CSE
// RUN: mlc-opt %s --mlir-print-ir-tree-dir=%t/none --cse -o /dev/null
// RUN: not ls %t/none
// RUN: touch %t/file
// RUN: not mlc-opt %s --mlir-print-ir-tree-dir=%t/file --mlir-print-ir-after-all --cse 2>&1 | filecheck %s --check-prefix=BAD

// ALL: ./builtin_module_no-symbol-name/0_canonicalize.mlir
// ALL-NEXT: ./builtin_module_no-symbol-name/1_symbol-dce.mlir
// ALL-NEXT: ./builtin_module_no-symbol-name/builtin_module_m/func_func_g/1_0_0_cse.mlir
// ALL-NEXT: ./builtin_module_no-symbol-name/func_func_a_b/0_0_cse.mlir
// ALL-NEXT: ./builtin_module_no-symbol-name/func_func_a_b/0_1_sccp.mlir
// ALL-NEXT: ./builtin_module_no-symbol-name/func_func_f/0_0_cse.mlir
// ALL-NEXT: ./builtin_module_no-symbol-name/func_func_f/0_1_sccp.mlir
// ALL-NOT: mlir

// TEXT: // -----// IR Dump After CSEPass: cse //----- //
// TEXT-NEXT: func.func @"a/b"() {

// CSE: ./builtin_module_no-symbol-name/0_cse.mlir
// CSE-NEXT: ./builtin_module_no-symbol-name/1_cse.mlir
// CSE-NOT: mlir

// BAD: mlc-opt: error: {{.*}}/file{{.*}}: Not a directory
func.func @f() { return }
func.func @"a/b"() { return }
module @m { func.func @g() { return } }
