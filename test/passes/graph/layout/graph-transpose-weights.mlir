// RUN: mlc-opt %s --split-input-file --graph-transpose-weights | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-transpose-weights --graph-split-prepare --cse --graph-form-kernels | filecheck %s --check-prefix=KERNELS

module attributes {tloop.target = "cuda:sm_90a"} {
// Both products read one weight, as it is stored: with the reduction, 16, innermost.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "graph.weight"()
// CHECK: %[[S:.*]] = "graph.transpose"(%[[W]]) {permutation = array<i64: 1, 0>} : (tensor<16x8xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %[[R:.*]] = "graph.transpose"(%[[S]]) {graph.rematerialize, permutation = array<i64: 1, 0>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: "graph.matmul"(%arg0, %[[R]]) {accel.precision = "tf32"}
// CHECK: "graph.matmul"(%arg0, %arg1) {accel.precision = "tf32"}
// CHECK: "graph.matmul"(%arg0, %[[W]]) :

// KERNELS-LABEL: func.func @main
// KERNELS: %[[P:.*]] = "graph.prepared"() {index = 0
// KERNELS-NOT: graph.transpose
// KERNELS: "tloop.launch"(%[[P]], %arg0) {kernel = @transpose_matmul
// KERNELS: "tloop.launch"(%[[P]], %arg2) {kernel = @transpose_matmul
// KERNELS-LABEL: func.func @prepare
// KERNELS: kernel = @transpose_
func.func @main(%x: tensor<4x16xf32>, %y: tensor<16x8xf32>, %z: tensor<4x16xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = "graph.weight"() {source = "w", offset = 0, size = 512, hash = "0"} : () -> tensor<16x8xf32>
  %0 = "graph.matmul"(%x, %w) {accel.precision = "tf32"} : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %1 = "graph.matmul"(%z, %w) {accel.precision = "tf32"} : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %2 = "graph.matmul"(%x, %y) {accel.precision = "tf32"} : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %3 = "graph.matmul"(%x, %w) : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
}

// -----

// Filters of convolutions too.
module attributes {tloop.target = "cuda:sm_90a"} {
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = "graph.transpose"({{.*}}) {graph.rematerialize, permutation = array<i64: 0, 1, 2, 3, 5, 4>}
// CHECK-NEXT: "graph.conv"(%arg0, %[[R]])
// KERNELS-LABEL: func.func @main
// KERNELS: kernel = @transpose_conv
func.func @main(%x: tensor<1x1x8x8x16xf32>) -> tensor<1x1x6x6x8xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 4608, hash = "0"} : () -> tensor<1x1x3x3x16x8xf32>
  %0 = "graph.conv"(%x, %w) {accel.precision = "tf32", dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x16xf32>, tensor<1x1x3x3x16x8xf32>) -> tensor<1x1x6x6x8xf32>
  return %0 : tensor<1x1x6x6x8xf32>
}
}

// -----

// Other matrix units read every order.
module attributes {tloop.target = "cuda:sm_80"} {
// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.transpose
// KERNELS-LABEL: func.func @main
// KERNELS: kernel = @matmul
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 512, hash = "0"} : () -> tensor<16x8xf32>
  %0 = "graph.matmul"(%x, %w) {accel.precision = "tf32"} : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
}

// -----

// Integers of 8 bits, of which tensor cores read four along the reduction at a time: the product reads the weight
// transposed and makes it wider.
module attributes {tloop.target = "cuda:sm_80"} {
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = "graph.transpose"(%{{.*}}) {permutation = array<i64: 1, 0>} : (tensor<64x8xi8>) -> tensor<8x64xi8>
// CHECK-NEXT: %[[W:.*]] = "graph.cast"(%[[S]]) {graph.rematerialize, saturate = true} : (tensor<8x64xi8>) -> tensor<8x64xi32>
// CHECK-NEXT: %[[R:.*]] = "graph.transpose"(%[[W]]) {graph.rematerialize, permutation = array<i64: 1, 0>}
// CHECK-NEXT: "graph.matmul"(%{{.*}}, %[[R]])
// KERNELS-LABEL: func.func @main
// KERNELS: %[[P:.*]] = "graph.prepared"() {index = 0
// KERNELS: "tloop.launch"(%{{.*}}) {kernel = @cast_transpose_cast_matmul
// KERNELS-NEXT: return
func.func @main(%x: tensor<16x64xui8>) -> tensor<16x8xi32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 512, hash = "0"} : () -> tensor<64x8xi8>
  %0 = "graph.cast"(%x) {graph.rematerialize} : (tensor<16x64xui8>) -> tensor<16x64xi32>
  %1 = "graph.cast"(%w) {graph.rematerialize} : (tensor<64x8xi8>) -> tensor<64x8xi32>
  %2 = "graph.matmul"(%0, %1) : (tensor<16x64xi32>, tensor<64x8xi32>) -> tensor<16x8xi32>
  return %2 : tensor<16x8xi32>
}
}

// -----

// Filters of 8 bits too. @prepare computes nothing that nobody reads.
module attributes {tloop.target = "cuda:sm_80"} {
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = "graph.transpose"(%{{.*}}) {permutation = array<i64: 0, 1, 2, 3, 5, 4>} : (tensor<1x1x3x3x32x8xi8>) -> tensor<1x1x3x3x8x32xi8>
// CHECK-NEXT: %[[W:.*]] = "graph.cast"(%[[S]]) {graph.rematerialize, saturate = true}
// CHECK-NEXT: %[[R:.*]] = "graph.transpose"(%[[W]]) {graph.rematerialize, permutation = array<i64: 0, 1, 2, 3, 5, 4>}
// CHECK-NEXT: "graph.conv"(%{{.*}}, %[[R]])
// KERNELS-LABEL: func.func @main
// KERNELS: kernel = @cast_transpose_cast_conv
// KERNELS-LABEL: func.func @prepare() -> tensor<1x1x3x3x8x32xi8>
func.func @main(%x: tensor<1x1x8x8x32xui8>) -> tensor<1x1x6x6x8xi32> {
  %v = "graph.weight"() {source = "w", offset = 0, size = 2304, hash = "0"} : () -> tensor<8x32x3x3xi8>
  %t = "graph.transpose"(%v) {permutation = array<i64: 2, 3, 1, 0>} : (tensor<8x32x3x3xi8>) -> tensor<3x3x32x8xi8>
  %w = "graph.reshape"(%t) {shape = array<i64: 1, 1, 3, 3, 32, 8>} : (tensor<3x3x32x8xi8>) -> tensor<1x1x3x3x32x8xi8>
  %0 = "graph.cast"(%x) {graph.rematerialize} : (tensor<1x1x8x8x32xui8>) -> tensor<1x1x8x8x32xi32>
  %1 = "graph.cast"(%w) {graph.rematerialize} : (tensor<1x1x3x3x32x8xi8>) -> tensor<1x1x3x3x32x8xi32>
  %2 = "graph.conv"(%0, %1) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x32xi32>, tensor<1x1x3x3x32x8xi32>) -> tensor<1x1x6x6x8xi32>
  return %2 : tensor<1x1x6x6x8xi32>
}
}

// -----

// An operand that a caller gives is transposed by a separate kernel where many rows are multiplied by it: of the batch,
// too, where it has no batch itself; not where it comes out of a transpose.
module attributes {tloop.target = "cuda:sm_90a"} {
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = "graph.transpose"(%arg1) {permutation = array<i64: 1, 0>} : (tensor<16x8xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %[[R:.*]] = "graph.transpose"(%[[S]]) {graph.rematerialize, permutation = array<i64: 1, 0>}
// CHECK-NEXT: "graph.matmul"(%arg0, %[[R]]) {accel.precision = "tf32"}
// CHECK: "graph.matmul"(%arg2, %arg3) {accel.precision = "tf32"}
// CHECK: %[[T:.*]] = "graph.transpose"(%arg4) {permutation = array<i64: 1, 0>}
// CHECK-NEXT: "graph.matmul"(%arg0, %[[T]]) {accel.precision = "tf32"}
// KERNELS-LABEL: func.func @main
// KERNELS: %[[S:.*]] = "tloop.launch"(%arg1) {kernel = @transpose_
// KERNELS: "tloop.launch"({{.*}}%[[S]]{{.*}}) {kernel = @transpose_matmul
func.func @main(%x: tensor<2x512x16xf32>, %y: tensor<16x8xf32>, %u: tensor<2x512x16xf32>, %v: tensor<2x16x8xf32>, %z: tensor<8x16xf32>)
    -> (tensor<2x512x8xf32>, tensor<2x512x8xf32>, tensor<2x512x8xf32>) {
  %0 = "graph.matmul"(%x, %y) {accel.precision = "tf32"} : (tensor<2x512x16xf32>, tensor<16x8xf32>) -> tensor<2x512x8xf32>
  %1 = "graph.matmul"(%u, %v) {accel.precision = "tf32"} : (tensor<2x512x16xf32>, tensor<2x16x8xf32>) -> tensor<2x512x8xf32>
  %t = "graph.transpose"(%z) {permutation = array<i64: 1, 0>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %2 = "graph.matmul"(%x, %t) {accel.precision = "tf32"} : (tensor<2x512x16xf32>, tensor<16x8xf32>) -> tensor<2x512x8xf32>
  return %0, %1, %2 : tensor<2x512x8xf32>, tensor<2x512x8xf32>, tensor<2x512x8xf32>
}
}

// -----

// Depthwise filters have no reduction over channels.
module attributes {tloop.target = "cuda:sm_90a"} {
// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.transpose
// KERNELS-LABEL: func.func @main
func.func @main(%x: tensor<1x1x8x8x32xi8>) -> tensor<1x1x6x6x32xi32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 288, hash = "0"} : () -> tensor<1x3x3x32xi8>
  %0 = "graph.cast"(%x) {graph.rematerialize} : (tensor<1x1x8x8x32xi8>) -> tensor<1x1x8x8x32xi32>
  %1 = "graph.cast"(%w) {graph.rematerialize} : (tensor<1x3x3x32xi8>) -> tensor<1x3x3x32xi32>
  %2 = "graph.conv"(%0, %1) {dilations = array<i64: 1, 1>, group = 32 : i64, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x32xi32>, tensor<1x3x3x32xi32>) -> tensor<1x1x6x6x32xi32>
  return %2 : tensor<1x1x6x6x32xi32>
}
}
