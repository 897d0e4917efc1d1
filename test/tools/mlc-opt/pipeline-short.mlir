// RUN: mlc-opt %s -p 'builtin.module(func.func(cse))' --dump-pass-pipeline 2>&1 | filecheck %s
// RUN: mlc-opt %s -p='builtin.module(func.func(cse))' --dump-pass-pipeline 2>&1 | filecheck %s

// CHECK: func.func(
func.func @f() {
  return
}
