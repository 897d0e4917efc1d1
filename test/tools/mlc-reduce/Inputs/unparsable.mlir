func.func @first() -> i32 {
  %0 = arith.constant 0 : i32
  return %missing : i32
}
func.func @second() {
  return
}
