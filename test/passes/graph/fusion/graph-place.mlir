// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-place{ops=exp nodes=b,c}))" --split-input-file --verify-diagnostics | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-place))" --split-input-file | filecheck %s --check-prefix=NONE

// By op name, and by the nodes that an op comes from, one of several too. @prepare stays.
// NONE-NOT: graph.place
// CHECK-LABEL: func.func @main
// CHECK: "graph.relu"(%arg0) :
// CHECK: "graph.abs"(%{{.*}}) {graph.place = "accel"}
// CHECK: "graph.neg"(%{{.*}}) {graph.place = "accel"}
// CHECK: "graph.exp"(%{{.*}}) {graph.place = "accel"}
// CHECK-LABEL: func.func @prepare
// CHECK-NOT: graph.place
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "graph.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("a")
  %1 = "graph.abs"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("b")
  %2 = "graph.neg"(%1) : (tensor<4xf32>) -> tensor<4xf32> loc(fused["a", "c"])
  %3 = "graph.exp"(%2) : (tensor<4xf32>) -> tensor<4xf32> loc("d")
  return %3 : tensor<4xf32>
}
func.func @prepare() -> tensor<4xf32> {
  %0 = "graph.weight"() {hash = "00", offset = 0 : i64, size = 16 : i64, source = "w"} : () -> tensor<4xf32>
  %1 = "graph.exp"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("b")
  return %1 : tensor<4xf32>
}

// -----

// expected-error @below {{@main has no op 'c' to place}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("b")
  return %0 : tensor<4xf32>
}
