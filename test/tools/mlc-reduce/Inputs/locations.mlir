func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %a : i32 loc("here")
  %2 = arith.addi %1, %0 : i32
  %v0 = arith.addi %2, %a : i32
  %v1 = arith.addi %v0, %a : i32
  %v2 = arith.addi %v1, %a : i32
  %v3 = arith.addi %v2, %a : i32
  %v4 = arith.addi %v3, %a : i32
  %v5 = arith.addi %v4, %a : i32
  %v6 = arith.addi %v5, %a : i32
  %v7 = arith.addi %v6, %a : i32
  %v8 = arith.addi %v7, %a : i32
  %v9 = arith.addi %v8, %a : i32
  %v10 = arith.addi %v9, %a : i32
  %v11 = arith.addi %v10, %a : i32
  return %v11 : i32
}
func.func @g() {
  return
}
