// RUN: mlc-opt %s --graph-lower-objects | filecheck %s

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Sequences that a body carries are ids, also those of its arguments; the types at a model's edges stay recorded.
// CHECK-NOT: !graph.
// CHECK: func.func @main(%arg0: tensor<i64>, %arg1: tensor<i1>, %arg2: tensor<4xf32>) -> (tensor<i64> {graph.object_type = "sequence(float32)"}) {
// CHECK-NEXT: %[[EMPTY:.*]] = "graph.constant"() {value = dense<0> : tensor<i64>}
// CHECK-NEXT: %[[ALL:.*]] = "graph.loop"(%arg0, %arg1, %[[EMPTY]]) ({
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %[[S:.*]]: tensor<i64>):
// CHECK-NEXT: "graph.call_runtime"(%[[S]], %arg2) {function = "sequence_append"{{.*}} : (tensor<i64>, tensor<4xf32>) -> tensor<i64>
// CHECK: return %[[ALL]] : tensor<i64>
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<!graph.sequence> {graph.object_type = "sequence(float32)"}) {
  %zero = "graph.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %empty = "graph.objects"(%zero) : (tensor<i64>) -> tensor<!graph.sequence>
  %0 = "graph.loop"(%n, %c, %empty) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<!graph.sequence>):
    %1 = "graph.call_runtime"(%s, %x) {function = "sequence_append", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64>}
        : (tensor<!graph.sequence>, tensor<4xf32>) -> tensor<!graph.sequence>
    "graph.yield"(%go, %1) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<!graph.sequence>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<!graph.sequence>) -> tensor<!graph.sequence>
  return %0 : tensor<!graph.sequence>
}
