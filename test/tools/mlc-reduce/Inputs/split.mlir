func.func @f(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  return %0 : f32
}
// -----
func.func @g(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = math.sqrt %0 : f32
  return %1 : f32
}
