// RUN: mlc-opt %s --host-plan-memory --cpu-host | filecheck %s

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_32 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A loop is a block that branches to itself. Bases of buffers are loaded before it; the iteration gives the addresses of rows.
// CHECK-LABEL: llvm.func @mlc_main(%arg0: !llvm.ptr, %arg1: !llvm.ptr)
// CHECK: llvm.call @apart
// CHECK: llvm.load %arg0
// CHECK: llvm.br ^[[HEAD:bb[0-9]+]](
// CHECK: ^[[HEAD]](%[[I:.*]]: i64):
// CHECK: %[[MORE:.*]] = llvm.icmp "slt" %[[I]], %{{.*}} : i64
// CHECK: llvm.cond_br %[[MORE]], ^[[BODY:bb[0-9]+]], ^[[END:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK: %[[ROW:.*]] = llvm.intr.umin(%[[I]], %{{.*}})
// CHECK: %[[AT:.*]] = llvm.mul %[[ROW]], %{{.*}} : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK: llvm.call @next
// CHECK: llvm.call @apart
// CHECK: llvm.br ^[[HEAD]](
// CHECK: ^[[END]]:
// CHECK: llvm.return
func.func private @next(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> attributes {tloop.in_place = array<i64: 0>, tloop.kernel} {
  return %a : tensor<16xf32>
}
func.func private @apart(%a: tensor<16xf32>) -> tensor<16xf32> attributes {tloop.kernel} {
  return %a : tensor<16xf32>
}
func.func private @less(%a: tensor<16xf32>) -> tensor<i1> attributes {tloop.kernel} {
  %0 = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @main(%x: tensor<3x16xf32>, %a: tensor<16xf32>) -> (tensor<16xf32>, tensor<3x16xf32>) {
  %n = "graph.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %first = "tloop.launch"(%a) {kernel = @apart, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
  %1:2 = "graph.loop"(%n, %t, %first) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<16xf32>):
    %row = "tloop.row"(%x, %i) {first = 0 : i64, step = 1 : i64} : (tensor<3x16xf32>, tensor<i64>) -> tensor<16xf32>
    %2 = "tloop.launch"(%s, %row) {kernel = @next, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %3 = "tloop.launch"(%2) {kernel = @apart, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
    "graph.yield"(%go, %2, %3) {operandSegmentSizes = #first_3_of_32} : (tensor<i1>, tensor<16xf32>, tensor<16xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_2_of_32} : (tensor<i64>, tensor<i1>, tensor<16xf32>) -> (tensor<16xf32>, tensor<3x16xf32>)
  return %1#0, %1#1 : tensor<16xf32>, tensor<3x16xf32>
}
