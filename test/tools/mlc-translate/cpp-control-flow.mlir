// RUN: mlc-translate --mlir-to-cpp %s | filecheck %s

// CHECK:      void loops(size_t v1, bool v2) {
// CHECK-NEXT:   size_t v3 = 0;
// CHECK-NEXT:   for (size_t i4 = v3; i4 < (v1 * v1); i4 += 1) {
// CHECK-NEXT:     for (size_t j5 = v3; j5 < i4; j5 += 1) {
// CHECK-NEXT:       if (v2) {
// CHECK-NEXT:         use(i4, j5);
// CHECK-NEXT:       } else {
// CHECK-NEXT:         break;
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   do {
// CHECK-NEXT:     // {v1}
// CHECK-NEXT:     work();
// CHECK-NEXT:   } while (v1 == v1);
// CHECK-NEXT:   return;
// CHECK-NEXT: }
func.func @loops(%n: index, %c: i1) {
  %zero = "emitc.constant"() <{value = 0 : index}> : () -> index
  %one = emitc.literal "1" : index
  %end = emitc.expression %n : (index) -> index {
    %0 = emitc.mul %n, %n : (index, index) -> index
    emitc.yield %0 : index
  }
  emitc.for %i = %zero to %end step %one {
    emitc.for %j = %zero to %i step %one {
      emitc.if %c {
        emitc.call_opaque "use"(%i, %j) : (index, index) -> ()
      } else {
        emitc.verbatim "break;"
      }
    }
  }
  emitc.do {
    emitc.verbatim "// {{{}}\nwork();" args %n : index
  } while {
    %0 = emitc.expression %n : (index) -> i1 {
      %1 = emitc.cmp eq, %n, %n : (index, index) -> i1
      emitc.yield %1 : i1
    }
    emitc.yield %0 : i1
  }
  return
}

// CHECK:      void cases(int32_t v1) {
// CHECK-NEXT:   switch (v1) {
// CHECK-NEXT:   case 2: {
// CHECK-NEXT:     two();
// CHECK-NEXT:     break;
// CHECK-NEXT:   }
// CHECK-NEXT:   case -5: {
// CHECK-NEXT:     break;
// CHECK-NEXT:   }
// CHECK-NEXT:   default: {
// CHECK-NEXT:     break;
// CHECK-NEXT:   }
// CHECK-NEXT:   }
// CHECK-NEXT:   return;
func.func @cases(%a: i32) {
  emitc.switch %a : i32
  case 2 {
    emitc.call_opaque "two"() : () -> ()
    emitc.yield
  }
  case -5 {
    emitc.yield
  }
  default {
    emitc.yield
  }
  return
}
