// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules | filecheck %s

// Two inputs make no matrix product where both have the columns: the rows of the sum are taken one by one.
// CHECK-LABEL: func.func private @sum_of_smaller
// CHECK: arith.minimumf
// CHECK: "tloop.schedule"
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel"
// CHECK: "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 1>}
// CHECK: "tloop.vectorize"
func.func private @sum_of_smaller(%a: tensor<3x5x8xf32>, %b: tensor<3x5x8xf32>) -> tensor<3x8xf32> attributes {tloop.kernel} {
  %0 = "graph.min"(%a, %b) : (tensor<3x5x8xf32>, tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
  %1 = "graph.reduce_sum"(%0) {axes = array<i64: 1>, keepdims = false} : (tensor<3x5x8xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// -----

// CHECK-LABEL: func.func private @sum_of_products
// CHECK: arith.mulf
// CHECK: "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 1>}
func.func private @sum_of_products(%a: tensor<3x5x8xf32>, %b: tensor<3x5x8xf32>) -> tensor<3x8xf32> attributes {tloop.kernel} {
  %0 = "graph.mul"(%a, %b) : (tensor<3x5x8xf32>, tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
  %1 = "graph.reduce_sum"(%0) {axes = array<i64: 1>, keepdims = false} : (tensor<3x5x8xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}
