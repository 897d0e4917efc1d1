// What is printed and what the reproducer says runs as it stands, with the plugins and the reading that the failure had.
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --irdl-file=%S/Inputs/cmath.irdl.mlir --allow-unregistered-dialect --no-implicit-module --test-segfault \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.mlir 2> %t.err
// RUN: filecheck %s --input-file=%t.err --check-prefix=CRASH
// RUN: filecheck %s --input-file=%t.mlir --check-prefix=FILE
// RUN: not sh -c "$(sed -n 's/.*rerun with //p' %t.err)" 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --irdl-file=%S/Inputs/cmath.irdl.mlir --allow-unregistered-dialect --no-implicit-module --test-fail \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.fail.mlir 2> %t.fail.err
// RUN: filecheck %s --input-file=%t.fail.mlir --check-prefix=FILE
// RUN: not sh -c "$(sed -n 's/.*rerun with //p' %t.fail.err)" 2>&1 | filecheck %s --check-prefix=FAILS
// RUN: not mlc-opt --run-reproducer %t.mlir --canonicalize 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not mlc-opt --run-reproducer %t.mlir --pass-pipeline="builtin.module(cse)" 2>&1 | filecheck %s --check-prefix=PIPELINE

// CRASH: mlc-opt: reproducer written to {{.*}}; rerun with mlc-opt --run-reproducer
// CRASH-SAME: {{.*}}.mlir --load-plugin={{.*}}plugin.py --irdl-file={{.*}}cmath.irdl.mlir --allow-unregistered-dialect --no-implicit-module
// FILE: // Run with: mlc-opt --run-reproducer %s --load-plugin={{.*}}plugin.py --irdl-file={{.*}}cmath.irdl.mlir --allow-unregistered-dialect --no-implicit-module
// FILE: pipeline: "func.func(test-{{segfault|fail}})"
// AGAIN: error: pass 'test-segfault' on 'func.func' operation: @f crashed (SIGSEGV)
// FAILS: mlc-opt: error: pass 'test-fail' failed on 'func.func' operation: @f
// PASS: mlc-opt: error: --run-reproducer runs the pipeline of the file, and cannot be combined with --canonicalize
// PIPELINE: mlc-opt: error: --run-reproducer runs the pipeline of the file, and cannot be combined with --pass-pipeline
func.func @f(%a: !cmath.complex<f32>) {
  "unknown.op"() : () -> ()
  return
}
