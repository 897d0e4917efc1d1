// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-place{ops=matmul}))" --split-input-file --verify-diagnostics | filecheck %s

// A product is one in whatever layout. The slice that cuts its padding off is none.
// CHECK-LABEL: func.func @main
// CHECK: "graph.matmul"({{.*}}) {graph.place = "accel"}
// CHECK: "graph.matmul_packed"({{.*}}) {graph.place = "accel"}
// CHECK: "graph.slice"
// CHECK-NOT: graph.place
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %p: tensor<2x8x16xf32>) -> tensor<4x30xf32> {
  %0 = "graph.matmul"(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = "graph.matmul_packed"(%0, %p) : (tensor<4x8xf32>, tensor<2x8x16xf32>) -> tensor<4x2x16xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: 4, 32>} : (tensor<4x2x16xf32>) -> tensor<4x32xf32>
  %3 = "graph.slice"(%2) {sizes = array<i64: 4, 30>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<4x32xf32>) -> tensor<4x30xf32>
  return %3 : tensor<4x30xf32>
}

// -----

// expected-error @below {{@main has no op 'matmul' to place; its ops are exp, relu}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "graph.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "graph.exp"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.relu"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
