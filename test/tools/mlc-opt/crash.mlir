// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag --test-segfault --mlir-pass-pipeline-crash-reproducer=%t.mlir -o %t.out 2>&1 | filecheck %s --check-prefix=SIGNAL
// RUN: filecheck %s --input-file=%t.mlir --check-prefix=FILE
// RUN: not test -e %t.out
// RUN: not mlc-opt --load-plugin=%S/Inputs/plugin.py --run-reproducer %t.mlir 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-hang --mlc-step-timeout=2 --mlir-pass-pipeline-crash-reproducer=%t.hang.mlir 2>&1 | filecheck %s --check-prefix=HANG
// RUN: grep -q test-hang %t.hang.mlir
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-leave --mlir-pass-pipeline-crash-reproducer=%t.leave.mlir 2>&1 | filecheck %s --check-prefix=LEAVE
// RUN: env TMPDIR=%T not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-segfault 2>&1 | filecheck %s --check-prefix=NAMELESS
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-tag --test-segfault --mlir-pass-pipeline-local-reproducer --mlir-pass-pipeline-crash-reproducer=%t.local.mlir \
// RUN:   2>&1 \
// RUN:   | filecheck %s --check-prefix=SIGNAL
// RUN: not mlc-opt %s --mlc-step-timeout=soon 2>&1 | filecheck %s --check-prefix=USAGE

// SIGNAL: crash.mlir:{{[0-9]+}}:1: error: pass 'test-segfault' on 'func.func' operation: @f crashed (SIGSEGV)
// SIGNAL-NEXT: mlc-opt: reproducer written to

// The file is the user's own text; the pipeline is the whole one.
// FILE: {{^}}func.func @f() {
// FILE: mlir_reproducer: {
// FILE: pipeline: "builtin.module(test-tag,test-segfault)"

// AGAIN: error: pass 'test-segfault' on 'func.func' operation: @f crashed (SIGSEGV)
// AGAIN-NOT: reproducer written
// HANG: crash.mlir:0:0: error: pass 'test-hang' on 'builtin.module' operation did not end within 2 s and was stopped
// LEAVE: error: pass 'test-leave' on 'builtin.module' operation ended the process with status 0
// NAMELESS: mlc-opt: reproducer written to {{.*}}mlc-opt-crash-{{.*}}.mlir; rerun with mlc-opt --run-reproducer
// USAGE: mlc-opt: error: --mlc-step-timeout needs a number of seconds, not 'soon'



func.func @f() {
  return
}
