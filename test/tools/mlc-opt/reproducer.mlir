// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag=value=4 --test-fail --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | filecheck %s --check-prefix=FIRST
// RUN: filecheck %s --input-file=%t.mlir --check-prefix=FILE
// RUN: not mlc-opt --load-plugin=%S/Inputs/plugin.py --run-reproducer %t.mlir --mlir-print-ir-after=test-tag 2>&1 | filecheck %s --check-prefix=AGAIN

// FIRST: mlc-opt: error: pass 'test-fail' failed
// FIRST: mlc-opt: reproducer written to

// The IR is that before the first pass.
// FILE-NOT: tag
// FILE: mlir_reproducer: {
// FILE: pipeline: "builtin.module(test-tag{value=4},test-fail)"

// AGAIN: func.func @f(%arg0: i32) attributes {tag = 4 : i64}
// AGAIN: reproducer.mlir:15:1: error: function has arguments
func.func @f(%a: i32) {
  return
}
