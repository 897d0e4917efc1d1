// RUN: mlc-opt %s --split-input-file --graph-pack-matmuls | filecheck %s

// Panels are as wide as the target's register tiles: two vectors, or four where that makes a cache line.
// CHECK-LABEL: func.func @narrow_vectors
// CHECK: "graph.pack"({{.*}}) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 8>
module attributes {tloop.target = "x86-64"} {
  func.func @narrow_vectors(%a: tensor<3x16xf32>) -> tensor<3x64xf32> {
    %w = "graph.weight"() {hash = "0", offset = 0 : i64, size = 4096 : i64, source = "m"} : () -> tensor<16x64xf32>
    %0 = "graph.matmul"(%a, %w) : (tensor<3x16xf32>, tensor<16x64xf32>) -> tensor<3x64xf32>
    return %0 : tensor<3x64xf32>
  }
}

// -----

// CHECK-LABEL: func.func @neon
// CHECK: "graph.pack"({{.*}}) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 16>
module attributes {tloop.target = "aarch64"} {
  func.func @neon(%a: tensor<3x16xf32>) -> tensor<3x64xf32> {
    %w = "graph.weight"() {hash = "0", offset = 0 : i64, size = 4096 : i64, source = "m"} : () -> tensor<16x64xf32>
    %0 = "graph.matmul"(%a, %w) : (tensor<3x16xf32>, tensor<16x64xf32>) -> tensor<3x64xf32>
    return %0 : tensor<3x64xf32>
  }
}
