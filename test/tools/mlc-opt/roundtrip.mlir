// RUN: %roundtrip

// CHECK: func.func @f(%[[A:.*]]: i32) -> i32
// CHECK-NEXT: arith.addi %[[A]], %[[A]] : i32
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}

// -----

// CHECK: func.func @g
func.func @g() { return }
