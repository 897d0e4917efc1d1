func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %a : i32 loc("here")
  %2 = arith.addi %1, %0 : i32
  return %2 : i32
}
func.func @g() {
  return
}
