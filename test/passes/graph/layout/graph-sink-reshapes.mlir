// RUN: mlc-opt %s --graph-sink-reshapes --canonicalize | filecheck %s

// The chain works on the product's own shape; the other operands are reshaped to it.
// CHECK-LABEL: func.func @bias_and_activation
// CHECK-NEXT: %[[P:.*]] = "graph.matmul_packed"
// CHECK-NEXT: %[[B:.*]] = "graph.reshape"(%arg2) {shape = array<i64: 1, 3, 32>}
// CHECK-NEXT: %[[ADD:.*]] = "graph.add"(%[[P]], %[[B]])
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[ADD]])
// CHECK-NEXT: %[[SKIP:.*]] = "graph.reshape"(%arg3) {shape = array<i64: 20, 3, 32>}
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%[[SKIP]], %[[RELU]])
// CHECK-NEXT: %[[R:.*]] = "graph.reshape"(%[[SUM]]) {shape = array<i64: 2, 10, 96>}
// CHECK-NEXT: return %[[R]]
func.func @bias_and_activation(%a: tensor<20x64xf32>, %b: tensor<3x64x32xf32>, %bias: tensor<96xf32>, %skip: tensor<2x10x96xf32>) -> tensor<2x10x96xf32> {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<20x64xf32>, tensor<3x64x32xf32>) -> tensor<20x3x32xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 2, 10, 96>} : (tensor<20x3x32xf32>) -> tensor<2x10x96xf32>
  %2 = "graph.add"(%1, %bias) : (tensor<2x10x96xf32>, tensor<96xf32>) -> tensor<2x10x96xf32>
  %3 = "graph.relu"(%2) : (tensor<2x10x96xf32>) -> tensor<2x10x96xf32>
  %4 = "graph.add"(%skip, %3) : (tensor<2x10x96xf32>, tensor<2x10x96xf32>) -> tensor<2x10x96xf32>
  return %4 : tensor<2x10x96xf32>
}

// A reshape with several uses stays.
// CHECK-LABEL: func.func @same_twice
// CHECK: %[[R:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.mul"(%[[R]], %[[R]])
func.func @same_twice(%a: tensor<20x64xf32>, %b: tensor<3x64x32xf32>) -> tensor<20x96xf32> {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<20x64xf32>, tensor<3x64x32xf32>) -> tensor<20x3x32xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 20, 96>} : (tensor<20x3x32xf32>) -> tensor<20x96xf32>
  %2 = "graph.mul"(%1, %1) : (tensor<20x96xf32>, tensor<20x96xf32>) -> tensor<20x96xf32>
  return %2 : tensor<20x96xf32>
}

// CHECK-LABEL: func.func @two_readers
// CHECK: %[[R:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.relu"(%[[R]])
// CHECK-NEXT: "graph.neg"(%[[R]])
func.func @two_readers(%a: tensor<20x64xf32>, %b: tensor<3x64x32xf32>) -> (tensor<20x96xf32>, tensor<20x96xf32>) {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<20x64xf32>, tensor<3x64x32xf32>) -> tensor<20x3x32xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 20, 96>} : (tensor<20x3x32xf32>) -> tensor<20x96xf32>
  %2 = "graph.relu"(%1) : (tensor<20x96xf32>) -> tensor<20x96xf32>
  %3 = "graph.neg"(%1) : (tensor<20x96xf32>) -> tensor<20x96xf32>
  return %2, %3 : tensor<20x96xf32>, tensor<20x96xf32>
}

// CHECK-LABEL: func.func @not_a_product
// CHECK: %[[R:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.relu"(%[[R]])
func.func @not_a_product(%a: tensor<20x96xf32>) -> tensor<2x10x96xf32> {
  %0 = "graph.softmax"(%a) {axis = 1} : (tensor<20x96xf32>) -> tensor<20x96xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 2, 10, 96>} : (tensor<20x96xf32>) -> tensor<2x10x96xf32>
  %2 = "graph.relu"(%1) : (tensor<2x10x96xf32>) -> tensor<2x10x96xf32>
  return %2 : tensor<2x10x96xf32>
}

// An elementwise op of which every operand is broadcast is an outer product; one that keeps the shape of an
// operand is none.
// CHECK-LABEL: func.func @outer_product
// CHECK: %[[P:.*]] = "graph.mul"
// CHECK: %[[B:.*]] = "graph.reshape"(%arg2) {shape = array<i64: 1, 3, 2, 1>}
// CHECK: %[[ADD:.*]] = "graph.add"(%[[P]], %[[B]])
// CHECK: "graph.reshape"(%[[ADD]]) {shape = array<i64: 4, 6, 5>}
// CHECK: %[[SCALED:.*]] = "graph.mul"
// CHECK: %[[R:.*]] = "graph.reshape"(%[[SCALED]])
// CHECK: "graph.add"(%[[R]], %arg2)
func.func @outer_product(%x: tensor<4x3x1x5xf32>, %w: tensor<3x2x1xf32>, %bias: tensor<6x1xf32>, %y: tensor<4x3x2x5xf32>) -> (tensor<4x6x5xf32>, tensor<4x6x5xf32>) {
  %0 = "graph.mul"(%x, %w) : (tensor<4x3x1x5xf32>, tensor<3x2x1xf32>) -> tensor<4x3x2x5xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 4, 6, 5>} : (tensor<4x3x2x5xf32>) -> tensor<4x6x5xf32>
  %2 = "graph.add"(%1, %bias) : (tensor<4x6x5xf32>, tensor<6x1xf32>) -> tensor<4x6x5xf32>
  %3 = "graph.mul"(%y, %w) : (tensor<4x3x2x5xf32>, tensor<3x2x1xf32>) -> tensor<4x3x2x5xf32>
  %4 = "graph.reshape"(%3) {shape = array<i64: 4, 6, 5>} : (tensor<4x3x2x5xf32>) -> tensor<4x6x5xf32>
  %5 = "graph.add"(%4, %bias) : (tensor<4x6x5xf32>, tensor<6x1xf32>) -> tensor<4x6x5xf32>
  return %2, %5 : tensor<4x6x5xf32>, tensor<4x6x5xf32>
}

// An operand that broadcasts along a part of the product's rows has no shape there.
// CHECK-LABEL: func.func @partial_broadcast
// CHECK: %[[R:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.add"(%[[R]], %arg2)
func.func @partial_broadcast(%a: tensor<20x64xf32>, %b: tensor<3x64x32xf32>, %p: tensor<10x1xf32>, %q: tensor<2x1x96xf32>) -> tensor<2x10x96xf32> {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<20x64xf32>, tensor<3x64x32xf32>) -> tensor<20x3x32xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 2, 10, 96>} : (tensor<20x3x32xf32>) -> tensor<2x10x96xf32>
  %2 = "graph.add"(%1, %p) : (tensor<2x10x96xf32>, tensor<10x1xf32>) -> tensor<2x10x96xf32>
  return %2 : tensor<2x10x96xf32>
}

// The result is larger than the product.
// CHECK-LABEL: func.func @grows
// CHECK: %[[R:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.add"(%[[R]], %arg2)
func.func @grows(%a: tensor<20x64xf32>, %b: tensor<3x64x32xf32>, %q: tensor<4x1x96xf32>) -> tensor<4x20x96xf32> {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<20x64xf32>, tensor<3x64x32xf32>) -> tensor<20x3x32xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 20, 96>} : (tensor<20x3x32xf32>) -> tensor<20x96xf32>
  %2 = "graph.add"(%1, %q) : (tensor<20x96xf32>, tensor<4x1x96xf32>) -> tensor<4x20x96xf32>
  return %2 : tensor<4x20x96xf32>
}

// A scalar broadcasts in any shape; the result has its own element type.
// CHECK-LABEL: func.func @to_boolean
// CHECK: %[[P:.*]] = "graph.matmul_packed"
// CHECK: %[[C:.*]] = "graph.reshape"(%arg2) {shape = array<i64: 1, 1, 1>}
// CHECK: %[[G:.*]] = "graph.greater"(%[[P]], %[[C]]) : {{.*}} -> tensor<20x3x32xi1>
// CHECK: "graph.reshape"(%[[G]]) {{.*}} -> tensor<20x96xi1>
func.func @to_boolean(%a: tensor<20x64xf32>, %b: tensor<3x64x32xf32>, %c: tensor<f32>) -> tensor<20x96xi1> {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<20x64xf32>, tensor<3x64x32xf32>) -> tensor<20x3x32xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 20, 96>} : (tensor<20x3x32xf32>) -> tensor<20x96xf32>
  %2 = "graph.greater"(%1, %c) : (tensor<20x96xf32>, tensor<f32>) -> tensor<20x96xi1>
  return %2 : tensor<20x96xi1>
}

// The other operand has a leading dim of 1 that the reshape lacks; it broadcasts.
// CHECK-LABEL: func.func @leading_one
// CHECK: %[[P:.*]] = "graph.matmul_packed"
// CHECK: %[[R:.*]] = "graph.reshape"(%arg2) {shape = array<i64: 4, 2, 8>}
// CHECK: %[[S:.*]] = "graph.add"(%[[R]], %[[P]]) : (tensor<4x2x8xf32>, tensor<4x2x8xf32>)
// CHECK: "graph.reshape"(%[[S]]) {shape = array<i64: 1, 4, 16>}
func.func @leading_one(%a: tensor<4x4xf32>, %b: tensor<2x4x8xf32>, %c: tensor<1x4x16xf32>) -> tensor<1x4x16xf32> {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<4x4xf32>, tensor<2x4x8xf32>) -> tensor<4x2x8xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 4, 16>} : (tensor<4x2x8xf32>) -> tensor<4x16xf32>
  %2 = "graph.add"(%c, %1) : (tensor<1x4x16xf32>, tensor<4x16xf32>) -> tensor<1x4x16xf32>
  return %2 : tensor<1x4x16xf32>
}

// Two products: the op stays with the one that it follows.
// CHECK-LABEL: func.func @two_products
// CHECK: %[[A:.*]] = "graph.matmul_packed"(%arg0, %arg1)
// CHECK: %[[B:.*]] = "graph.matmul_packed"(%arg0, %arg2)
// CHECK: %[[R:.*]] = "graph.reshape"(%[[B]]) {shape = array<i64: 4, 16>}
// CHECK: %[[S:.*]] = "graph.reshape"(%[[R]]) {shape = array<i64: 4, 2, 8>}
// CHECK: "graph.add"(%[[A]], %[[S]])
func.func @two_products(%a: tensor<4x4xf32>, %b: tensor<2x4x8xf32>, %c: tensor<1x4x16xf32>) -> tensor<4x16xf32> {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<4x4xf32>, tensor<2x4x8xf32>) -> tensor<4x2x8xf32>
  %1 = "graph.matmul_packed"(%a, %c) : (tensor<4x4xf32>, tensor<1x4x16xf32>) -> tensor<4x1x16xf32>
  %2 = "graph.reshape"(%0) {shape = array<i64: 4, 16>} : (tensor<4x2x8xf32>) -> tensor<4x16xf32>
  %3 = "graph.reshape"(%1) {shape = array<i64: 4, 16>} : (tensor<4x1x16xf32>) -> tensor<4x16xf32>
  %4 = "graph.add"(%2, %3) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %4 : tensor<4x16xf32>
}

// The product defines an add's second operand.
// CHECK-LABEL: func.func @second_operand
// CHECK: %[[R:.*]] = "graph.relu"({{.*}}) : (tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
// CHECK: "graph.reshape"(%[[R]])
func.func @second_operand(%a: tensor<4x4xf32>, %b: tensor<2x4x8xf32>, %c: tensor<4x2x8xf32>) -> tensor<4x16xf32> {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<4x4xf32>, tensor<2x4x8xf32>) -> tensor<4x2x8xf32>
  %1 = "graph.add"(%c, %0) : (tensor<4x2x8xf32>, tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: 4, 16>} : (tensor<4x2x8xf32>) -> tensor<4x16xf32>
  %3 = "graph.relu"(%2) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

// A channel shuffle and the padding after it are one kernel then.
// CHECK-LABEL: func.func @padded_shuffle
// CHECK: %[[T:.*]] = "graph.transpose"
// CHECK-NEXT: %[[P:.*]] = "graph.pad"(%[[T]]) {high = array<i64: 0, 0, 0, 1, 2>, low = array<i64: 0, 0, 0, 3, 4>, mode = "constant", value = 0.000000e+00 : f64}
// CHECK-SAME: : (tensor<1x3x4x5x6xf32>) -> tensor<1x3x4x9x12xf32>
// CHECK-NEXT: "graph.reshape"(%[[P]]) {shape = array<i64: 1, 12, 9, 12>}
func.func @padded_shuffle(%x: tensor<1x4x3x5x6xf32>) -> tensor<1x12x9x12xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x4x3x5x6xf32>) -> tensor<1x3x4x5x6xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 1, 12, 5, 6>} : (tensor<1x3x4x5x6xf32>) -> tensor<1x12x5x6xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 0, 3, 4>, high = array<i64: 0, 0, 1, 2>, mode = "constant", value = 0.0} : (tensor<1x12x5x6xf32>) -> tensor<1x12x9x12xf32>
  return %2 : tensor<1x12x9x12xf32>
}

// Padding of what the reshape joins stays where it is; so does padding of something else.
// CHECK-LABEL: func.func @padded_channels
// CHECK: %[[R:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.pad"(%[[R]])
func.func @padded_channels(%x: tensor<1x4x3x5x6xf32>) -> tensor<1x13x5x6xf32> {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x4x3x5x6xf32>) -> tensor<1x3x4x5x6xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 1, 12, 5, 6>} : (tensor<1x3x4x5x6xf32>) -> tensor<1x12x5x6xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 0, 0>, mode = "constant", value = 0.0} : (tensor<1x12x5x6xf32>) -> tensor<1x13x5x6xf32>
  return %2 : tensor<1x13x5x6xf32>
}

// CHECK-LABEL: func.func @padded_product
// CHECK: %[[R:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.pad"(%[[R]])
func.func @padded_product(%a: tensor<4x5x7xf32>, %b: tensor<4x7x6xf32>) -> tensor<1x4x7x6xf32> {
  %0 = "graph.matmul"(%a, %b) : (tensor<4x5x7xf32>, tensor<4x7x6xf32>) -> tensor<4x5x6xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 1, 4, 5, 6>} : (tensor<4x5x6xf32>) -> tensor<1x4x5x6xf32>
  %2 = "graph.pad"(%1) {low = array<i64: 0, 0, 1, 0>, high = array<i64: 0, 0, 1, 0>, mode = "constant", value = 0.0} : (tensor<1x4x5x6xf32>) -> tensor<1x4x7x6xf32>
  return %2 : tensor<1x4x7x6xf32>
}

// A channel shuffle of a product: whole rows are permuted, as the product stores them.
// CHECK-LABEL: func.func @shuffle
// CHECK: %[[RELU:.*]] = "graph.relu"({{.*}}) : (tensor<1x4x8x784xf32>)
// CHECK: %[[T:.*]] = "graph.transpose"(%[[RELU]]) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x4x8x784xf32>) -> tensor<1x8x4x784xf32>
// CHECK: %[[R:.*]] = "graph.reshape"(%[[T]]) {shape = array<i64: 1, 8, 4, 28, 28>}
// CHECK: return %[[R]]
func.func @shuffle(%w: tensor<4x8x8xf32>, %x: tensor<1x4x8x784xf32>) -> tensor<1x8x4x28x28xf32> {
  %0 = "graph.matmul"(%w, %x) : (tensor<4x8x8xf32>, tensor<1x4x8x784xf32>) -> tensor<1x4x8x784xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 1, 32, 28, 28>} : (tensor<1x4x8x784xf32>) -> tensor<1x32x28x28xf32>
  %2 = "graph.relu"(%1) : (tensor<1x32x28x28xf32>) -> tensor<1x32x28x28xf32>
  %3 = "graph.reshape"(%2) {shape = array<i64: 1, 4, 8, 28, 28>} : (tensor<1x32x28x28xf32>) -> tensor<1x4x8x28x28xf32>
  %4 = "graph.transpose"(%3) {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x4x8x28x28xf32>) -> tensor<1x8x4x28x28xf32>
  return %4 : tensor<1x8x4x28x28xf32>
}

// Groups of heads are joined after the transpose, which attention writes its result through.
// CHECK-LABEL: func.func @groups_of_heads
// CHECK: %[[A:.*]] = "graph.attention"
// CHECK-NEXT: %[[T:.*]] = "graph.transpose"(%[[A]]) {permutation = array<i64: 0, 3, 1, 2, 4>}
// CHECK-NEXT: "graph.reshape"(%[[T]]) {shape = array<i64: 1, 48, 8, 16>}
func.func @groups_of_heads(%q: tensor<1x2x4x48x16xf32>, %k: tensor<1x2x1x40x16xf32>) -> tensor<1x48x128xf32> {
  %0 = "graph.attention"(%q, %k, %k) {scale = 1.0} : (tensor<1x2x4x48x16xf32>, tensor<1x2x1x40x16xf32>, tensor<1x2x1x40x16xf32>) -> tensor<1x2x4x48x16xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 1, 8, 48, 16>} : (tensor<1x2x4x48x16xf32>) -> tensor<1x8x48x16xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x8x48x16xf32>) -> tensor<1x48x8x16xf32>
  %3 = "graph.reshape"(%2) {shape = array<i64: 1, 48, 128>} : (tensor<1x48x8x16xf32>) -> tensor<1x48x128xf32>
  return %3 : tensor<1x48x128xf32>
}

// Dims of a row part, or the rows do not stay innermost: the reshape stays where it is. So it does after other ops.
// CHECK-LABEL: func.func @other_transposes
// CHECK: %[[R:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.transpose"(%[[R]]) {permutation = array<i64: 3, 1, 2, 0>}
// CHECK: %[[S:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.transpose"(%[[S]]) {permutation = array<i64: 2, 3, 0, 1>}
// CHECK: %[[Q:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.transpose"(%[[Q]])
func.func @other_transposes(%w: tensor<4x8x8xf32>, %x: tensor<4x8x784xf32>) -> (tensor<28x8x28x4xf32>, tensor<28x28x4x8xf32>, tensor<8x4x28x28xf32>) {
  %0 = "graph.matmul"(%w, %x) : (tensor<4x8x8xf32>, tensor<4x8x784xf32>) -> tensor<4x8x784xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 4, 8, 28, 28>} : (tensor<4x8x784xf32>) -> tensor<4x8x28x28xf32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 3, 1, 2, 0>} : (tensor<4x8x28x28xf32>) -> tensor<28x8x28x4xf32>
  %3 = "graph.reshape"(%0) {shape = array<i64: 4, 8, 28, 28>} : (tensor<4x8x784xf32>) -> tensor<4x8x28x28xf32>
  %4 = "graph.transpose"(%3) {permutation = array<i64: 2, 3, 0, 1>} : (tensor<4x8x28x28xf32>) -> tensor<28x28x4x8xf32>
  %5 = "graph.softmax"(%x) {axis = 2} : (tensor<4x8x784xf32>) -> tensor<4x8x784xf32>
  %6 = "graph.reshape"(%5) {shape = array<i64: 4, 8, 28, 28>} : (tensor<4x8x784xf32>) -> tensor<4x8x28x28xf32>
  %7 = "graph.transpose"(%6) {permutation = array<i64: 1, 0, 2, 3>} : (tensor<4x8x28x28xf32>) -> tensor<8x4x28x28xf32>
  return %2, %4, %7 : tensor<28x8x28x4xf32>, tensor<28x28x4x8xf32>, tensor<8x4x28x28xf32>
}

// A conversion that belongs to its reader stays next to it.
// CHECK-LABEL: func.func @on_read
// CHECK: %[[P:.*]] = "graph.matmul"
// CHECK-NEXT: %[[C:.*]] = "graph.cast"(%[[P]])
// CHECK-NEXT: %[[R:.*]] = "graph.reshape"(%[[C]]) {shape = array<i64: 5, 4, 32>} : (tensor<20x32xi8>) -> tensor<5x4x32xi8>
// CHECK-NEXT: %[[W:.*]] = "graph.cast"(%[[R]]) {graph.rematerialize, saturate = true}
// CHECK-NEXT: "graph.matmul"(%[[W]], %arg2)
func.func @on_read(%a: tensor<20x64xi32>, %b: tensor<64x32xi32>, %c: tensor<32x8xi32>) -> tensor<5x4x8xi32> {
  %0 = "graph.matmul"(%a, %b) : (tensor<20x64xi32>, tensor<64x32xi32>) -> tensor<20x32xi32>
  %1 = "graph.cast"(%0) : (tensor<20x32xi32>) -> tensor<20x32xi8>
  %2 = "graph.reshape"(%1) {shape = array<i64: 5, 4, 32>} : (tensor<20x32xi8>) -> tensor<5x4x32xi8>
  %3 = "graph.cast"(%2) {graph.rematerialize, saturate = true} : (tensor<5x4x32xi8>) -> tensor<5x4x32xi32>
  %4 = "graph.matmul"(%3, %c) : (tensor<5x4x32xi32>, tensor<32x8xi32>) -> tensor<5x4x8xi32>
  return %4 : tensor<5x4x8xi32>
}
