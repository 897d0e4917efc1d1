// RUN: mlc-opt %s --host-plan-memory --canonicalize --cse --split-input-file | filecheck %s

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_32 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A carried value has one buffer, here the output: the initial value is computed there, and each next one over the present
// one, which the launch reads in place. Stacked values are computed in their rows. Nothing is copied, the arena is empty.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<3x16xf32>, %[[A:.*]]: memref<16xf32>, %[[OUT:.*]]: memref<16xf32>, %[[STACK:.*]]: memref<3x16xf32>, %{{.*}}: memref<0xi8>)
// CHECK-NOT: memref.copy
// CHECK: "tloop.launch_into"(%[[A]], %[[OUT]]) {kernel = @apart
// CHECK: scf.for %[[I:.*]] = %c0 to %c3 step %c1 {
// CHECK: %[[ROW:.*]] = memref.reinterpret_cast %[[X]] to offset: [%[[AT:.*]]], sizes: [16], strides: [1] : memref<3x16xf32> to memref<16xf32, strided<[1], offset: ?>>
// CHECK: "tloop.launch_into"(%[[OUT]], %[[ROW]], %[[OUT]]) {kernel = @next
// CHECK: %[[STACKED:.*]] = memref.reinterpret_cast %[[STACK]] to offset: [%[[AT]]]
// CHECK: "tloop.launch_into"(%[[OUT]], %[[STACKED]]) {kernel = @apart
// CHECK-NOT: memref.copy
// CHECK: return
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

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_32 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// The next value is not computed over the present one: another launch reads that later. It is copied at the end of the
// iteration, after the row of the stack. The trip count is an input; a row beyond the last is the last.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[N:.*]]: memref<i64>, %[[X:.*]]: memref<3x16xf32>, %[[OUT:.*]]: memref<16xf32>, %[[STACK:.*]]: memref<3x16xf32>, %[[ARENA:.*]]: memref<64xi8>)
// CHECK: %[[COUNT:.*]] = memref.load %[[N]][] : memref<i64>
// CHECK: %[[END:.*]] = arith.index_cast %[[COUNT]] : i64 to index
// CHECK: scf.for %[[I:.*]] = %c0 to %[[END]] step %c1 {
// CHECK: %[[NEXT:.*]] = memref.view %[[ARENA]][%c0][] : memref<64xi8> to memref<16xf32>
// CHECK: "tloop.launch_into"(%[[OUT]], %{{.*}}, %[[NEXT]]) {kernel = @next
// CHECK: %[[ROW:.*]] = arith.minui %[[I]], %c2
// CHECK: "tloop.launch_into"(%[[OUT]], %{{.*}}) {kernel = @apart
// CHECK: memref.copy %[[NEXT]], %[[OUT]] : memref<16xf32> to memref<16xf32>
// CHECK-NEXT: }
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
func.func @main(%n: tensor<i64>, %x: tensor<3x16xf32>) -> (tensor<16xf32>, tensor<3x16xf32>) {
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %first = "graph.slice"(%x) {starts = array<i64: 0, 0>, sizes = array<i64: 1, 16>, steps = array<i64: 1, 1>} : (tensor<3x16xf32>) -> tensor<1x16xf32>
  %flat = "graph.reshape"(%first) {shape = array<i64: 16>} : (tensor<1x16xf32>) -> tensor<16xf32>
  %1:2 = "graph.loop"(%n, %t, %flat) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<16xf32>):
    %2 = "tloop.launch"(%s, %s) {kernel = @next, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %3 = "tloop.launch"(%s) {kernel = @apart, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
    "graph.yield"(%go, %2, %3) {operandSegmentSizes = #first_3_of_32} : (tensor<i1>, tensor<16xf32>, tensor<16xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_2_of_32} : (tensor<i64>, tensor<i1>, tensor<16xf32>) -> (tensor<16xf32>, tensor<3x16xf32>)
  return %1#0, %1#1 : tensor<16xf32>, tensor<3x16xf32>
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A body that computes the condition. Values from outside that it reads live until the loop ends: the values of the body, of
// which the first is dead when the second is computed, do not overwrite them.
// CHECK-LABEL: func.func @main
// CHECK-SAME: tloop.arena_bytes = 192 : i64
// CHECK: %[[GO:.*]] = memref.load %{{.*}}[] : memref<i1>
// CHECK: scf.while (%[[I:.*]] = %c0, %[[GOING:.*]] = %[[GO]]) : (index, i1) -> index {
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[I]], %c9
// CHECK: %[[AGAIN:.*]] = arith.andi %[[LESS]], %[[GOING]]
// CHECK: scf.condition(%[[AGAIN]])
// CHECK: %[[NEXT:.*]] = memref.load %{{.*}}[] : memref<i1>
// CHECK: memref.copy
// CHECK: %[[FOLLOWING:.*]] = arith.addi %{{.*}}, %c1
// CHECK: scf.yield %[[FOLLOWING]], %[[NEXT]]
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
func.func @main(%c: tensor<i1>, %a: tensor<16xf32>) -> tensor<16xf32> {
  %n = "graph.constant"() {value = dense<9> : tensor<i64>} : () -> tensor<i64>
  %around = "tloop.launch"(%a) {kernel = @apart, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
  %1 = "graph.loop"(%n, %c, %a) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<16xf32>):
    %2 = "tloop.launch"(%around) {kernel = @apart, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
    %3 = "tloop.launch"(%2) {kernel = @apart, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
    %4 = "tloop.launch"(%s) {kernel = @less, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<i1>
    "graph.yield"(%4, %3) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<16xf32>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<16xf32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Branches share memory and write to the same buffer; values that they only yield are copied there.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[C:.*]]: memref<i1>, %[[A:.*]]: memref<16xf32>, %[[OUT:.*]]: memref<16xf32>, %[[ARENA:.*]]: memref<64xi8>)
// CHECK: %[[TAKEN:.*]] = memref.load %[[C]][]
// CHECK: scf.if %[[TAKEN]] {
// CHECK: "tloop.launch_into"(%[[A]], %[[THEN:.*]]) {kernel = @apart
// CHECK: "tloop.launch_into"(%[[THEN]], %[[OUT]]) {kernel = @apart
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.copy %[[A]], %[[OUT]]
// CHECK-NEXT: }
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
func.func @main(%c: tensor<i1>, %a: tensor<16xf32>) -> tensor<16xf32> {
  %0 = "graph.if"(%c) ({
    %1 = "tloop.launch"(%a) {kernel = @apart, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
    %2 = "tloop.launch"(%1) {kernel = @apart, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
    "graph.yield"(%2) {operandSegmentSizes = #first_1_of_32} : (tensor<16xf32>) -> ()
  }, {
    "graph.yield"(%a) {operandSegmentSizes = #first_1_of_32} : (tensor<16xf32>) -> ()
  }) {resultSegmentSizes = #first_1_of_32} : (tensor<i1>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
