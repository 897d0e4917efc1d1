// RUN: mlc-reduce %S/Inputs/split.mlir --test-command="grep -q math.sqrt" -o %t.mlir
// RUN: filecheck %s < %t.mlir

// CHECK-NOT: -----
// CHECK-NOT: math.exp
// CHECK: math.sqrt
// CHECK-NOT: math.exp
