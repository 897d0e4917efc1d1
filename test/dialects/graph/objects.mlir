// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK: module attributes {graph.strings = ["", ","]}
module attributes {graph.strings = ["", ","]} {
  // CHECK-LABEL: func.func @f
  func.func @f(%x: tensor<2x!graph.string>, %dims: tensor<2xi64>, %place: tensor<i64>, %s: tensor<!graph.sequence>) {
    %number = "graph.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    // CHECK: "graph.objects"(%{{.*}}) : (tensor<i64>) -> tensor<!graph.string>
    %comma = "graph.objects"(%number) : (tensor<i64>) -> tensor<!graph.string>
    // CHECK-NEXT: "graph.object_ids"(%{{.*}}) : (tensor<2x!graph.string>) -> tensor<2xi64>
    %numbers = "graph.object_ids"(%x) : (tensor<2x!graph.string>) -> tensor<2xi64>
    // CHECK-NEXT: "graph.call_runtime"(%{{.*}}, %{{.*}}) {{.*}}function = "string_split_count"{{.*}}options = array<i64: -1>{{.*}} -> tensor<2xi64>
    %0 = "graph.call_runtime"(%x, %comma) {function = "string_split_count", options = array<i64: -1>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>}
        : (tensor<2x!graph.string>, tensor<!graph.string>) -> tensor<2xi64>
    // CHECK-NEXT: "graph.call_runtime"(%{{.*}}, %{{.*}}, %{{.*}}) {{.*}}function = "string_split"{{.*}} -> tensor<2x?x!graph.string>
    %1 = "graph.call_runtime"(%x, %comma, %dims) {function = "string_split", options = array<i64: -1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}
        : (tensor<2x!graph.string>, tensor<!graph.string>, tensor<2xi64>) -> tensor<2x?x!graph.string>
    // CHECK-NEXT: "graph.call_runtime"(%{{.*}}, %{{.*}}, %{{.*}}) {{.*}}function = "sequence_insert"{{.*}} -> tensor<!graph.sequence>
    %2 = "graph.call_runtime"(%s, %x, %place) {function = "sequence_insert", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}
        : (tensor<!graph.sequence>, tensor<2x!graph.string>, tensor<i64>) -> tensor<!graph.sequence>
    return
  }
}
