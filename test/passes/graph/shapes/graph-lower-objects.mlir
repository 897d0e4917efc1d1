// RUN: mlc-opt %s --pass-pipeline='builtin.module(graph-lower-objects)' | filecheck %s

// Strings and sequences are ids of 64 bits, in the types of functions and ops.

// CHECK: module attributes {graph.strings = ["", "a"]}
module attributes {graph.strings = ["", "a"]} {
  // CHECK-LABEL: func.func @main
  // CHECK-SAME: (%[[X:.*]]: tensor<2xi64> {graph.object_type = "string"}, %[[S:.*]]: tensor<i64>) -> (tensor<2xi64>, tensor<i64>, tensor<2xi64>)
  func.func @main(%x: tensor<2x!graph.string> {graph.object_type = "string"}, %s: tensor<!graph.sequence>) -> (tensor<2x!graph.string>, tensor<!graph.sequence>, tensor<2xi64>) {
    // CHECK-NEXT: %[[A:.*]] = "graph.constant"() {value = dense<1> : tensor<i64>}
    %one = "graph.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    // CHECK-NOT: graph.object
    %a = "graph.objects"(%one) : (tensor<i64>) -> tensor<!graph.string>
    // CHECK-NEXT: %[[E:.*]] = "graph.equal"(%[[X]], %[[A]]) : (tensor<2xi64>, tensor<i64>) -> tensor<2xi1>
    %e = "graph.equal"(%x, %a) : (tensor<2x!graph.string>, tensor<!graph.string>) -> tensor<2xi1>
    // CHECK-NEXT: %[[Y:.*]] = "graph.call_runtime"(%[[X]], %[[X]]) {{.*}} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    %y = "graph.call_runtime"(%x, %x) {function = "string_concat", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>}
        : (tensor<2x!graph.string>, tensor<2x!graph.string>) -> tensor<2x!graph.string>
    // CHECK-NEXT: %[[W:.*]] = "graph.where"(%[[E]], %[[Y]], %[[X]])
    %w = "graph.where"(%e, %y, %x) : (tensor<2xi1>, tensor<2x!graph.string>, tensor<2x!graph.string>) -> tensor<2x!graph.string>
    %n = "graph.object_ids"(%w) : (tensor<2x!graph.string>) -> tensor<2xi64>
    // CHECK-NEXT: return %[[W]], %[[S]], %[[W]] : tensor<2xi64>, tensor<i64>, tensor<2xi64>
    return %w, %s, %n : tensor<2x!graph.string>, tensor<!graph.sequence>, tensor<2xi64>
  }
}
