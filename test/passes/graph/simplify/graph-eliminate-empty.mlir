// RUN: mlc-opt %s --graph-eliminate-empty --canonicalize | filecheck %s

// Results without elements need no computation.
// CHECK-LABEL: func.func @results
// CHECK-NEXT: %[[FULL:.*]] = "graph.full"() {value = 0.000000e+00 : f64} : () -> tensor<0x4xf32>
// CHECK-NEXT: %[[TRUTH:.*]] = "graph.full"() {value = 0 : i64} : () -> tensor<0x4xi1>
// CHECK-NEXT: return %[[FULL]], %[[TRUTH]]
func.func @results(%x: tensor<0x4xf32>, %y: tensor<4xf32>) -> (tensor<0x4xf32>, tensor<0x4xi1>) {
  %0 = "graph.add"(%x, %y) : (tensor<0x4xf32>, tensor<4xf32>) -> tensor<0x4xf32>
  %1 = "graph.less"(%x, %y) : (tensor<0x4xf32>, tensor<4xf32>) -> tensor<0x4xi1>
  return %0, %1 : tensor<0x4xf32>, tensor<0x4xi1>
}

// The argument gives the other dim of an empty tensor.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[SIZES:.*]] = "graph.sizes"({{.*}}dims = ["0", "arg0.shape[1]"]
// CHECK-NEXT: %[[NONE:.*]] = "graph.full"(%[[SIZES]]) {{.*}} -> tensor<0x?xf32>
// CHECK-NEXT: return %[[NONE]]
func.func @dynamic(%x: tensor<0x?xf32>) -> tensor<0x?xf32> {
  %0 = "graph.add"(%x, %x) : (tensor<0x?xf32>, tensor<0x?xf32>) -> tensor<0x?xf32>
  return %0 : tensor<0x?xf32>
}

// The length of a range is unknown before it is made.
// CHECK-LABEL: func.func @untold
// CHECK: graph.mul
func.func @untold(%x: tensor<0x1xi64>, %n: tensor<i64>) -> tensor<0x?xi64> {
  %0 = "graph.range"(%n, %n, %n) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %1 = "graph.mul"(%x, %0) : (tensor<0x1xi64>, tensor<?xi64>) -> tensor<0x?xi64>
  return %1 : tensor<0x?xi64>
}

// CHECK-LABEL: func.func @reductions
// CHECK-NEXT: "graph.full"() {value = 0.000000e+00 : f64} : () -> tensor<4xf32>
// CHECK-NEXT: "graph.full"() {value = 1.000000e+00 : f64} : () -> tensor<4xf32>
// CHECK-NEXT: "graph.full"() {value = 0xFFF0000000000000 : f64} : () -> tensor<4xf32>
// CHECK-NEXT: "graph.full"() {value = 0x7FF8000000000000 : f64} : () -> tensor<4xf32>
// CHECK-NEXT: "graph.full"() {value = 2147483647 : i64} : () -> tensor<1xi32>
// CHECK-NEXT: return
func.func @reductions(%x: tensor<0x4xf32>, %i: tensor<0xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xi32>) {
  %0 = "graph.reduce_sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<0x4xf32>) -> tensor<4xf32>
  %1 = "graph.reduce_prod"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<0x4xf32>) -> tensor<4xf32>
  %2 = "graph.reduce_max"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<0x4xf32>) -> tensor<4xf32>
  %3 = "graph.reduce_mean"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<0x4xf32>) -> tensor<4xf32>
  %4 = "graph.reduce_min"(%i) {axes = array<i64: 0>, keepdims = true} : (tensor<0xi32>) -> tensor<1xi32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xi32>
}

// Nothing summed, nothing padded, nothing joined.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: %[[ZEROS:.*]] = "graph.full"() {value = 0.000000e+00 : f64} : () -> tensor<2x3xf32>
// CHECK-NEXT: %[[PAD:.*]] = "graph.full"() {value = 7.000000e+00 : f64} : () -> tensor<3xf32>
// CHECK-NEXT: %[[JOINED:.*]] = "graph.concat"(%arg2, %arg2) {axis = 0 : i64
// CHECK-NEXT: return %[[ZEROS]], %[[PAD]], %[[JOINED]]
func.func @others(%a: tensor<2x0xf32>, %b: tensor<0x3xf32>, %x: tensor<?x3xf32>, %e: tensor<0xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<?x3xf32>) {
  %0 = "graph.matmul"(%a, %b) : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %1 = "graph.pad"(%e) {low = array<i64: 1>, high = array<i64: 2>, mode = "constant", value = 7.0 : f64} : (tensor<0xf32>) -> tensor<3xf32>
  %2 = "graph.concat"(%x, %b, %x) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<?x3xf32>, tensor<0x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<3xf32>, tensor<?x3xf32>
}

// The largest unsigned integer, which the attribute of `full` cannot hold.
// CHECK-LABEL: func.func @largest
// CHECK-NEXT: %[[LARGEST:.*]] = "graph.constant"() {value = dense<18446744073709551615> : tensor<ui64>}
// CHECK-NEXT: %[[ALL:.*]] = "graph.expand"(%[[LARGEST]]) {shape = array<i64: 3>}
// CHECK-NEXT: return %[[ALL]]
func.func @largest(%x: tensor<0x3xui64>) -> tensor<3xui64> {
  %0 = "graph.reduce_min"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<0x3xui64>) -> tensor<3xui64>
  return %0 : tensor<3xui64>
}
