// RUN: mlc-opt %s -p 'builtin.module(func.func(cse))' --dump-pass-pipeline 2>&1 | filecheck %s
// RUN: mlc-opt %s -p='builtin.module(func.func(cse))' --dump-pass-pipeline 2>&1 | filecheck %s

// CHECK: func.func(cse)
func.func @f() {
  return
}
