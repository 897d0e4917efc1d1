// RUN: mlc-opt %s --lower-graph | filecheck %s

// Padding is explicit, convolutions are blocked, products are on panels; weights are packed by @prepare, and views of
// weights are weights of another shape; the bias works on the product's own shape.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[PACK:.*]] = "graph.pack"(%arg0)
// CHECK-NEXT: %[[X:.*]] = "graph.pad"(%[[PACK]])
// CHECK-NEXT: %[[W:.*]] = "graph.prepared"() {index = 0 : i64} : () -> tensor<1x1x3x3x16x32xf32>
// CHECK-NEXT: %[[CONV:.*]] = "graph.conv"(%[[X]], %[[W]]) {{.*}}layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>
// CHECK-NEXT: %[[B:.*]] = "graph.weight"() {{.*}} -> tensor<1x1x1x1x32xf32>
// CHECK-NEXT: %[[SUM:.*]] = "graph.add"(%[[CONV]], %[[B]])
// CHECK-NEXT: %[[RELU:.*]] = "graph.relu"(%[[SUM]])
// CHECK-NEXT: %[[R0:.*]] = "graph.unpack"(%[[RELU]])
// CHECK-NEXT: %[[V:.*]] = "graph.prepared"() {index = 1 : i64} : () -> tensor<3x64x32xf32>
// CHECK-NEXT: %[[P:.*]] = "graph.matmul_packed"(%arg1, %[[V]])
// CHECK-NEXT: %[[C:.*]] = "graph.weight"() {{.*}} -> tensor<1x3x32xf32>
// CHECK-NEXT: %[[Q:.*]] = "graph.add"(%[[P]], %[[C]])
// CHECK-NEXT: %[[R1:.*]] = "graph.reshape"(%[[Q]])
// CHECK-NEXT: return %[[R0]], %[[R1]]
// CHECK-LABEL: func.func @prepare
// CHECK: "graph.pack"
// CHECK: "graph.pack"
func.func @main(%x: tensor<1x16x8x8xf32>, %y: tensor<4x64xf32>) -> (tensor<1x32x8x8xf32>, tensor<4x96xf32>) {
  %w = "graph.weight"() {source = "w", offset = 0, size = 18432, hash = "0"} : () -> tensor<32x16x3x3xf32>
  %b = "graph.weight"() {source = "w", offset = 18432, size = 128, hash = "1"} : () -> tensor<32x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x8x8xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x32x8x8xf32>, tensor<32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %2 = "graph.relu"(%1) : (tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %v = "graph.weight"() {source = "w", offset = 20000, size = 24576, hash = "2"} : () -> tensor<64x96xf32>
  %c = "graph.weight"() {source = "w", offset = 60000, size = 384, hash = "3"} : () -> tensor<96xf32>
  %3 = "graph.matmul"(%y, %v) : (tensor<4x64xf32>, tensor<64x96xf32>) -> tensor<4x96xf32>
  %4 = "graph.add"(%3, %c) : (tensor<4x96xf32>, tensor<96xf32>) -> tensor<4x96xf32>
  return %2, %4 : tensor<1x32x8x8xf32>, tensor<4x96xf32>
}
