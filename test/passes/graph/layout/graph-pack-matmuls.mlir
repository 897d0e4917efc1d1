// RUN: mlc-opt %s --graph-pack-matmuls | filecheck %s

// Batch dims become rows; a panel has 32 columns.
// CHECK-LABEL: func.func @batched
// CHECK: %[[X:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 20, 64>}
// CHECK: %[[W:.*]] = "graph.pack"(%0) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 32>, outer_permutation = array<i64: 1, 0>} : {{.*}} -> tensor<3x64x32xf32>
// CHECK: %[[P:.*]] = "graph.matmul_packed"(%[[X]], %[[W]]) : {{.*}} -> tensor<20x3x32xf32>
// CHECK: %[[R:.*]] = "graph.reshape"(%[[P]]) {shape = array<i64: 2, 10, 96>}
// CHECK: return %[[R]]
func.func @batched(%x: tensor<2x10x64xf32>) -> tensor<2x10x96xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 24576, hash = "0"} : () -> tensor<64x96xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<2x10x64xf32>, tensor<64x96xf32>) -> tensor<2x10x96xf32>
  return %0 : tensor<2x10x96xf32>
}

// The last panel is padded with zeros, and its surplus columns are cut off again.
// CHECK-LABEL: func.func @padded
// CHECK: "graph.pack"({{.*}}padding = 0.000000e+00 : f64} : (tensor<64x50xf32>) -> tensor<2x64x32xf32>
// CHECK: %[[P:.*]] = "graph.matmul_packed"
// CHECK: %[[ALL:.*]] = "graph.reshape"(%[[P]]) {shape = array<i64: 5, 64>}
// CHECK: "graph.slice"(%[[ALL]]) {sizes = array<i64: 5, 50>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>}
func.func @padded(%x: tensor<5x64xf32>) -> tensor<5x50xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 12800, hash = "0"} : () -> tensor<64x50xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<5x64xf32>, tensor<64x50xf32>) -> tensor<5x50xf32>
  return %0 : tensor<5x50xf32>
}

// At most 16 columns: one panel of 16.
// CHECK-LABEL: func.func @narrow
// CHECK: "graph.pack"({{.*}}inner_tiles = array<i64: 16>{{.*}} -> tensor<1x64x16xf32>
// CHECK: "graph.slice"({{.*}} -> tensor<5x10xf32>
func.func @narrow(%x: tensor<5x64xf32>) -> tensor<5x10xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 2560, hash = "0"} : () -> tensor<64x10xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<5x64xf32>, tensor<64x10xf32>) -> tensor<5x10xf32>
  return %0 : tensor<5x10xf32>
}

// CHECK-LABEL: func.func @vector
// CHECK: "graph.matmul_packed"({{.*}} : (tensor<1x64xf32>, tensor<2x64x32xf32>)
// CHECK: "graph.reshape"({{.*}} -> tensor<64xf32>
func.func @vector(%x: tensor<64xf32>) -> tensor<64xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 16384, hash = "0"} : () -> tensor<64x64xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Kept: a right-hand side computed at run time, f64, a product with a vector.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: matmul_packed
// CHECK: return
func.func @kept(%x: tensor<5x64xf32>, %y: tensor<64x64xf32>, %h: tensor<5x64xf64>) -> (tensor<5x64xf32>, tensor<5x64xf64>, tensor<5xf32>) {
  %u = "graph.weight"() {source = "w", offset = 0, size = 256, hash = "0"} : () -> tensor<64xf32>
  %v = "graph.weight"() {source = "w", offset = 0, size = 32768, hash = "0"} : () -> tensor<64x64xf64>
  %0 = "graph.matmul"(%x, %y) : (tensor<5x64xf32>, tensor<64x64xf32>) -> tensor<5x64xf32>
  %2 = "graph.matmul"(%h, %v) : (tensor<5x64xf64>, tensor<64x64xf64>) -> tensor<5x64xf64>
  %3 = "graph.matmul"(%x, %u) : (tensor<5x64xf32>, tensor<64xf32>) -> tensor<5xf32>
  return %0, %2, %3 : tensor<5x64xf32>, tensor<5x64xf64>, tensor<5xf32>
}

// Dynamic rows are one dim of the product; columns that do not fill panels are cut off.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[ROWS:.*]] = "graph.reshape"(%arg0) {graph.dims = {{.}}["batch*seq", ""]], shape = array<i64: -1, 64>}
// CHECK: %[[PACKED:.*]] = "graph.pack"
// CHECK-SAME: padding = 0.000000e+00
// CHECK: %[[PRODUCT:.*]] = "graph.matmul_packed"(%[[ROWS]], %[[PACKED]]) {graph.dims = {{.}}["batch*seq", "", ""]]}
// CHECK: %[[WHOLE:.*]] = "graph.reshape"(%[[PRODUCT]]) {{.*}}shape = array<i64: -1, 64>
// CHECK: %[[CUT:.*]] = "graph.slice"(%[[WHOLE]]) {graph.dims = {{.}}["batch*seq", ""]], sizes = array<i64: -1, 60>
// CHECK: %[[SIZES:.*]] = "graph.sizes"(%{{.*}}) {dims = ["batch", "seq", "60"]
// CHECK: "graph.reshape"(%[[CUT]], %[[SIZES]]) {graph.dims = {{.}}["batch", "seq", ""]], shape = array<i64: -1, -1, 60>}
func.func @dynamic(%x: tensor<?x?x64xf32> {graph.dims = ["batch", "seq", ""]}) -> tensor<?x?x60xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 15360, hash = "0"} : () -> tensor<64x60xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<?x?x64xf32>, tensor<64x60xf32>) -> tensor<?x?x60xf32>
  return %0 : tensor<?x?x60xf32>
}
