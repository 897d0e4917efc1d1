// Whatever ends the process in a pass or a plugin is an error that names it, also where help is asked for.
// RUN: env MLC_TEST_LEAVES=pass:exit not mlc-opt %s --load-plugin=%S/Inputs/leaves.py --test-leave 2>&1 | filecheck %s --check-prefix=PASS
// RUN: env MLC_TEST_LEAVES=pass:exit not mlc-opt %s --load-plugin=%S/Inputs/leaves.py --test-leave --mlc-isolate=false 2>&1 | filecheck %s --check-prefix=PASS
// RUN: env MLC_TEST_LEAVES=top:exit not mlc-opt %s --load-plugin=%S/Inputs/leaves.py --mlc-isolate=false 2>&1 | filecheck %s --check-prefix=EXIT
// RUN: env MLC_TEST_LEAVES=top:exit not mlc-opt --load-plugin=%S/Inputs/leaves.py --list-passes 2>&1 | filecheck %s --check-prefix=EXIT
// RUN: env MLC_TEST_LEAVES=register:exit not mlc-opt --load-plugin=%S/Inputs/leaves.py --help 2>&1 | filecheck %s --check-prefix=EXIT
// RUN: env MLC_TEST_LEAVES=register:_exit not mlc-opt --load-plugin=%S/Inputs/leaves.py --help 2>&1 | filecheck %s --check-prefix=LEFT
// RUN: env MLC_TEST_LEAVES=top:abort not mlc-opt --load-plugin=%S/Inputs/leaves.py --list-passes 2>&1 | filecheck %s --check-prefix=ABORT
// RUN: env MLC_TEST_LEAVES=top:abort not mlc-opt %s --load-plugin=%S/Inputs/leaves.py 2>&1 | filecheck %s --check-prefix=ABORT

// PASS: leaving.mlir:{{[0-9]+}}:1: error: pass 'test-leave' raised SystemExit: 3
// PASS: mlc-opt: error: pass 'test-leave' failed on 'func.func' operation: @f
// EXIT: mlc-opt: error: cannot load plugin '{{.*}}leaves.py': it raised SystemExit: 3
// LEFT: mlc-opt: error: loading plugin '{{.*}}leaves.py' ended the process with status 0
// ABORT: mlc-opt: error: loading plugin '{{.*}}leaves.py' crashed (SIGABRT)
func.func @f() { return }
