// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Constants, weights, prepared values, fills, ranges, shapes.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x?xf32>, %s: tensor<i64>, %dims: tensor<2xi64>) {
  // CHECK-NEXT: %{{.*}} = "graph.constant"() {value = dense<1.500000e+00> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %0 = "graph.constant"() {value = dense<1.5> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  // CHECK-NEXT: %{{.*}} = "graph.constant"() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  %1 = "graph.constant"() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  // CHECK-NEXT: %{{.*}} = "graph.constant"() {value = dense<5.000000e-01> : tensor<512xbf16>} : () -> tensor<512xbf16>
  %2 = "graph.constant"() {value = dense<0.5> : tensor<512xbf16>} : () -> tensor<512xbf16>
  // CHECK-NEXT: %{{.*}} = "graph.constant"() {value = dense<-7> : tensor<i64>} : () -> tensor<i64>
  %3 = "graph.constant"() {value = dense<-7> : tensor<i64>} : () -> tensor<i64>
  // CHECK-NEXT: %{{.*}} = "graph.weight"() {hash = "9f86d081", offset = 64 : i64, size = 24 : i64, source = "model.onnx"} : () -> tensor<2x3xf32>
  %4 = "graph.weight"() {hash = "9f86d081", offset = 64 : i64, size = 24 : i64, source = "model.onnx"} : () -> tensor<2x3xf32>
  // CHECK-NEXT: %{{.*}} = "graph.weight"() {hash = "9f86d081", offset = 0 : i64, size = 9 : i64, source = "model.onnx"} : () -> tensor<9xi1>
  %5 = "graph.weight"() {hash = "9f86d081", offset = 0 : i64, size = 9 : i64, source = "model.onnx"} : () -> tensor<9xi1>
  // CHECK-NEXT: %{{.*}} = "graph.weight"() {hash = "9f86d081", offset = 0 : i64, size = 8 : i64, source = "model.onnx"} : () -> tensor<8xui4>
  %6 = "graph.weight"() {hash = "9f86d081", offset = 0 : i64, size = 8 : i64, source = "model.onnx"} : () -> tensor<8xui4>
  // CHECK-NEXT: %{{.*}} = "graph.prepared"() {index = 3 : i64} : () -> tensor<4x16xf32>
  %7 = "graph.prepared"() {index = 3} : () -> tensor<4x16xf32>
  // CHECK-NEXT: %{{.*}} = "graph.full"() {value = 1.000000e+00 : f64} : () -> tensor<2x3xf16>
  %8 = "graph.full"() {value = 1.0} : () -> tensor<2x3xf16>
  // CHECK-NEXT: %{{.*}} = "graph.full"(%{{.*}}) {value = 0 : i64} : (tensor<2xi64>) -> tensor<?x4xi32>
  %9 = "graph.full"(%dims) {value = 0} : (tensor<2xi64>) -> tensor<?x4xi32>
  // CHECK-NEXT: %{{.*}} = "graph.range"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %10 = "graph.range"(%s, %s, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  // CHECK-NEXT: %{{.*}} = "graph.range"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<7xi64>
  %11 = "graph.range"(%s, %s, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<7xi64>
  // CHECK-NEXT: %{{.*}} = "graph.shape_of"(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2xi64>
  %12 = "graph.shape_of"(%x) : (tensor<2x?xf32>) -> tensor<2xi64>
  // CHECK-NEXT: %{{.*}} = "graph.sizes"(%{{.*}}) {dims = ["2*n + 1", "floordiv('past n', 2)", "7"], names = ["past n", "n"],
  // CHECK-SAME: operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<3xi64>
  %13 = "graph.sizes"(%dims) {dims = ["2*n + 1", "floordiv('past n', 2)", "7"], names = ["past n", "n"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<3xi64>
  return
}
