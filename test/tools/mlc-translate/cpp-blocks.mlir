// RUN: mlc-translate --mlir-to-cpp --declare-variables-at-top %s | filecheck %s --match-full-lines

// CHECK:      int32_t branches(int32_t v1, bool v2) {
// CHECK-NEXT:   int32_t v3;
// CHECK-NEXT:   int32_t v4;
// CHECK-NEXT:   int32_t v5;
// CHECK-NEXT:   if (v2) {
// CHECK-NEXT:     v4 = LIMIT;
// CHECK-NEXT:     goto label2;
// CHECK-NEXT:   } else {
// CHECK-NEXT:     v5 = v1 + v1;
// CHECK-NEXT:     goto label3;
// CHECK-NEXT:   }
// CHECK-NEXT: label2:
// CHECK-NEXT:   v3 = v4 - v1;
// CHECK-NEXT:   v5 = v3;
// CHECK-NEXT:   goto label3;
// CHECK-NEXT: label3:
// CHECK-NEXT:   return v5;
// CHECK-NEXT: }
func.func @branches(%a: i32, %c: i1) -> i32 {
  %limit = emitc.literal "LIMIT" : i32
  %twice = emitc.expression %a : (i32) -> i32 {
    %0 = emitc.add %a, %a : (i32, i32) -> i32
    emitc.yield %0 : i32
  }
  cf.cond_br %c, ^less(%limit : i32), ^end(%twice : i32)
^less(%x: i32):
  %less = emitc.sub %x, %a : (i32, i32) -> i32
  cf.br ^end(%less : i32)
^end(%result: i32):
  return %result : i32
}
