// RUN: mlc-translate --mlir-to-cpp --file-id=one %s | filecheck %s --match-full-lines
// RUN: mlc-translate --mlir-to-cpp --file-id two %s | filecheck %s --check-prefix=TWO
// RUN: mlc-translate --mlir-to-cpp %s | filecheck %s --check-prefix=NONE

// CHECK:      #include <vector>
// CHECK-NEXT: #include "own.h"
// NONE:       #include <vector>
emitc.include <"vector">
emitc.include "own.h"

// CHECK-NEXT: class Model final {
// CHECK-NEXT:  public:
// CHECK-NEXT:   float weights[2] = {0.0e+00f, 0.0e+00f};
// CHECK-NEXT:   int32_t size;
// CHECK-NEXT:   int32_t twice() {
// CHECK-NEXT:     return size + size;
// CHECK-NEXT:   }
// CHECK-NEXT: };
emitc.class final @Model {
  emitc.field @weights : !emitc.array<2xf32> = dense<0.0>
  emitc.field @size : i32
  emitc.func @twice() -> i32 {
    %0 = emitc.get_field @size : i32
    %1 = emitc.expression %0 : (i32) -> i32 {
      %2 = emitc.add %0, %0 : (i32, i32) -> i32
      emitc.yield %2 : i32
    }
    emitc.return %1 : i32
  }
}

// CHECK-NEXT: struct Pair {
// CHECK-NEXT:   int32_t left;
// CHECK-NEXT: };
emitc.class struct @Pair {
  emitc.field @left : i32
}

// CHECK-NEXT: void first() {
// CHECK-NEXT:   return;
// CHECK-NEXT: }
// CHECK-NOT: second
// NONE-NOT: void {{first|second}}
// TWO-NOT: first
emitc.file "one" {
  emitc.func @first() {
    emitc.return
  }
}

// TWO: void second() {
emitc.file "two" {
  emitc.func @second() {
    emitc.return
  }
}
