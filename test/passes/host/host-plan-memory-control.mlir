// RUN: mlc-opt %s --split-input-file --host-plan-memory --cse | filecheck %s
// RUN: mlc-opt %s --split-input-file --host-plan-memory --host-entry | filecheck %s --check-prefix=ENTRY

#launch_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#yield_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Both branches write their result, of which the size is known before, to the same buffer of the arena. What one of them
// needs is allocated in it, since it may not run.
// CHECK-LABEL: func.func @main
// CHECK: %[[ARENA:.*]] = memref.alloc(%{{.*}}) : memref<?xi8>
// CHECK: %[[RESULT:.*]] = memref.view %[[ARENA]]
// CHECK: scf.if
// CHECK: %[[OWN:.*]] = memref.alloc(%[[N:.*]]) {tloop.caller = "apart"} : memref<?x8xf32>
// CHECK-NEXT: "tloop.launch_into"(%arg1, %[[OWN]], %[[N]])
// CHECK-NEXT: "tloop.launch_into"(%[[OWN]], %[[RESULT]], %[[N]])
// CHECK-NEXT: memref.dealloc %[[OWN]]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.copy %arg1, %[[RESULT]]
// CHECK-NEXT: }
// CHECK: "tloop.launch_into"(%[[RESULT]], %{{.*}}, %[[N]])
// CHECK-NEXT: memref.dealloc %[[ARENA]]
func.func private @apart(%a: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {tloop.kernel} {
  return %a : tensor<?x8xf32>
}
func.func @main(%c: tensor<i1>, %x: tensor<?x8xf32> {graph.dims = ["n", ""]}) -> tensor<?x8xf32> {
  %0 = "graph.if"(%c) ({
    %1 = "tloop.launch"(%x) {graph.dims = [["n", ""]], kernel = @apart, tloop.dims = ["n"],
        operandSegmentSizes = #launch_1, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %2 = "tloop.launch"(%1) {graph.dims = [["n", ""]], kernel = @apart, tloop.dims = ["n"],
        operandSegmentSizes = #launch_1, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    "graph.yield"(%2) {operandSegmentSizes = #yield_1} : (tensor<?x8xf32>) -> ()
  }, {
    "graph.yield"(%x) {operandSegmentSizes = #yield_1} : (tensor<?x8xf32>) -> ()
  }) {graph.dims = [["n", ""]], resultSegmentSizes = #yield_1} : (tensor<i1>) -> tensor<?x8xf32>
  %3 = "tloop.launch"(%0) {graph.dims = [["n", ""]], kernel = @apart, tloop.dims = ["n"],
      operandSegmentSizes = #launch_1, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %3 : tensor<?x8xf32>
}

// -----

#launch_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#yield_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#yield_2 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// If branches differ in the size of their result, one gives away the memory of its value, the other one a copy.
// CHECK-LABEL: func.func @main
// CHECK: %[[BOTH:.*]] = scf.if %{{.*}} -> (memref<?x8xf32>) {
// CHECK: %[[THEN:.*]] = memref.alloc(%[[N:.*]]) {tloop.caller = "apart"} : memref<?x8xf32>
// CHECK-NEXT: "tloop.launch_into"(%arg1, %[[THEN]], %[[N]])
// CHECK-NOT: memref.copy %[[THEN]]
// CHECK: scf.yield %[[THEN]]
// CHECK: } else {
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<2x8xf32>
// CHECK: memref.copy %arg2, %[[COPY]]
// CHECK: %[[CAST:.*]] = memref.cast %[[COPY]] : memref<2x8xf32> to memref<?x8xf32>
// CHECK: scf.yield %[[CAST]]
// CHECK: %[[K:.*]] = arith.index_cast
// CHECK: "tloop.launch_into"(%[[BOTH]], %{{.*}}, %[[K]])
// CHECK-NEXT: memref.dealloc %[[BOTH]]
func.func private @apart(%a: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {tloop.kernel} {
  return %a : tensor<?x8xf32>
}
func.func @main(%c: tensor<i1>, %x: tensor<?x8xf32> {graph.dims = ["n", ""]}, %y: tensor<2x8xf32>) -> tensor<?x8xf32> {
  %0:2 = "graph.if"(%c) ({
    %1 = "tloop.launch"(%x) {graph.dims = [["n", ""]], kernel = @apart, tloop.dims = ["n"],
        operandSegmentSizes = #launch_1, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %2 = "tloop.size_values"() {dims = ["n"]} : () -> tensor<1xi64>
    "graph.yield"(%1, %2) {operandSegmentSizes = #yield_2} : (tensor<?x8xf32>, tensor<1xi64>) -> ()
  }, {
    %1 = "tloop.size_values"() {dims = ["2"]} : () -> tensor<1xi64>
    "graph.yield"(%y, %1) {operandSegmentSizes = #yield_2} : (tensor<2x8xf32>, tensor<1xi64>) -> ()
  }) {graph.dims = [["k", ""], [""]], resultSegmentSizes = #yield_2} : (tensor<i1>) -> (tensor<?x8xf32>, tensor<1xi64>)
  "tloop.read_sizes"(%0#1) {names = ["k"]} : (tensor<1xi64>) -> ()
  %3 = "tloop.launch"(%0#0) {graph.dims = [["k", ""]], kernel = @apart, tloop.dims = ["k"],
      operandSegmentSizes = #launch_1, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %3 : tensor<?x8xf32>
}

// -----

#launch_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#yield_2 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#loop_2 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#results_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// The rows of a stack, of a dynamic count, are copied there, unless there are none. Memory of the body is in the arena.
// CHECK-LABEL: func.func @main
// CHECK: %[[ARENA:.*]] = memref.alloc(%{{.*}}) : memref<?xi8>
// CHECK: %[[STACK:.*]] = memref.alloc(%[[M:.*]], %[[N:.*]]) {tloop.caller = "loop", tloop.output = 0 : i64} : memref<?x?x8xf32>
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[ROW:.*]] = memref.view %[[ARENA]]
// CHECK-NEXT: "tloop.launch_into"(%arg1, %[[ROW]], %[[N]])
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[M]], %{{.*}} : index
// CHECK-NEXT: scf.if %[[SOME]] {
// CHECK: %[[LAST:.*]] = arith.addi %[[M]], %{{.*}} : index
// CHECK: arith.minui %[[I]], %[[LAST]]
// CHECK: %[[TARGET:.*]] = memref.reinterpret_cast %[[STACK]] to offset: [%{{.*}}], sizes: [%[[N]], 8], strides: [8, 1]
// CHECK-NEXT: memref.copy %[[ROW]], %[[TARGET]]
// ENTRY: llvm.func @mlc_main
// ENTRY: scf.for
// ENTRY: scf.if
// ENTRY: llvm.intr.memcpy
func.func private @apart(%a: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {tloop.kernel} {
  return %a : tensor<?x8xf32>
}
func.func @main(%m: tensor<i64>, %x: tensor<?x8xf32> {graph.dims = ["n", ""]}, %rows: tensor<?xf32> {graph.dims = ["m"]}) -> tensor<?x?x8xf32> {
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.loop"(%m, %t) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>):
    %1 = "tloop.launch"(%x) {graph.dims = [["n", ""]], kernel = @apart, tloop.dims = ["n"],
        operandSegmentSizes = #launch_1, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    "graph.yield"(%go, %1) {operandSegmentSizes = #yield_2} : (tensor<i1>, tensor<?x8xf32>) -> ()
  }) {graph.dims = [["m", "n", ""]], operandSegmentSizes = #loop_2, resultSegmentSizes = #results_1} : (tensor<i64>, tensor<i1>) -> tensor<?x?x8xf32>
  return %0 : tensor<?x?x8xf32>
}
