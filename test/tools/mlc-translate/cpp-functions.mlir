// RUN: mlc-translate --mlir-to-cpp %s | filecheck %s
// RUN: mlc-translate --mlir-to-cpp --declare-variables-at-top %s | filecheck %s --check-prefix=TOP

// CHECK:      static inline int32_t scale(int32_t v1, int32_t v2);
emitc.declare_func @scale
// CHECK-NEXT: extern void outside(float*, int8_t[4]);
emitc.func private @outside(!emitc.ptr<f32>, !emitc.array<4xi8>) attributes {specifiers = ["extern"]}
// CHECK-NEXT: static inline int32_t scale(int32_t v1, int32_t v2) {
// CHECK-NEXT:   int32_t v3 = v1 * v2;
// CHECK-NEXT:   int32_t v4 = 7;
// CHECK-NEXT:   bool v5 = v3 < v4;
// CHECK-NEXT:   int32_t v6 = v5 ? v3 : v4;
// CHECK-NEXT:   int32_t v7 = -v6;
// CHECK-NEXT:   int64_t v8 = (int64_t) v7;
// CHECK-NEXT:   return v7;
// CHECK-NEXT: }
// TOP:      static inline int32_t scale(int32_t v1, int32_t v2) {
// TOP-NEXT:   int32_t v3;
// TOP:        int64_t v8;
// TOP-NEXT:   v3 = v1 * v2;
// TOP-NEXT:   v4 = 7;
emitc.func @scale(%a: i32, %b: i32) -> i32 attributes {specifiers = ["static", "inline"]} {
  %0 = emitc.mul %a, %b : (i32, i32) -> i32
  %1 = "emitc.constant"() {value = 7 : i32} : () -> i32
  %2 = emitc.cmp lt, %0, %1 : (i32, i32) -> i1
  %3 = emitc.conditional %2, %0, %1 : i32
  %4 = emitc.unary_minus %3 : (i32) -> i32
  %5 = emitc.cast %4 : i32 to i64
  emitc.return %4 : i32
}

// CHECK-NEXT: std::tuple<int32_t, float> two(int32_t v1) {
// CHECK-NEXT:   int32_t v2;
// CHECK-NEXT:   float v3;
// CHECK-NEXT:   std::tie(v2, v3) = two(v1);
// CHECK-NEXT:   return std::make_tuple(v2, v3);
// CHECK-NEXT: }
// TOP:      std::tuple<int32_t, float> two(int32_t v1) {
// TOP-NEXT:   int32_t v2;
// TOP-NEXT:   float v3;
// TOP-NEXT:   std::tie(v2, v3) = two(v1);
func.func @two(%a: i32) -> (i32, f32) {
  %0:2 = func.call @two(%a) : (i32) -> (i32, f32)
  return %0#0, %0#1 : i32, f32
}

// CHECK-NEXT: void calls(Machine v1, Machine* v2, int32_t v3) {
// CHECK-NEXT:   first<int32_t, 4>(v3, LIMIT, {1, 2}, v3);
// CHECK-NEXT:   int32_t v4 = v1.run(v3);
// CHECK-NEXT:   int32_t v5 = v2->run();
emitc.func @calls(%o: !emitc.opaque<"Machine">, %p: !emitc.ptr<!emitc.opaque<"Machine">>, %a: i32) {
  "emitc.call_opaque"(%a) <{
    args = [0 : index, #emitc.opaque<"LIMIT">, dense<[1, 2]> : tensor<2xi32>, 0 : index],
    callee = "first", template_args = [i32, 4 : i32]
  }> : (i32) -> ()
  %0 = emitc.member_call_opaque %o "run" (%a) : !emitc.opaque<"Machine">, (i32) -> i32
  %1 = emitc.member_call_opaque %p "run" () : !emitc.ptr<!emitc.opaque<"Machine">>, () -> i32
  emitc.return
}
