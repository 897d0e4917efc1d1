// RUN: mlc-opt %s --split-input-file --graph-stack-contractions | filecheck %s

// One row: slices are free, and narrow products are mostly launches.
// CHECK-LABEL: func.func @row
// CHECK-COUNT-1: graph.matmul
// CHECK-NOT: graph.matmul
// CHECK: return
func.func @row(%x: tensor<1x64xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %v = "graph.weight"() {source = "m", offset = 0, size = 2048, hash = "a"} : () -> tensor<64x8xf32>
  %w = "graph.weight"() {source = "m", offset = 2048, size = 2048, hash = "b"} : () -> tensor<64x8xf32>
  %0 = "graph.matmul"(%x, %v) : (tensor<1x64xf32>, tensor<64x8xf32>) -> tensor<1x8xf32>
  %1 = "graph.matmul"(%x, %w) : (tensor<1x64xf32>, tensor<64x8xf32>) -> tensor<1x8xf32>
  return %0, %1 : tensor<1x8xf32>, tensor<1x8xf32>
}

// -----

// Many rows of wide products: copies of the slices would cost more than a launch saves.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: graph.concat
func.func @rows(%x: tensor<128x768xf32>) -> (tensor<128x768xf32>, tensor<128x768xf32>) {
  %v = "graph.weight"() {source = "m", offset = 0, size = 2359296, hash = "a"} : () -> tensor<768x768xf32>
  %w = "graph.weight"() {source = "m", offset = 2359296, size = 2359296, hash = "b"} : () -> tensor<768x768xf32>
  %0 = "graph.matmul"(%x, %v) : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
  %1 = "graph.matmul"(%x, %w) : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
  return %0, %1 : tensor<128x768xf32>, tensor<128x768xf32>
}
