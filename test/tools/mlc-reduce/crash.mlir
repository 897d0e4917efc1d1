// RUN: not mlc-opt %s --load-plugin=%S/../mlc-opt/Inputs/plugin.py --cse --test-segfault --test-tag --mlir-pass-pipeline-crash-reproducer=%t.mlir
// RUN: mlc-reduce %t.mlir --test-command="mlc-opt --load-plugin=%S/../mlc-opt/Inputs/plugin.py --run-reproducer %%s" --expect-stderr="crashed" -o %t.small.mlir
// RUN: filecheck %s < %t.small.mlir

// From a crash of mlc-opt to the smallest IR and pipeline that crash; the pass needs a function.

// CHECK: module {
// CHECK-NEXT: func.func private @g()
// CHECK-NEXT: }
// CHECK: pipeline: "builtin.module(test-segfault)"
func.func @g(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
