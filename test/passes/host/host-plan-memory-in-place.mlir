// RUN: mlc-opt %s --split-input-file --host-plan-memory | filecheck %s
// RUN: mlc-opt %s --split-input-file --host-plan-memory --host-entry | filecheck %s --check-prefix=ENTRY

#launch_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#yield_2 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#loop_3 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#results_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A carried value whose size is known before the loop has one buffer, here that of the output. The next value is
// computed there, as nothing reads the present one any more.
// CHECK-LABEL: func.func @main
// CHECK: %[[OUT:.*]] = memref.alloc(%[[N:.*]]) {tloop.caller = "loop", tloop.output = 0 : i64} : memref<?x8xf32>
// CHECK: memref.copy %arg0, %[[OUT]]
// CHECK: scf.for
// CHECK: %[[WIDE:.*]] = memref.view %[[ARENA:.*]][%{{.*}}][%[[N]]] {tloop.caller = "widen 'widen'"} : memref<?xi8> to memref<?x1x8xf32>
// CHECK: "tloop.launch_into"(%[[OUT]], %[[WIDE]], %[[N]]) {kernel = @widen
// CHECK: %[[FLAT:.*]] = memref.view %[[ARENA]][%{{.*}}][%[[N]]] : memref<?xi8> to memref<?x8xf32>
// CHECK: "tloop.launch_into"(%[[FLAT]], %[[OUT]], %[[N]]) {kernel = @next
// CHECK-NOT: memref.copy
// CHECK: memref.dealloc %[[ARENA]]
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
  }) {graph.argument_dims = [[], [], ["n", ""]], graph.dims = [["n", ""]], operandSegmentSizes = #loop_3, resultSegmentSizes = #results_1}
      : (tensor<i64>, tensor<i1>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

#launch_1 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#yield_3 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#loop_4 = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#results_2 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// If only the body knows the size, the loop carries memory. A value of an iteration that is computed in place, over a
// value of another shape, is carried on in that memory, which its iteration does not release.
// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]] = memref.alloc(%[[N:.*]]) {tloop.caller = "loop"} : memref<?x8xf32>
// CHECK: memref.copy %arg0, %[[FIRST]]
// CHECK: %[[RESULT:.*]]:3 = scf.while ({{.*}}, %{{.*}} = %[[FIRST]]) : (index, i1, memref<?x8xf32>)
// CHECK: ^bb0(%{{.*}}: index, %{{.*}}: i1, %[[PRESENT:.*]]: memref<?x8xf32>):
// CHECK: %[[WIDE:.*]] = memref.alloc(%[[K:.*]]) {tloop.caller = "widen 'widen'"} : memref<?x1x8xf32>
// CHECK: "tloop.launch_into"(%[[PRESENT]], %[[WIDE]], %[[K]]) {kernel = @widen
// CHECK: memref.dealloc %[[PRESENT]]
// CHECK: %[[OVER:.*]] = memref.reinterpret_cast %[[WIDE]] to offset: [0], sizes: [%[[K]], 8], strides: [8, 1]
// CHECK: "tloop.launch_into"(%[[OVER]], %[[OVER]], %[[K]]) {kernel = @next
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.dealloc %[[WIDE]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[OVER]] : index, i1, memref<?x8xf32>
// CHECK: memref.alloc(%{{.*}}) {tloop.caller = "", tloop.output = 0 : i64} : memref<?x8xf32>
// CHECK-NEXT: memref.copy
// CHECK-NEXT: memref.dealloc %[[RESULT]]#2
// ENTRY: llvm.func @mlc_main
// ENTRY: llvm.call @next
func.func private @widen(%a: tensor<?x8xf32>) -> tensor<?x1x8xf32> attributes {tloop.kernel} {
  %0 = "graph.reshape"(%a) {shape = array<i64: -1, 1, 8>} : (tensor<?x8xf32>) -> tensor<?x1x8xf32>
  return %0 : tensor<?x1x8xf32>
}
func.func private @next(%a: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {tloop.in_place = array<i64: 0>, tloop.kernel} {
  return %a : tensor<?x8xf32>
}
func.func @main(%x: tensor<?x8xf32> {graph.dims = ["n", ""]}, %z: tensor<1xi64>) -> tensor<?x8xf32> {
  %n = "graph.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %1:2 = "graph.loop"(%n, %t, %x, %z) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<?x8xf32>, %size: tensor<1xi64>):
    "tloop.read_sizes"(%size) {names = ["k"]} : (tensor<1xi64>) -> ()
    %2 = "tloop.launch"(%s) {graph.dims = [["k", "", ""]], kernel = @widen, tloop.dims = ["k"], operandSegmentSizes = #launch_1,
        resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x1x8xf32> loc("widen")
    %3 = "graph.reshape"(%2) {graph.dims = [["k", ""]], shape = array<i64: -1, 8>} : (tensor<?x1x8xf32>) -> tensor<?x8xf32>
    %4 = "tloop.launch"(%3) {graph.dims = [["k", ""]], kernel = @next, tloop.dims = ["k"], operandSegmentSizes = #launch_1,
        resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("next")
    %on = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    "graph.yield"(%on, %4, %size) {operandSegmentSizes = #yield_3} : (tensor<i1>, tensor<?x8xf32>, tensor<1xi64>) -> ()
  }) {graph.argument_dims = [[], [], ["k", ""], []], graph.dims = [["r", ""], [""]], operandSegmentSizes = #loop_4, resultSegmentSizes = #results_2}
      : (tensor<i64>, tensor<i1>, tensor<?x8xf32>, tensor<1xi64>) -> (tensor<?x8xf32>, tensor<1xi64>)
  "tloop.read_sizes"(%1#1) {names = ["r"]} : (tensor<1xi64>) -> ()
  return %1#0 : tensor<?x8xf32>
}
