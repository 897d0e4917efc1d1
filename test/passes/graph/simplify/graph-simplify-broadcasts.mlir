// RUN: mlc-opt %s --graph-simplify-broadcasts --canonicalize | filecheck %s
// RUN: mlc-opt %s --graph-simplify-broadcasts="exactness=exact" --canonicalize | filecheck %s --check-prefix=EXACT

// Elementwise ops broadcast by themselves.
// CHECK-LABEL: func.func @operands
// CHECK-NEXT: %[[ADD:.*]] = "graph.add"(%arg0, %arg1) : (tensor<?x4xf32>, tensor<1xf32>)
// CHECK-NEXT: %[[MUL:.*]] = "graph.mul"(%arg0, %arg2) : (tensor<?x4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[TWO:.*]] = "graph.constant"() {value = dense<2.000000e+00> : tensor<f32>}
// CHECK-NEXT: %[[SUB:.*]] = "graph.sub"(%arg0, %[[TWO]])
// CHECK-NEXT: %[[TILE:.*]] = "graph.max"(%arg0, %arg3) : (tensor<?x4xf32>, tensor<1x1xf32>)
// CHECK-NEXT: return %[[ADD]], %[[MUL]], %[[SUB]], %[[TILE]]
func.func @operands(%x: tensor<?x4xf32>, %number: tensor<1xf32>, %v: tensor<4xf32>, %one: tensor<1x1xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c = "graph.constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "graph.expand"(%number) {shape = array<i64: 1, 4>} : (tensor<1xf32>) -> tensor<1x4xf32>
  %1 = "graph.add"(%x, %0) : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %2 = "graph.unsqueeze"(%v) {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<1x4xf32>
  %3 = "graph.mul"(%x, %2) : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %4 = "graph.sub"(%x, %c) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %5 = "graph.tile"(%one) {repeats = array<i64: 1, 4>} : (tensor<1x1xf32>) -> tensor<1x4xf32>
  %6 = "graph.max"(%x, %5) : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %1, %3, %4, %6 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// A dim that only `dims` gives may be larger than the other operand's.
// CHECK-LABEL: func.func @operands_kept
// CHECK: %[[LARGER:.*]] = "graph.expand"(%arg0, %arg2)
// CHECK: "graph.add"(%arg1, %[[LARGER]])
func.func @operands_kept(%x: tensor<1x4xf32>, %y: tensor<?x4xf32>, %dims: tensor<2xi64>) -> tensor<?x4xf32> {
  %0 = "graph.expand"(%x, %dims) {shape = array<i64: -1, 4>, operandSegmentSizes = array<i32: 1, 1>} : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %1 = "graph.add"(%y, %0) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// What is computed before the expansion is computed once per element.
// CHECK-LABEL: func.func @computed_before
// CHECK-NEXT: %[[EXP:.*]] = "graph.exp"(%arg0) : (tensor<4x1xf32>)
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%[[EXP]], %arg0) : (tensor<4x1xf32>, tensor<4x1xf32>)
// CHECK-NEXT: %[[HALF:.*]] = "graph.cast"(%[[SUM]]) {{.*}} -> tensor<4x1xf16>
// CHECK-NEXT: %[[RESULT:.*]] = "graph.expand"(%[[HALF]]) {shape = array<i64: 4, 8>}
// CHECK-NEXT: return %[[RESULT]]
func.func @computed_before(%x: tensor<4x1xf32>) -> tensor<4x8xf16> {
  %0 = "graph.expand"(%x) {shape = array<i64: 4, 8>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %1 = "graph.exp"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "graph.expand"(%x) {shape = array<i64: 4, 8>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %3 = "graph.add"(%1, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "graph.cast"(%3) : (tensor<4x8xf32>) -> tensor<4x8xf16>
  return %4 : tensor<4x8xf16>
}

// An expansion that something else reads as well stays where it is.
// CHECK-LABEL: func.func @expanded_anyway
// CHECK-NEXT: %[[LARGER:.*]] = "graph.expand"(%arg0)
// CHECK-NEXT: %[[EXP:.*]] = "graph.exp"(%[[LARGER]])
// CHECK-NEXT: return %[[LARGER]], %[[EXP]]
func.func @expanded_anyway(%x: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = "graph.expand"(%x) {shape = array<i64: 4, 8>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %1 = "graph.exp"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Batch dims of products broadcast, rows do not.
// CHECK-LABEL: func.func @products
// CHECK-NEXT: %[[BATCH:.*]] = "graph.matmul"(%arg0, %arg1) : (tensor<1x4x8xf32>, tensor<6x8x2xf32>)
// CHECK-NEXT: %[[ROWS:.*]] = "graph.expand"(%arg2)
// CHECK-NEXT: %[[PRODUCT:.*]] = "graph.matmul"(%[[ROWS]], %arg1)
// CHECK-NEXT: return %[[BATCH]], %[[PRODUCT]]
func.func @products(%a: tensor<1x4x8xf32>, %b: tensor<6x8x2xf32>, %c: tensor<6x1x8xf32>) -> (tensor<6x4x2xf32>, tensor<6x4x2xf32>) {
  %0 = "graph.expand"(%a) {shape = array<i64: 6, 4, 8>} : (tensor<1x4x8xf32>) -> tensor<6x4x8xf32>
  %1 = "graph.matmul"(%0, %b) : (tensor<6x4x8xf32>, tensor<6x8x2xf32>) -> tensor<6x4x2xf32>
  %2 = "graph.expand"(%c) {shape = array<i64: 6, 4, 8>} : (tensor<6x1x8xf32>) -> tensor<6x4x8xf32>
  %3 = "graph.matmul"(%2, %b) : (tensor<6x4x8xf32>, tensor<6x8x2xf32>) -> tensor<6x4x2xf32>
  return %1, %3 : tensor<6x4x2xf32>, tensor<6x4x2xf32>
}

// CHECK-LABEL: func.func @reductions
// CHECK: %[[MAX:.*]] = "graph.reshape"(%arg0) {shape = array<i64: 4>}
// CHECK: %[[EIGHT:.*]] = "graph.constant"() {value = dense<8.000000e+00> : tensor<f32>}
// CHECK: %[[SUM:.*]] = "graph.mul"(%arg0, %[[EIGHT]])
// CHECK: %[[KEPT:.*]] = "graph.reduce_max"
// CHECK-NEXT: return %[[MAX]], %[[SUM]], %[[KEPT]]
// EXACT-LABEL: func.func @reductions
// EXACT: "graph.reshape"(%arg0)
// EXACT: "graph.reduce_sum"
func.func @reductions(%x: tensor<4x1xf32>) -> (tensor<4xf32>, tensor<4x1xf32>, tensor<8xf32>) {
  %0 = "graph.expand"(%x) {shape = array<i64: 4, 8>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %1 = "graph.reduce_max"(%0) {axes = array<i64: 1>, keepdims = false} : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = "graph.reduce_sum"(%0) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %3 = "graph.reduce_max"(%0) {axes = array<i64: 0>, keepdims = false} : (tensor<4x8xf32>) -> tensor<8xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4x1xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @expansions
// CHECK-NEXT: %[[VECTOR:.*]] = "graph.expand"(%arg0) {shape = array<i64: 3, 4>} : (tensor<4xf32>)
// CHECK-NEXT: %[[TILE:.*]] = "graph.expand"(%arg1) {shape = array<i64: 4, 5>}
// CHECK-NEXT: %[[KEPT:.*]] = "graph.tile"(%arg0)
// CHECK-NEXT: return %[[VECTOR]], %[[TILE]], %[[KEPT]]
func.func @expansions(%v: tensor<4xf32>, %x: tensor<4x1xf32>) -> (tensor<3x4xf32>, tensor<4x5xf32>, tensor<8xf32>) {
  %0 = "graph.reshape"(%v) {shape = array<i64: 1, 4>} : (tensor<4xf32>) -> tensor<1x4xf32>
  %1 = "graph.expand"(%0) {shape = array<i64: 3, 4>} : (tensor<1x4xf32>) -> tensor<3x4xf32>
  %2 = "graph.tile"(%x) {repeats = array<i64: 1, 5>} : (tensor<4x1xf32>) -> tensor<4x5xf32>
  %3 = "graph.tile"(%v) {repeats = array<i64: 2>} : (tensor<4xf32>) -> tensor<8xf32>
  return %1, %2, %3 : tensor<3x4xf32>, tensor<4x5xf32>, tensor<8xf32>
}

// The number of copies wraps as the sum of integers does; what a float cannot count is left.
// CHECK-LABEL: func.func @counts
// CHECK-NEXT: %[[WRAPPED:.*]] = "graph.constant"() {value = dense<44> : tensor<i8>}
// CHECK-NEXT: %[[PRODUCT:.*]] = "graph.mul"(%arg0, %[[WRAPPED]])
// CHECK-NEXT: %[[COPIES:.*]] = "graph.expand"(%arg1)
// CHECK-NEXT: %[[SUM:.*]] = "graph.reduce_sum"(%[[COPIES]])
// CHECK-NEXT: return %[[PRODUCT]], %[[SUM]]
func.func @counts(%i: tensor<1xi8>, %h: tensor<1xf16>) -> (tensor<1xi8>, tensor<1xf16>) {
  %0 = "graph.expand"(%i) {shape = array<i64: 300>} : (tensor<1xi8>) -> tensor<300xi8>
  %1 = "graph.reduce_sum"(%0) {axes = array<i64: 0>, keepdims = true} : (tensor<300xi8>) -> tensor<1xi8>
  %2 = "graph.expand"(%h) {shape = array<i64: 100000>} : (tensor<1xf16>) -> tensor<100000xf16>
  %3 = "graph.reduce_sum"(%2) {axes = array<i64: 0>, keepdims = true} : (tensor<100000xf16>) -> tensor<1xf16>
  return %1, %3 : tensor<1xi8>, tensor<1xf16>
}

// A reduction of no copies is not of the element that was not copied.
// CHECK-LABEL: func.func @no_copies
// CHECK-NEXT: %[[NONE:.*]] = "graph.expand"(%arg0)
// CHECK-NEXT: %[[MAX:.*]] = "graph.reduce_max"(%[[NONE]])
// CHECK-NEXT: %[[MEAN:.*]] = "graph.reduce_mean"(%[[NONE]])
// CHECK-NEXT: %[[SUM:.*]] = "graph.reduce_sum"(%[[NONE]])
// CHECK-NEXT: return %[[MAX]], %[[MEAN]], %[[SUM]]
func.func @no_copies(%x: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = "graph.expand"(%x) {shape = array<i64: 0>} : (tensor<1xf32>) -> tensor<0xf32>
  %1 = "graph.reduce_max"(%0) {axes = array<i64: 0>, keepdims = true} : (tensor<0xf32>) -> tensor<1xf32>
  %2 = "graph.reduce_mean"(%0) {axes = array<i64: 0>, keepdims = true} : (tensor<0xf32>) -> tensor<1xf32>
  %3 = "graph.reduce_sum"(%0) {axes = array<i64: 0>, keepdims = true} : (tensor<0xf32>) -> tensor<1xf32>
  return %1, %2, %3 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// A fill of dynamic dims may make the result longer.
// CHECK-LABEL: func.func @fill_of_unknown_dims
// CHECK-NEXT: %[[FULL:.*]] = "graph.full"(%arg1)
// CHECK-NEXT: "graph.add"(%arg0, %[[FULL]])
func.func @fill_of_unknown_dims(%x: tensor<?xf32>, %n: tensor<1xi64>) -> tensor<?xf32> {
  %four = "graph.full"(%n) {value = 4.0} : (tensor<1xi64>) -> tensor<?xf32>
  %0 = "graph.add"(%x, %four) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
