// RUN: mlc-opt %s --allow-unregistered-dialect --mlir-print-value-users | filecheck %s --match-full-lines
// RUN: mlc-opt %s --allow-unregistered-dialect --mlir-print-value-users --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: mlc-opt %s --allow-unregistered-dialect --mlir-print-value-users --mlir-print-debuginfo | filecheck %s --check-prefix=DEBUG
// RUN: mlc-opt %s --allow-unregistered-dialect --mlir-print-value-users | mlc-opt --allow-unregistered-dialect | filecheck %s --check-prefix=AGAIN
// RUN: mlc-opt %s --allow-unregistered-dialect --cse --mlir-print-value-users --mlir-print-ir-after=cse -o /dev/null 2>&1 | filecheck %s --check-prefix=DUMP
// RUN: mlc-opt %s --allow-unregistered-dialect --mlir-print-unique-ssa-ids | filecheck %s --check-prefix=UNIQUE
// RUN: not mlc-opt %s --mlir-print-value-users --mlir-use-nameloc-as-prefix 2>&1 | filecheck %s --check-prefix=BAD

// CHECK: #map = affine_map<(d0) -> (d0)>
// CHECK: module {
// CHECK-NEXT: func.func @f(%arg0: i32, %arg1: i32, %arg2: i32) -> i32 {
// CHECK-NEXT: // %arg0 is used by %4, %3
// CHECK-NEXT: // %arg1 is used by %4
// CHECK-NEXT: // %arg2 is unused
// CHECK-NEXT: "test.noop"() : () -> ()
// CHECK-NEXT: "test.sink"(%arg0) {loc = "text with loc(#loc1) and %0"} : (i32) -> () // id: %3
// CHECK-NEXT: %4 = arith.addi %arg0, %arg1 : i32 // users: %6, %5#0, %5#1
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32 // unused
// CHECK-NEXT: %5:2 = "test.two"(%4) ({
// CHECK-NEXT: ^bb0(%arg3: i32):
// CHECK-NEXT: // %arg3 is used by %8
// CHECK-NEXT: %8 = arith.muli %arg3, %arg3 : i32 // user: %9
// CHECK-NEXT: "test.yield"(%8) : (i32) -> () // id: %9
// CHECK-NEXT: }) : (i32) -> (i32, i32) // users: (unused), (%6)
// CHECK-NEXT: %6 = arith.addi %5#1, %4 : i32 // user: %7
// CHECK-NEXT: return %6 : i32 // id: %7
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @map({{.*}}) attributes {map = #map} {
// CHECK-NEXT: // %arg0 is unused
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NOT: {{.*}}loc{{.*}}

// GENERIC: ^bb0(%arg{{[0-9]}}: i32, %arg{{[0-9]}}: i32, %arg{{[0-9]}}: i32):
// GENERIC-NEXT: // %arg{{[0-9]}} is used by %[[ADD:[0-9]+]], %[[SINK:[0-9]+]]
// GENERIC: -> () // id: %[[SINK]]
// GENERIC-NEXT: %[[ADD]] = "arith.addi"

// DEBUG: loc({{.*}}print-value-users.mlir":58:8) // users:
// DEBUG-NOT: mlc_place

// AGAIN: %1:2 = "test.two"(%0) ({

// DUMP: func.func @f(%arg0: i32, %arg1: i32, %arg2: i32) -> i32 {
// DUMP-NEXT: // %arg0 is used by

// UNIQUE: ^bb0(%arg[[INNER:[0-9]]]: i32):
// UNIQUE-NEXT: %[[NUMBER:[0-9]+]] = arith.muli %arg[[INNER]], %arg[[INNER]] : i32
// UNIQUE-NOT: %[[NUMBER]] =
// UNIQUE-NOT: %arg[[INNER]]

// BAD: --mlir-use-nameloc-as-prefix cannot be combined with --mlir-print-value-users
#map = affine_map<(d0) -> (d0)>
func.func @f(%a: i32, %b: i32, %c: i32) -> i32 {
  "test.noop"() : () -> ()
  "test.sink"(%a) {loc = "text with loc(#loc1) and %0"} : (i32) -> ()
  %0 = arith.addi %a, %b : i32
  %one = arith.constant 1 : i32
  %1:2 = "test.two"(%0) ({
  ^bb0(%x: i32):
    %2 = arith.muli %x, %x : i32
    "test.yield"(%2) : (i32) -> ()
  }) : (i32) -> (i32, i32)
  %3 = arith.addi %1#1, %0 : i32
  return %3 : i32
}
func.func private @map(%x: i32) attributes {map = #map} { return }
