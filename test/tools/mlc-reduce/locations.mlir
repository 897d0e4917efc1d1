// RUN: mlc-reduce %S/Inputs/locations.mlir --test-command="grep -q 'loc(.here.)'" -o %t.mlir
// RUN: filecheck %s < %t.mlir

// Where the test needs locations, the generic form is reduced, which shows them.

// CHECK: "builtin.module"()
// CHECK-NOT: arith.addi
// CHECK-NOT: @g
// CHECK: loc("here")
// CHECK-NOT: arith.addi
