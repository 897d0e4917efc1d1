// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag=value=4 --test-fail --mlir-pass-pipeline-local-reproducer --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | filecheck %s
// RUN: filecheck %s --input-file=%t.mlir --check-prefix=FILE
// RUN: mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag --mlir-pass-pipeline-local-reproducer --mlir-pass-pipeline-crash-reproducer=%t.none.mlir
// RUN: not test -e %t.none.mlir
// RUN: touch %t.mine && mlc-opt %s --cse --mlir-pass-pipeline-local-reproducer --mlir-pass-pipeline-crash-reproducer=%t.mine && test -e %t.mine
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag=value=4 --test-segfault --mlir-pass-pipeline-local-reproducer --mlir-pass-pipeline-crash-reproducer=%t.crash.mlir
// RUN: filecheck %s --input-file=%t.crash.mlir --check-prefix=CRASH
// RUN: mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag --mlir-generate-reproducer=%t.made.mlir -o /dev/null
// RUN: filecheck %s --input-file=%t.made.mlir --check-prefix=MADE
// RUN: not mlc-opt %s --cse --mlir-generate-reproducer=/nowhere/made.mlir 2>&1 | filecheck %s --check-prefix=NOWHERE

// CHECK: error: pass 'test-fail' failed on 'func.func' operation: @f
// CHECK: mlc-opt: reproducer written to

// The IR is that before the pass that failed, and the pipeline holds only this.
// FILE: tag = 4
// FILE: pipeline: "builtin.module(func.func(test-fail))"

// CRASH: tag = 4
// CRASH: pipeline: "builtin.module(func.func(test-segfault))"

// MADE-NOT: tag =
// MADE: pipeline: "builtin.module(test-tag)"
// NOWHERE: mlc-opt: error: /nowhere/made.mlir: No such file or directory
func.func @f(%a: i32) {
  return
}
