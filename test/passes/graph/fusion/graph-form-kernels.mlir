// RUN: mlc-opt %s --graph-form-kernels | filecheck %s

// An epilogue goes into the product's kernel, an elementwise op before a softmax into the softmax's; small constants
// are part of a kernel. What is returned has a separate buffer: an input, and a view of another result, are copied.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = "graph.weight"() {hash = "0"
// CHECK-NEXT: %[[B:.*]] = "graph.weight"() {hash = "1"
// CHECK-NEXT: "graph.constant"
// CHECK-NEXT: %[[P:.*]] = "tloop.launch"(%arg0, %[[W]], %[[B]]) {kernel = @[[PRODUCT:matmul_packed_add_mul_[0-9a-f]*]]
// CHECK-NEXT: %[[S:.*]] = "tloop.launch"(%arg1) {kernel = @[[SOFTMAX:exp_softmax_mul_[0-9a-f]*]]
// CHECK-NEXT: %[[VIEW:.*]] = "graph.reshape"(%[[S]])
// CHECK-NEXT: %[[Y:.*]] = "tloop.launch"(%arg1) {kernel = @[[COPY:identity_[0-9a-f]*]]
// CHECK-NEXT: %[[T:.*]] = "tloop.launch"(%[[VIEW]]) {kernel = @{{identity_[0-9a-f]*}}
// CHECK-NEXT: return %[[P]], %[[Y]], %[[S]], %[[T]]

// Equal kernels are one, whatever they run on. Functions other than @main and @prepare stay.
// CHECK-LABEL: func.func @prepare
// CHECK: "tloop.launch"(%0) {kernel = @[[NEG:neg_[0-9a-f]*]]
// CHECK-NEXT: "tloop.launch"(%1) {kernel = @[[NEG]]
// CHECK-LABEL: func.func @other
// CHECK-NEXT: "graph.neg"

// CHECK: func.func private @[[PRODUCT]](%arg0: tensor<20x64xf32>, %arg1: tensor<3x64x32xf32>, %arg2: tensor<1x3x32xf32>) -> tensor<20x3x32xf32> attributes {tloop.kernel} {
// CHECK-NEXT: %[[K0:.*]] = "graph.matmul_packed"(%arg0, %arg1)
// CHECK-NEXT: %[[K1:.*]] = "graph.add"(%[[K0]], %arg2)
// CHECK-NEXT: %[[K2:.*]] = "graph.constant"() {value = dense<2.000000e+00>
// CHECK-NEXT: %[[K3:.*]] = "graph.mul"(%[[K1]], %[[K2]])
// CHECK-NEXT: return %[[K3]]
// CHECK: func.func private @[[SOFTMAX]](%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {tloop.kernel} {
// CHECK-NEXT: "graph.exp"(%arg0)
// CHECK-NEXT: "graph.softmax"
// CHECK: func.func private @[[COPY]]
// CHECK: func.func private @[[NEG]]
// CHECK-NOT: func.func
func.func @main(%x: tensor<20x64xf32>, %y: tensor<8x16xf32>) -> (tensor<20x3x32xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x8xf32>) {
  %w = "graph.weight"() {source = "w", offset = 0, size = 24576, hash = "0"} : () -> tensor<3x64x32xf32>
  %b = "graph.weight"() {source = "w", offset = 0, size = 384, hash = "1"} : () -> tensor<1x3x32xf32>
  %c = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.matmul_packed"(%x, %w) : (tensor<20x64xf32>, tensor<3x64x32xf32>) -> tensor<20x3x32xf32>
  %1 = "graph.add"(%0, %b) : (tensor<20x3x32xf32>, tensor<1x3x32xf32>) -> tensor<20x3x32xf32>
  %2 = "graph.mul"(%1, %c) : (tensor<20x3x32xf32>, tensor<f32>) -> tensor<20x3x32xf32>
  %3 = "graph.exp"(%y) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %4 = "graph.softmax"(%3) {axis = 1} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %5 = "graph.mul"(%4, %c) : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %6 = "graph.reshape"(%5) {shape = array<i64: 16, 8>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
  return %2, %y, %5, %6 : tensor<20x3x32xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x8xf32>
}
func.func @prepare() -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %w = "graph.weight"() {source = "w", offset = 0, size = 512, hash = "2"} : () -> tensor<8x16xf32>
  %v = "graph.weight"() {source = "w", offset = 512, size = 512, hash = "3"} : () -> tensor<8x16xf32>
  %0 = "graph.neg"(%w) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = "graph.neg"(%v) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "graph.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
