// RUN: mlc-reduce %s --test=%S/Inputs/offending.sh -o %t.mlir 2>%t.err
// RUN: filecheck %s < %t.mlir
// RUN: filecheck %s --check-prefix=SIZE < %t.err

// The functions, the loop, the other ops and the large shape go; one op with its operands stays.

// SIZE: mlc-reduce: {{[0-9]+}} ops -> {{[0-9]+}} ops, {{[0-9]+}} tests
// SIZE: mlc-reduce: {{[0-9]+}} ops, {{[0-9]+}} bytes -> {{[3-5]}} ops, {{[0-9]+}} bytes; {{[0-9]+}} tests

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
  %4 = arith.addi %3, %a : i32
  %5 = arith.addi %4, %a : i32
  %6 = arith.addi %5, %a : i32
  %7 = arith.addi %6, %a : i32
  %8 = arith.addi %7, %a : i32
  %9 = arith.addi %8, %a : i32
  %10 = arith.addi %9, %a : i32
  %11 = arith.addi %10, %a : i32
  %12 = arith.addi %11, %a : i32
  %13 = arith.addi %12, %a : i32
  %14 = arith.addi %13, %a : i32
  return %14 : i32
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
    %6 = arith.addi %5, %b : i32
    %7 = arith.muli %6, %b : i32
    %8 = arith.addi %7, %b : i32
    %9 = arith.muli %8, %b : i32
    %10 = arith.addi %9, %b : i32
    %11 = arith.muli %10, %b : i32
    %quotient = arith.divsi %11, %b : i32
    %after = arith.addi %quotient, %b : i32
    scf.yield %after : i32
  }
  %result = arith.addi %sum, %a : i32
  return %result : i32
}
