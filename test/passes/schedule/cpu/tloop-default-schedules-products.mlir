// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules \
// RUN:   --tloop-apply-schedules --canonicalize --cse | filecheck %s --check-prefix=LOOPS

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

// -----

// A transpose that moves only dims outside the tile: the tile's registers are written into the transposed result, not
// into a buffer that is copied.
// LOOPS-LABEL: func.func private @heads_to_rows
// LOOPS: scf.forall
// LOOPS: %[[SUMS:.*]] = scf.for {{.*}} -> (vector<4x8xf32>)
// LOOPS: %[[ROW:.*]] = tensor.extract_slice %{{.*}} [1, 4, 1, 8] [1, 1, 1, 1] : tensor<1x4x1x8xf32> to tensor<4x8xf32>
// LOOPS: vector.transfer_write %[[SUMS]], %[[ROW]]
// LOOPS-NOT: vector.transfer_write
module attributes {tloop.target = "name=x86-64-v4"} {
func.func private @heads_to_rows(%a: tensor<2x3x4x64xf32>, %b: tensor<2x3x64x8xf32>) -> tensor<2x4x3x8xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<2x3x4x64xf32>, tensor<2x3x64x8xf32>) -> tensor<2x3x4x8xf32>
  %1 = "graph.transpose"(%0) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x3x4x8xf32>) -> tensor<2x4x3x8xf32>
  return %1 : tensor<2x4x3x8xf32>
}
}

// -----

// A register holds half as many accumulators of f64: a tile of 64 columns would spill.
// LOOPS-LABEL: func.func private @product_of_doubles
// LOOPS: scf.for {{.*}} -> (vector<10x16xf64>)
module attributes {tloop.target = "name=x86-64-v4"} {
func.func private @product_of_doubles(%a: tensor<3200x64xf64>, %b: tensor<64x64xf64>) -> tensor<3200x64xf64> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<3200x64xf64>, tensor<64x64xf64>) -> tensor<3200x64xf64>
  return %0 : tensor<3200x64xf64>
}
}

// -----

// Sums of few products: rows of the result are written one after the other, by threads that have all columns of some.
// With more products, threads share the columns, whose vectors each serve all rows.
// CHECK-LABEL: func.func private @few_products
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 8>}
// CHECK: "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 32>}
// CHECK-LABEL: func.func private @more_products
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 0, 32>}
// CHECK: "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 8>}
// CHECK-LABEL: func.func private @few_rows
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 0, 32>}
module attributes {tloop.target = "name=x86-64-v4"} {
func.func private @few_products(%a: tensor<64x32xf32>, %b: tensor<32x1024xf32>) -> tensor<64x1024xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<64x32xf32>, tensor<32x1024xf32>) -> tensor<64x1024xf32>
  return %0 : tensor<64x1024xf32>
}
func.func private @more_products(%a: tensor<64x33xf32>, %b: tensor<33x1024xf32>) -> tensor<64x1024xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<64x33xf32>, tensor<33x1024xf32>) -> tensor<64x1024xf32>
  return %0 : tensor<64x1024xf32>
}
func.func private @few_rows(%a: tensor<8x32xf32>, %b: tensor<32x1024xf32>) -> tensor<8x1024xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<8x32xf32>, tensor<32x1024xf32>) -> tensor<8x1024xf32>
  return %0 : tensor<8x1024xf32>
}
}
