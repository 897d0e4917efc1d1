// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-place{device=cpu unsupported=true}))" | filecheck %s

// Between two ops on the processor, through views and with a weight: the whole chain. Not what something on the GPU
// reads too, what reads something else, what is returned, and no product.
// CHECK-LABEL: func.func @main
// CHECK: "graph.top_k"(%arg0) {axis = 1 : i64, graph.place = "cpu"
// CHECK: %[[A:.*]] = "graph.abs"({{.*}}) {graph.between, graph.place = "cpu"}
// CHECK: %[[V:.*]] = "graph.reshape"(%[[A]]) {shape
// CHECK: %[[S:.*]] = "graph.add"(%[[V]], %{{.*}}) {graph.between, graph.place = "cpu"}
// CHECK: %[[T:.*]]:2 = "graph.top_k"(%[[S]]) {axis = 0 : i64, graph.place = "cpu"
// CHECK: %[[N:.*]] = "graph.neg"(%[[T]]#0) :
// CHECK: "graph.top_k"(%[[N]]) {{.*}}graph.place = "cpu"
// CHECK: %[[E:.*]] = "graph.mul"(%{{.*}}, %arg1) :
// CHECK: "graph.top_k"(%[[E]]) {{.*}}graph.place = "cpu"
// CHECK: %[[P:.*]] = "graph.matmul"({{.*}}) :
// CHECK: "graph.top_k"(%[[P]]) {{.*}}graph.place = "cpu"
// CHECK: %[[R:.*]] = "graph.relu"({{.*}}) :
// CHECK: return %[[R]], %[[N]]
func.func @main(%x: tensor<8x40xf32>, %y: tensor<8x4xf32>) -> (tensor<2xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x1xf32>, tensor<8x1xf32>) {
  %w = "graph.weight"() {hash = "00", offset = 0 : i64, size = 128 : i64, source = "w"} : () -> tensor<32xf32>
  %m = "graph.weight"() {hash = "00", offset = 0 : i64, size = 64 : i64, source = "w"} : () -> tensor<4x4xf32>
  %0:2 = "graph.top_k"(%x) {axis = 1 : i64, k = 4 : i64} : (tensor<8x40xf32>) -> (tensor<8x4xf32>, tensor<8x4xi64>)
  %1 = "graph.abs"(%0#0) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: 32>} : (tensor<8x4xf32>) -> tensor<32xf32>
  %3 = "graph.add"(%2, %w) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %4:2 = "graph.top_k"(%3) {axis = 0 : i64, k = 16 : i64} : (tensor<32xf32>) -> (tensor<16xf32>, tensor<16xi64>)
  %5 = "graph.neg"(%4#0) : (tensor<16xf32>) -> tensor<16xf32>
  %6:2 = "graph.top_k"(%5) {axis = 0 : i64, k = 2 : i64} : (tensor<16xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  %7 = "graph.mul"(%0#0, %y) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %8:2 = "graph.top_k"(%7) {axis = 1 : i64, k = 1 : i64} : (tensor<8x4xf32>) -> (tensor<8x1xf32>, tensor<8x1xi64>)
  %9 = "graph.matmul"(%0#0, %m) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %10:2 = "graph.top_k"(%9) {axis = 1 : i64, k = 1 : i64} : (tensor<8x4xf32>) -> (tensor<8x1xf32>, tensor<8x1xi64>)
  %11 = "graph.relu"(%6#0) : (tensor<2xf32>) -> tensor<2xf32>
  return %11, %5, %4#0, %8#0, %10#0 : tensor<2xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x1xf32>, tensor<8x1xf32>
}
