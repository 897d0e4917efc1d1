// RUN: mlc-opt %s --host-plan-memory | filecheck %s
// RUN: mlc-opt %s --host-plan-memory --host-entry | filecheck %s --check-prefix=ENTRY

#launch_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#yield_2 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#loop_3 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#results_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A value of an iteration that is computed in place, over a value of another shape, is carried on in that memory.
// CHECK-LABEL: func.func @main
// CHECK: scf.while
// CHECK: %[[WIDE:.*]] = memref.alloc(%[[N:.*]]) {tloop.caller = "widen 'widen'"} : memref<?x1x8xf32>
// CHECK: "tloop.launch_into"(%{{.*}}, %[[WIDE]], %[[N]]) {kernel = @widen
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[WIDE]] to offset: [0], sizes: [%[[N]], 8], strides: [8, 1]
// CHECK: %[[OVER:.*]] = memref.reinterpret_cast %[[WIDE]] to offset: [0], sizes: [%[[N]], 8], strides: [8, 1]
// CHECK: "tloop.launch_into"(%[[FLAT]], %[[OVER]], %[[N]]) {kernel = @next
// CHECK-NOT: memref.copy
// CHECK: %[[LEFT:.*]] = memref.reinterpret_cast %[[WIDE]] to offset: [0], sizes: [%[[N]], 8], strides: [8, 1]
// CHECK: %[[CARRIED:.*]] = memref.cast %[[LEFT]] : memref<?x8xf32, strided<[8, 1]>> to memref<?x8xf32>
// CHECK-NOT: memref.dealloc %[[WIDE]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[CARRIED]] : index, i1, memref<?x8xf32>
// ENTRY: llvm.func @mlc_main
// ENTRY: llvm.call @next
func.func private @widen(%a: tensor<?x8xf32>) -> tensor<?x1x8xf32> attributes {tloop.kernel} {
  %0 = "graph.reshape"(%a) {shape = array<i64: -1, 1, 8>} : (tensor<?x8xf32>) -> tensor<?x1x8xf32>
  return %0 : tensor<?x1x8xf32>
}
func.func private @next(%a: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {tloop.in_place = array<i64: 0>, tloop.kernel} {
  return %a : tensor<?x8xf32>
}
func.func @main(%x: tensor<?x8xf32> {graph.dims = ["n", ""]}) -> tensor<?x8xf32> {
  %n = "graph.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %1 = "graph.loop"(%n, %t, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<?x8xf32>):
    %2 = "tloop.launch"(%s) {graph.dims = [["n", "", ""]], kernel = @widen, tloop.dims = ["n"], operandSegmentSizes = #launch_1,
        resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x1x8xf32> loc("widen")
    %3 = "graph.reshape"(%2) {graph.dims = [["n", ""]], shape = array<i64: -1, 8>} : (tensor<?x1x8xf32>) -> tensor<?x8xf32>
    %4 = "tloop.launch"(%3) {graph.dims = [["n", ""]], kernel = @next, tloop.dims = ["n"], operandSegmentSizes = #launch_1,
        resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("next")
    %on = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    "graph.yield"(%on, %4) {operandSegmentSizes = #yield_2} : (tensor<i1>, tensor<?x8xf32>) -> ()
  }) {graph.dims = [["n", ""]], operandSegmentSizes = #loop_3, resultSegmentSizes = #results_1} : (tensor<i64>, tensor<i1>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
