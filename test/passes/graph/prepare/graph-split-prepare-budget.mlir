// RUN: mlc-opt %s --split-input-file --graph-split-prepare=budget=64 | filecheck %s

// An expansion of 240 bytes beyond its source stays in @main, and what it expands moves.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[P:.*]] = "graph.prepared"() {index = 0 : i64} : () -> tensor<1x4xf32>
// CHECK-NEXT: %[[E:.*]] = "graph.expand"(%[[P]])
// CHECK-NEXT: "graph.add"(%arg0, %[[E]])
// CHECK: func.func @prepare() -> tensor<1x4xf32>
func.func @main(%x: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16 : i64, hash = "a"} : () -> tensor<1x4xf32>
  %0 = "graph.neg"(%w) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = "graph.expand"(%0) {shape = array<i64: 16, 4>} : (tensor<1x4xf32>) -> tensor<16x4xf32>
  %2 = "graph.add"(%x, %1) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  return %2 : tensor<16x4xf32>
}

// -----

// The budget pays for the results that grow least: two that grow by 32 bytes, in the program's order, but
// not for the one that grows by 112 bytes.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = "graph.weight"
// CHECK-NEXT: %[[T:.*]] = "graph.tile"(%[[W]]) {repeats = array<i64: 8>}
// CHECK-NEXT: %[[P:.*]] = "graph.prepared"() {index = 0 : i64} : () -> tensor<12xf32>
// CHECK-NEXT: %[[Q:.*]] = "graph.prepared"() {index = 1 : i64} : () -> tensor<12xf32>
// CHECK-NEXT: return %[[T]], %[[P]], %[[Q]]
// CHECK: func.func @prepare() -> (tensor<12xf32>, tensor<12xf32>)
func.func @main() -> (tensor<32xf32>, tensor<12xf32>, tensor<12xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16 : i64, hash = "a"} : () -> tensor<4xf32>
  %v = "graph.weight"() {source = "m.onnx", offset = 16 : i64, size = 16 : i64, hash = "b"} : () -> tensor<4xf32>
  %u = "graph.weight"() {source = "m.onnx", offset = 32 : i64, size = 16 : i64, hash = "c"} : () -> tensor<4xf32>
  %0 = "graph.tile"(%w) {repeats = array<i64: 8>} : (tensor<4xf32>) -> tensor<32xf32>
  %1 = "graph.tile"(%v) {repeats = array<i64: 3>} : (tensor<4xf32>) -> tensor<12xf32>
  %2 = "graph.tile"(%u) {repeats = array<i64: 3>} : (tensor<4xf32>) -> tensor<12xf32>
  return %0, %1, %2 : tensor<32xf32>, tensor<12xf32>, tensor<12xf32>
}

// -----

// An outer product stays; a reduction of it is small and moves, its factors are weights already.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[W:.*]] = "graph.weight"() {hash = "a"
// CHECK-DAG: %[[V:.*]] = "graph.weight"() {hash = "b"
// CHECK: %[[O:.*]] = "graph.mul"(%[[W]], %[[V]])
// CHECK-NEXT: %[[P:.*]] = "graph.prepared"() {index = 0 : i64} : () -> tensor<8xf32>
// CHECK-NEXT: return %[[O]], %[[P]]
func.func @main() -> (tensor<8x8xf32>, tensor<8xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 32 : i64, hash = "a"} : () -> tensor<8x1xf32>
  %v = "graph.weight"() {source = "m.onnx", offset = 32 : i64, size = 32 : i64, hash = "b"} : () -> tensor<1x8xf32>
  %0 = "graph.mul"(%w, %v) : (tensor<8x1xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
  %1 = "graph.reduce_sum"(%0) {axes = array<i64: 0>, keepdims = false} : (tensor<8x8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// A wider element type is no growth; a fill has no elements to replace.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[F:.*]] = "graph.full"
// CHECK-NEXT: %[[P:.*]] = "graph.prepared"() {index = 0 : i64} : () -> tensor<64xf64>
// CHECK-NEXT: %[[N:.*]] = "graph.neg"(%[[F]])
// CHECK-NEXT: return %[[P]], %[[N]]
func.func @main() -> (tensor<64xf64>, tensor<64xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 64 : i64, hash = "a"} : () -> tensor<64xi8>
  %f = "graph.full"() {value = 1.0 : f64} : () -> tensor<64xf32>
  %0 = "graph.cast"(%w) : (tensor<64xi8>) -> tensor<64xf64>
  %1 = "graph.neg"(%f) : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64xf64>, tensor<64xf32>
}

// -----

// Several copies of one weight: the first is free, the second takes the budget's 64 bytes, the third stays.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = "graph.weight"
// CHECK-NEXT: %[[P:.*]] = "graph.prepared"() {index = 0 : i64}
// CHECK-NEXT: %[[Q:.*]] = "graph.prepared"() {index = 1 : i64}
// CHECK-NEXT: %[[E:.*]] = "graph.exp"(%[[W]])
// CHECK-NEXT: return %[[P]], %[[Q]], %[[E]]
// CHECK: func.func @prepare
func.func @main() -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 64 : i64, hash = "a"} : () -> tensor<16xf32>
  %0 = "graph.neg"(%w) : (tensor<16xf32>) -> tensor<16xf32>
  %1 = "graph.abs"(%w) : (tensor<16xf32>) -> tensor<16xf32>
  %2 = "graph.exp"(%w) : (tensor<16xf32>) -> tensor<16xf32>
  return %0, %1, %2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// -----

// Nothing that the budget pays for: no @prepare.
// CHECK-LABEL: func.func @main
// CHECK: graph.tile
// CHECK-NOT: graph.prepared
// CHECK-NOT: @prepare
func.func @main() -> tensor<64xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16 : i64, hash = "a"} : () -> tensor<4xf32>
  %0 = "graph.tile"(%w) {repeats = array<i64: 16>} : (tensor<4xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
