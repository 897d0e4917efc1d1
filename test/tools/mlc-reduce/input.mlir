// RUN: mlc-reduce %s --allow-unregistered-dialect --jobs=3 --test=%S/Inputs/holds.sh --test-arg=foo.baz -o %t.mlir
// RUN: filecheck %s < %t.mlir
// RUN: mlc-opt %s --allow-unregistered-dialect --emit-bytecode -o %t.mlirbc
// RUN: mlc-reduce %t.mlirbc --allow-unregistered-dialect --test-command="grep -q foo.baz" | filecheck %s

// CHECK: module {
// CHECK-NOT: foo.bar
// CHECK: "foo.baz"(
// CHECK-NOT: foo.bar
func.func @f(%a: i32) -> i32 {
  %0 = "foo.bar"(%a) {x = 3 : i32} : (i32) -> i32
  %1 = "foo.baz"(%0) : (i32) -> i32
  return %1 : i32
}
