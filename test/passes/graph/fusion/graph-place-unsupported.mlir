// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-place{device=cpu unsupported=true nodes=b}))" | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-place{unsupported=true}))" --verify-diagnostics

// What thread blocks cannot compute, and what is named; no weights, and nothing of @prepare.
// CHECK-LABEL: func.func @main
// CHECK: "graph.weight"() {hash
// CHECK: "graph.tanh"(%arg0) :
// CHECK: "graph.top_k"(%{{.*}}) {axis = 1 : i64, graph.place = "cpu", k = 4 : i64}
// CHECK: "graph.abs"(%{{.*}}) {graph.place = "cpu"}
// CHECK: "graph.real"(%{{.*}}) {graph.place = "cpu"}
// CHECK-LABEL: func.func @prepare
// CHECK-NOT: graph.place

// expected-error @below {{what thread blocks cannot compute is for device=cpu}}
func.func @main(%x: tensor<8x40xf32>) -> (tensor<8x4xf32>, tensor<8x4xi64>, tensor<4xf32>) {
  %w = "graph.weight"() {hash = "00", offset = 0 : i64, size = 32 : i64, source = "w"} : () -> tensor<4xcomplex<f32>>
  %0 = "graph.tanh"(%x) : (tensor<8x40xf32>) -> tensor<8x40xf32> loc("a")
  %r:2 = "graph.top_k"(%0) {axis = 1 : i64, k = 4 : i64} : (tensor<8x40xf32>) -> (tensor<8x4xf32>, tensor<8x4xi64>)
  %1 = "graph.abs"(%r#0) : (tensor<8x4xf32>) -> tensor<8x4xf32> loc("b")
  %2 = "graph.real"(%w) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %1, %r#1, %2 : tensor<8x4xf32>, tensor<8x4xi64>, tensor<4xf32>
}
func.func @prepare() -> tensor<f32> {
  %0 = "graph.weight"() {hash = "00", offset = 0 : i64, size = 36 : i64, source = "w"} : () -> tensor<3x3xf32>
  %1 = "graph.det"(%0) : (tensor<3x3xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
