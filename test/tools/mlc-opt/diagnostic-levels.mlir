// RUN: mlc-opt %s --allow-unregistered-dialect --load-plugin=%S/Inputs/plugin.py --test-remark 2>&1 | filecheck %s --check-prefix=ALL
// RUN: mlc-opt %s --allow-unregistered-dialect --load-plugin=%S/Inputs/plugin.py --test-remark --mlir-diagnostic-verbosity-level=errors 2>&1 | filecheck %s --check-prefix=ERRORS
// RUN: mlc-opt %s --allow-unregistered-dialect --load-plugin=%S/Inputs/plugin.py --test-remark --color -o /dev/null 2>&1 | filecheck %s --check-prefix=COLOR
// RUN: not mlc-opt %s --mlir-diagnostic-verbosity-level=notes 2>&1 | filecheck %s --check-prefix=USAGE

// ALL: diagnostic-levels.mlir:{{[0-9]+}}:1: remark: here is a function
// ALL: warning: it is empty
// ERRORS-NOT: remark:
// ERRORS-NOT: warning:
// ERRORS: func.func @f
// COLOR: 1: {{.}}[1;34mremark: {{.}}[0mhere is a function
// COLOR: {{^.}}[1;32m^
// USAGE: mlc-opt: error: --mlir-diagnostic-verbosity-level must be one of errors, warnings, remarks, 0, 1, 2, not 'notes'
func.func @f() {
  return
}
