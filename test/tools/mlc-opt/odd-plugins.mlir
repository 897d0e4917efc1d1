// RUN: env MLC_TEST_ODD=class not mlc-opt %s --load-plugin=%S/Inputs/odd.py 2>&1 | filecheck %s --check-prefix=CLASS
// RUN: env MLC_TEST_ODD=object not mlc-opt --list-passes --load-plugin=%S/Inputs/odd.py 2>&1 | filecheck %s --check-prefix=OBJECT
// RUN: env MLC_TEST_ODD=upstream not mlc-opt %s --load-plugin=%S/Inputs/odd.py --cse 2>&1 | filecheck %s --check-prefix=UPSTREAM
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/odd.py --test-erase-function 2>&1 | filecheck %s --check-prefix=FUNCTION
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/odd.py --test-erase-module --verify-each=false 2>&1 | filecheck %s --check-prefix=MODULE
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/odd.py --test-erase-module --mlir-print-ir-after-all 2>&1 | filecheck %s --check-prefix=MODULE

// CLASS: mlc-opt: error: plugin '{{.*}}odd.py': 'test-odd' is no pass: <class 'mlc_plugin_odd.NoPass'> does not derive from Pass
// OBJECT: mlc-opt: error: plugin '{{.*}}odd.py': 'test-odd' is no pass: 3 does not derive from Pass
// UPSTREAM: mlc-opt: error: plugin '{{.*}}odd.py': 'cse' is a pass of upstream MLIR; give yours another name
// FUNCTION: odd-plugins.mlir:{{[0-9]+}}:1: error: pass 'test-erase-function' erased the op that it runs on
// FUNCTION: mlc-opt: error: pass 'test-erase-function' failed on 'func.func' operation: @f
// MODULE: error: pass 'test-erase-module' erased the op that it runs on
// MODULE: mlc-opt: error: pass 'test-erase-module' failed on 'builtin.module' operation
// MODULE-NOT: crashed
func.func @f() { return }
