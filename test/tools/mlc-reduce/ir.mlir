// RUN: mlc-reduce %s --test=%S/Inputs/offending.sh -o %t.mlir 2>%t.err
// RUN: filecheck %s < %t.mlir
// RUN: filecheck %s --check-prefix=SIZE < %t.err

// The functions, the loop, the other ops and the large shape go; one op with its operands stays.

// SIZE: mlc-reduce: 21 ops, {{[0-9]+}} bytes -> {{[0-9]+}} ops, {{[0-9]+}} bytes, {{[0-9]+}} tests
// SIZE: mlc-reduce: 21 ops, {{[0-9]+}} bytes -> {{[3-5]}} ops, {{[0-9]+}} bytes; {{[0-9]+}} tests

// CHECK-NOT: addi
// CHECK-NOT: scf.for
// CHECK-NOT: @other
// CHECK: arith.divsi
// CHECK-NOT: muli
// CHECK-NOT: note
func.func @other(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %0, %a : i32
  %2 = arith.addi %1, %a : i32
  %3 = arith.addi %2, %a : i32
  return %3 : i32
}
func.func @main(%a: i32, %b: i32, %n: index) -> i32 attributes {note = "text"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %a) -> (i32) {
    %0 = arith.addi %s, %b : i32
    %1 = arith.muli %0, %b : i32
    %2 = arith.addi %1, %b : i32
    %3 = arith.muli %2, %b : i32
    %4 = arith.addi %3, %b : i32
    %5 = arith.muli %4, %b : i32
    %quotient = arith.divsi %5, %b : i32
    %after = arith.addi %quotient, %b : i32
    scf.yield %after : i32
  }
  %result = arith.addi %sum, %a : i32
  return %result : i32
}
