// RUN: mlc-translate --mlir-to-cpp %s | filecheck %s
// RUN: mlc-translate --mlir-to-cpp --declare-variables-at-top %s | filecheck %s --check-prefix=TOP

emitc.global const @table : !emitc.array<2xi16> = dense<2>
emitc.global @counter : i32 = 4

// CHECK:      void variables(int32_t v1) {
// CHECK-NEXT:   int32_t v2;
// CHECK-NEXT:   int32_t* v3 = NULL;
// CHECK-NEXT:   float v4[3][7];
// CHECK-NEXT:   v2 = v1;
// CHECK-NEXT:   v2 += v1;
// CHECK-NEXT:   int32_t v5 = v2++;
// CHECK-NEXT:   int32_t v6 = --v2;
// CHECK-NEXT:   counter = v1;
// TOP:        int32_t* v3;
// TOP:        v3 = NULL;
// TOP-NEXT:   ;
// TOP-NEXT:   v2 = v1;
func.func @variables(%a: i32) {
  %0 = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.lvalue<i32>
  %1 = "emitc.variable"() <{value = #emitc.opaque<"NULL">}> : () -> !emitc.lvalue<!emitc.ptr<i32>>
  %2 = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.array<3x7xf32>
  emitc.assign %a : i32 to %0 : !emitc.lvalue<i32>
  emitc.add_assign %a : i32 to %0 : !emitc.lvalue<i32>
  %3 = emitc.post_increment %0 : !emitc.lvalue<i32>
  %4 = emitc.pre_decrement %0 : !emitc.lvalue<i32>
  %5 = emitc.get_global @counter : !emitc.lvalue<i32>
  emitc.assign %a : i32 to %5 : !emitc.lvalue<i32>
  return
}

// CHECK:      void members(Pair* v1, Pair v2, size_t v3) {
// CHECK-NEXT:   int32_t v4 = ((*v1).items)[v3];
// CHECK-NEXT:   Pair* v5;
// CHECK-NEXT:   v5 = v1;
// CHECK-NEXT:   int32_t* v6 = &v5->first;
// CHECK-NEXT:   int32_t v7 = v2.first;
// CHECK-NEXT:   int16_t* v8 = (int16_t*)(&table[v3]);
func.func @members(%p: !emitc.ptr<!emitc.opaque<"Pair">>, %o: !emitc.opaque<"Pair">, %i: index) {
  %0 = emitc.dereference %p : !emitc.ptr<!emitc.opaque<"Pair">>
  %1 = "emitc.member"(%0) <{member = "items"}> : (!emitc.lvalue<!emitc.opaque<"Pair">>) -> !emitc.array<2xi32>
  %2 = emitc.subscript %1[%i] : (!emitc.array<2xi32>, index) -> !emitc.lvalue<i32>
  %3 = emitc.load %2 : !emitc.lvalue<i32>
  %4 = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.lvalue<!emitc.ptr<!emitc.opaque<"Pair">>>
  emitc.assign %p : !emitc.ptr<!emitc.opaque<"Pair">> to %4 : !emitc.lvalue<!emitc.ptr<!emitc.opaque<"Pair">>>
  %5 = "emitc.member_of_ptr"(%4) <{member = "first"}> : (!emitc.lvalue<!emitc.ptr<!emitc.opaque<"Pair">>>) -> !emitc.lvalue<i32>
  %6 = emitc.address_of %5 : !emitc.lvalue<i32>
  %7 = "emitc.member"(%o) <{member = "first"}> : (!emitc.opaque<"Pair">) -> i32
  %8 = emitc.get_global @table : !emitc.array<2xi16>
  %9 = emitc.subscript %8[%i] : (!emitc.array<2xi16>, index) -> !emitc.lvalue<i16>
  %10 = emitc.address_of %9 : !emitc.lvalue<i16>
  return
}
