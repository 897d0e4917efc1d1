// RUN: mlc-reduce %S/Inputs/unparsable.mlir --test-command="mlc-opt %%s" --expect-stderr="undeclared" -o %t.mlir
// RUN: filecheck %s < %t.mlir

// CHECK-NOT: constant
// CHECK: %missing
// CHECK-NOT: @second
