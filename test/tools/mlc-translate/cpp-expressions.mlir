// RUN: mlc-translate --mlir-to-cpp %s | filecheck %s
// RUN: mlc-translate --mlir-to-cpp --declare-variables-at-top %s | filecheck %s --check-prefix=TOP

// Only the parentheses that C++ needs.
// CHECK:      bool precedence(int32_t v1, int32_t v2) {
// CHECK-NEXT:   return -(v1 + v2) * 3 - v1 < v2 / (v1 * v2);
// TOP:        return -(v1 + v2) * 3 - v1 < v2 / (v1 * v2);
func.func @precedence(%a: i32, %b: i32) -> i1 {
  %0 = emitc.expression %a, %b : (i32, i32) -> i1 {
    %three = "emitc.constant"() <{value = 3 : i32}> : () -> i32
    %sum = emitc.add %a, %b : (i32, i32) -> i32
    %negative = emitc.unary_minus %sum : (i32) -> i32
    %left = emitc.mul %negative, %three : (i32, i32) -> i32
    %less = emitc.sub %left, %a : (i32, i32) -> i32
    %product = emitc.mul %a, %b : (i32, i32) -> i32
    %right = emitc.div %b, %product : (i32, i32) -> i32
    %test = emitc.cmp lt, %less, %right : (i32, i32) -> i1
    emitc.yield %test : i1
  }
  return %0 : i1
}

// Written twice if used twice, and not inlined then; nor where side effects would change their order.
// CHECK:      int32_t uses(int32_t v1, int32_t* v2) {
// CHECK-NEXT:   int32_t v3 = v1 ^ v1;
// CHECK-NEXT:   int32_t v4 = step(v3);
// CHECK-NEXT:   *v2 = v3;
// CHECK-NEXT:   v2[-1] = v4;
// CHECK-NEXT:   return step(*v2) + v2[-1];
emitc.func @uses(%a: i32, %p: !emitc.ptr<i32>) -> i32 {
  %back = emitc.literal "-1" : i32
  %place = emitc.dereference %p : !emitc.ptr<i32>
  %element = emitc.subscript %p[%back] : (!emitc.ptr<i32>, i32) -> !emitc.lvalue<i32>
  %0 = emitc.expression %a : (i32) -> i32 {
    %2 = emitc.bitwise_xor %a, %a : (i32, i32) -> i32
    emitc.yield %2 : i32
  }
  %1 = emitc.expression %0 : (i32) -> i32 {
    %2 = emitc.call_opaque "step"(%0) : (i32) -> i32
    emitc.yield %2 : i32
  }
  emitc.assign %0 : i32 to %place : !emitc.lvalue<i32>
  emitc.assign %1 : i32 to %element : !emitc.lvalue<i32>
  %3 = emitc.expression %place, %element : (!emitc.lvalue<i32>, !emitc.lvalue<i32>) -> i32 {
    %4 = emitc.load %place : !emitc.lvalue<i32>
    %5 = emitc.call_opaque "step"(%4) : (i32) -> i32
    %6 = emitc.load %element : !emitc.lvalue<i32>
    %7 = emitc.add %5, %6 : (i32, i32) -> i32
    emitc.yield %7 : i32
  }
  emitc.return %3 : i32
}

// CHECK:      int32_t kept(int32_t v1) {
// CHECK-NEXT:   int32_t v2 = ~v1;
// CHECK-NEXT:   return v2;
func.func @kept(%a: i32) -> i32 {
  %0 = emitc.expression %a noinline : (i32) -> i32 {
    %1 = emitc.bitwise_not %a : (i32) -> i32
    emitc.yield %1 : i32
  }
  return %0 : i32
}
