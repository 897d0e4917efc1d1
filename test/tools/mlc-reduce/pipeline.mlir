// RUN: mlc-reduce %s --test-command="mlc-opt --run-reproducer %%s" --expect-stderr="no-such-pass" -o %t.mlir
// RUN: filecheck %s < %t.mlir

// CHECK-NOT: func.func
// CHECK: pipeline: "builtin.module(func.func(no-such-pass))"
func.func @f() {
  return
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(cse,func.func(canonicalize,no-such-pass),symbol-dce)",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
