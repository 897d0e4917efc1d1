// RUN: mlc-opt %s --split-input-file --graph-narrow-integer-products --canonicalize | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-narrow-integer-products --canonicalize --cse --graph-split-prepare --cse --graph-form-kernels | filecheck %s --check-prefix=KERNELS

// Conversions belong to the product, and what the zero point of the left operand adds is subtracted after it: the sums
// of the weight's columns, which are work for @prepare.
// CHECK-LABEL: func.func @main
// CHECK: %[[Z:.*]] = "graph.cast"(%arg1) : (tensor<ui8>) -> tensor<i32>
// CHECK-DAG: %[[X:.*]] = "graph.cast"(%arg0) {graph.rematerialize, saturate = true} : (tensor<16x64xui8>) -> tensor<16x64xi32>
// CHECK-DAG: %[[Y:.*]] = "graph.cast"(%[[W:.*]]) {graph.rematerialize, saturate = true} : (tensor<64x8xi8>) -> tensor<64x8xi32>
// CHECK: %[[P:.*]] = "graph.matmul"(%[[X]], %[[Y]])
// CHECK: %[[V:.*]] = "graph.cast"(%[[W]]) {saturate = true}
// CHECK: %[[S:.*]] = "graph.reduce_sum"(%[[V]]) {axes = array<i64: 0>, keepdims = true} : (tensor<64x8xi32>) -> tensor<1x8xi32>
// CHECK: %[[C:.*]] = "graph.mul"(%[[S]], %[[Z]])
// CHECK: %[[R:.*]] = "graph.sub"(%[[P]], %[[C]])
// CHECK: return %[[R]]

// One kernel: conversions, product, subtraction.
// KERNELS-LABEL: func.func @main
// KERNELS: kernel = @cast_cast_matmul_sub
// KERNELS-LABEL: func.func @prepare
// KERNELS: kernel = @cast_reduce_sum
func.func @main(%x: tensor<16x64xui8>, %z: tensor<ui8>) -> tensor<16x8xi32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 512, hash = "0"} : () -> tensor<64x8xi8>
  %0 = "graph.cast"(%x) : (tensor<16x64xui8>) -> tensor<16x64xi32>
  %1 = "graph.cast"(%z) : (tensor<ui8>) -> tensor<i32>
  %2 = "graph.sub"(%0, %1) : (tensor<16x64xi32>, tensor<i32>) -> tensor<16x64xi32>
  %3 = "graph.cast"(%w) : (tensor<64x8xi8>) -> tensor<64x8xi32>
  %4 = "graph.matmul"(%2, %3) : (tensor<16x64xi32>, tensor<64x8xi32>) -> tensor<16x8xi32>
  return %4 : tensor<16x8xi32>
}

// -----

// Zero points of both: of the right operand's the sums of the left one's rows, K of which are in the other sums.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = "graph.matmul"(
// CHECK: %[[X:.*]] = "graph.cast"(%arg0) {graph.rematerialize, saturate = true}
// CHECK: %[[ROWS:.*]] = "graph.reduce_sum"(%[[X]]) {axes = array<i64: 2>, keepdims = true} : (tensor<3x16x64xi32>) -> tensor<3x16x1xi32>
// CHECK: %[[A:.*]] = "graph.mul"(%[[ROWS]], %arg3)
// CHECK: %[[B:.*]] = "graph.sub"(%[[P]], %[[A]])
// CHECK: %[[COLUMNS:.*]] = "graph.reduce_sum"({{.*}}) {axes = array<i64: 0>, keepdims = true} : (tensor<64x8xi32>) -> tensor<1x8xi32>
// CHECK-NEXT: %[[K:.*]] = "graph.constant"() {value = dense<64> : tensor<i32>}
// CHECK-NEXT: %[[C:.*]] = "graph.mul"(%[[K]], %arg3)
// CHECK: %[[D:.*]] = "graph.sub"(%[[COLUMNS]], %[[C]])
// CHECK: %[[E:.*]] = "graph.mul"(%[[D]], %arg2)
// CHECK: %[[R:.*]] = "graph.sub"(%[[B]], %[[E]])
// CHECK: return %[[R]]

// KERNELS-LABEL: func.func @main
// KERNELS-DAG: kernel = @cast_reduce_sum
// KERNELS-DAG: kernel = @cast_cast_matmul
func.func @main(%x: tensor<3x16x64xui8>, %y: tensor<64x8xui8>, %z: tensor<16x1xi32>, %v: tensor<8xi32>) -> tensor<3x16x8xi32> {
  %0 = "graph.cast"(%x) : (tensor<3x16x64xui8>) -> tensor<3x16x64xi32>
  %1 = "graph.sub"(%0, %z) : (tensor<3x16x64xi32>, tensor<16x1xi32>) -> tensor<3x16x64xi32>
  %2 = "graph.cast"(%y) : (tensor<64x8xui8>) -> tensor<64x8xi32>
  %3 = "graph.sub"(%2, %v) : (tensor<64x8xi32>, tensor<8xi32>) -> tensor<64x8xi32>
  %4 = "graph.matmul"(%1, %3) : (tensor<3x16x64xi32>, tensor<64x8xi32>) -> tensor<3x16x8xi32>
  return %4 : tensor<3x16x8xi32>
}

// -----

// Weights of ui8 around 128 are numbers of i8 around 0, which @prepare makes.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "graph.weight"()
// CHECK: %[[I:.*]] = "graph.cast"(%[[W]]) {saturate = true} : (tensor<64x8xui8>) -> tensor<64x8xi32>
// CHECK: %[[S:.*]] = "graph.sub"(%[[I]], %{{.*}})
// CHECK: %[[N:.*]] = "graph.cast"(%[[S]]) {saturate = true} : (tensor<64x8xi32>) -> tensor<64x8xi8>
// CHECK: %[[Y:.*]] = "graph.cast"(%[[N]]) {graph.rematerialize, saturate = true}
// CHECK: %[[P:.*]] = "graph.matmul"(%{{.*}}, %[[Y]])
// CHECK-NEXT: return %[[P]]
func.func @main(%x: tensor<16x64xui8>) -> tensor<16x8xi32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 512, hash = "0"} : () -> tensor<64x8xui8>
  %z = "graph.constant"() {value = dense<128> : tensor<i32>} : () -> tensor<i32>
  %0 = "graph.cast"(%x) : (tensor<16x64xui8>) -> tensor<16x64xi32>
  %1 = "graph.cast"(%w) : (tensor<64x8xui8>) -> tensor<64x8xi32>
  %2 = "graph.sub"(%1, %z) : (tensor<64x8xi32>, tensor<i32>) -> tensor<64x8xi32>
  %3 = "graph.matmul"(%0, %2) : (tensor<16x64xi32>, tensor<64x8xi32>) -> tensor<16x8xi32>
  return %3 : tensor<16x8xi32>
}

// -----

// A zero point that changes along the reduction, integers of 16 bits, and vectors stay as they are.
// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.rematerialize
func.func @main(%x: tensor<16x64xi8>, %y: tensor<64x8xi8>, %z: tensor<64xi32>, %h: tensor<64x8xi16>, %v: tensor<64xi8>) -> (tensor<16x8xi32>, tensor<16x8xi32>, tensor<16xi32>) {
  %0 = "graph.cast"(%x) : (tensor<16x64xi8>) -> tensor<16x64xi32>
  %1 = "graph.sub"(%0, %z) : (tensor<16x64xi32>, tensor<64xi32>) -> tensor<16x64xi32>
  %2 = "graph.cast"(%y) : (tensor<64x8xi8>) -> tensor<64x8xi32>
  %3 = "graph.matmul"(%1, %2) : (tensor<16x64xi32>, tensor<64x8xi32>) -> tensor<16x8xi32>
  %4 = "graph.cast"(%h) : (tensor<64x8xi16>) -> tensor<64x8xi32>
  %5 = "graph.matmul"(%0, %4) : (tensor<16x64xi32>, tensor<64x8xi32>) -> tensor<16x8xi32>
  %6 = "graph.cast"(%v) : (tensor<64xi8>) -> tensor<64xi32>
  %7 = "graph.matmul"(%0, %6) : (tensor<16x64xi32>, tensor<64xi32>) -> tensor<16xi32>
  return %3, %5, %7 : tensor<16x8xi32>, tensor<16x8xi32>, tensor<16xi32>
}
