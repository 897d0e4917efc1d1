// RUN: mlc-translate --mlir-to-cpp %s | filecheck %s
// RUN: sh -c 'echo "func.func private @g() { llvm.unreachable }" | mlc-translate --mlir-to-cpp 2>&1; test $? -eq 1' | filecheck %s --check-prefix=OP

// OP: 'llvm.unreachable' op unable to find printer for op

// CHECK: static inline int32_t g(int32_t v1, int32_t v2) {
// CHECK: int32_t v3 = v1 * v2;
// CHECK: bool v5 = v3 < v4;
// CHECK: int32_t v6 = v5 ? v3 : v4;
// CHECK: int64_t v8 = (int64_t) v7;
// CHECK: void h(float* v1, uint8_t v2, float v3[2][3]) {
emitc.include <"cstdint">
emitc.func @g(%a: i32, %b: i32) -> i32 attributes {specifiers = ["static", "inline"]} {
  %0 = emitc.mul %a, %b : (i32, i32) -> i32
  %1 = "emitc.constant"() {value = 7 : i32} : () -> i32
  %2 = emitc.cmp lt, %0, %1 : (i32, i32) -> i1
  %3 = emitc.conditional %2, %0, %1 : i32
  %4 = emitc.unary_minus %3 : (i32) -> i32
  %5 = emitc.cast %4 : i32 to i64
  emitc.return %4 : i32
}
func.func @h(%p: !emitc.ptr<f32>, %q: ui8, %x: !emitc.array<2x3xf32>) {
  return
}
