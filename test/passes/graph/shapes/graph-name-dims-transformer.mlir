// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(graph-name-dims),graph-optimize,lower-graph)' | filecheck %s

// Of any number of sentences of any length: attention is one op, between products on packed weights, and the
// bias meets its product before the reshape into heads.
// CHECK-LABEL: func.func @main
// CHECK: "graph.matmul_packed"({{.*}}) {graph.dims = {{.}}["batch*seq", "", ""]]}
// CHECK: "graph.sizes"({{.*}}) {dims = ["batch", "seq", "4", "16"]
// CHECK: "graph.attention"({{.*}}) {{.*}}graph.dims = {{.}}["batch", "", "seq", ""]]{{.*}}scale = 2.500000e-01
// CHECK-NOT: graph.softmax
// CHECK-NOT: "graph.matmul"
// CHECK: return
func.func @main(%x: tensor<?x?x64xf32> {graph.dims = ["batch", "seq", ""]}) -> tensor<?x?x64xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0, size = 16384, hash = "w"} : () -> tensor<64x64xf32>
  %shape = "graph.shape_of"(%x) : (tensor<?x?x64xf32>) -> tensor<3xi64>
  %heads = "graph.sizes"(%shape) {names = ["batch", "seq", ""], dims = ["batch", "seq", "4", "16"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3xi64>) -> tensor<4xi64>
  %joined = "graph.sizes"(%shape) {names = ["batch", "seq", ""], dims = ["batch", "seq", "64"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3xi64>) -> tensor<3xi64>
  %quarter = "graph.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.matmul"(%x, %w) : (tensor<?x?x64xf32>, tensor<64x64xf32>) -> tensor<?x?x64xf32>
  %1 = "graph.reshape"(%0, %heads) {shape = array<i64: -1, -1, 4, 16>} : (tensor<?x?x64xf32>, tensor<4xi64>) -> tensor<?x?x4x16xf32>
  %q = "graph.transpose"(%1) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x16xf32>) -> tensor<?x4x?x16xf32>
  %k = "graph.transpose"(%1) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x?x4x16xf32>) -> tensor<?x4x16x?xf32>
  %2 = "graph.matmul"(%q, %k) : (tensor<?x4x?x16xf32>, tensor<?x4x16x?xf32>) -> tensor<?x4x?x?xf32>
  %3 = "graph.mul"(%2, %quarter) : (tensor<?x4x?x?xf32>, tensor<f32>) -> tensor<?x4x?x?xf32>
  %4 = "graph.softmax"(%3) {axis = 3 : i64} : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %5 = "graph.matmul"(%4, %q) : (tensor<?x4x?x?xf32>, tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  %6 = "graph.transpose"(%5) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x4x?x16xf32>) -> tensor<?x?x4x16xf32>
  %7 = "graph.reshape"(%6, %joined) {shape = array<i64: -1, -1, 64>} : (tensor<?x?x4x16xf32>, tensor<3xi64>) -> tensor<?x?x64xf32>
  %8 = "graph.matmul"(%7, %w) : (tensor<?x?x64xf32>, tensor<64x64xf32>) -> tensor<?x?x64xf32>
  return %8 : tensor<?x?x64xf32>
}
