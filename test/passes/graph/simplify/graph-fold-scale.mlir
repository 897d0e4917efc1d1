// RUN: mlc-opt %s --graph-fold-scale --cse | filecheck %s

// Convolution, bias and batch normalisation: one convolution and one addition.
// CHECK-LABEL: func.func @conv_offset_scale_offset
// CHECK-DAG: %[[W:.*]] = "graph.weight"() {{.*}} -> tensor<64x3x3x3xf32>
// CHECK-DAG: %[[BIAS:.*]] = "graph.constant"() {value = dense<1.000000e+00> : tensor<64x1x1xf32>}
// CHECK-DAG: %[[SCALE:.*]] = "graph.constant"() {value = dense<2.000000e+00> : tensor<64x1x1xf32>}
// CHECK-DAG: %[[SHIFT:.*]] = "graph.constant"() {value = dense<3.000000e+00> : tensor<64x1x1xf32>}
// CHECK-DAG: %[[PER_OUTPUT:.*]] = "graph.reshape"(%[[SCALE]]) {{.*}} -> tensor<64x1x1x1xf32>
// CHECK-DAG: %[[SCALED:.*]] = "graph.mul"(%[[W]], %[[PER_OUTPUT]])
// CHECK-DAG: %[[CONV:.*]] = "graph.conv"(%arg0, %[[SCALED]])
// CHECK-DAG: %[[SCALED_BIAS:.*]] = "graph.mul"(%[[BIAS]], %[[SCALE]])
// CHECK-DAG: %[[OFFSET:.*]] = "graph.add"(%[[SCALED_BIAS]], %[[SHIFT]])
// CHECK: %[[RESULT:.*]] = "graph.add"(%[[CONV]], %[[OFFSET]])
// CHECK-NEXT: return %[[RESULT]]
func.func @conv_offset_scale_offset(%x: tensor<?x3x?x?xf32>) -> tensor<?x64x?x?xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 6912 : i64, hash = "a"} : () -> tensor<64x3x3x3xf32>
  %bias = "graph.constant"() {value = dense<1.0> : tensor<64x1x1xf32>} : () -> tensor<64x1x1xf32>
  %scale = "graph.constant"() {value = dense<2.0> : tensor<64x1x1xf32>} : () -> tensor<64x1x1xf32>
  %shift = "graph.constant"() {value = dense<3.0> : tensor<64x1x1xf32>} : () -> tensor<64x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x3x?x?xf32>, tensor<64x3x3x3xf32>) -> tensor<?x64x?x?xf32>
  %1 = "graph.add"(%0, %bias) : (tensor<?x64x?x?xf32>, tensor<64x1x1xf32>) -> tensor<?x64x?x?xf32>
  %2 = "graph.mul"(%scale, %1) : (tensor<64x1x1xf32>, tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
  %3 = "graph.add"(%2, %shift) : (tensor<?x64x?x?xf32>, tensor<64x1x1xf32>) -> tensor<?x64x?x?xf32>
  return %3 : tensor<?x64x?x?xf32>
}

// CHECK-LABEL: func.func @matmul
// CHECK: %[[SCALE:.*]] = "graph.reshape"({{.*}}) {shape = array<i64: 8>} : (tensor<1x8xf32>) -> tensor<8xf32>
// CHECK: %[[SCALED:.*]] = "graph.mul"({{.*}}, %[[SCALE]]) : (tensor<64x8xf32>, tensor<8xf32>)
// CHECK: %[[PRODUCT:.*]] = "graph.matmul"(%arg0, %[[SCALED]])
// CHECK-NEXT: return %[[PRODUCT]]
func.func @matmul(%x: tensor<2x?x64xf32>) -> tensor<2x?x8xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 2048 : i64, hash = "a"} : () -> tensor<64x8xf32>
  %s = "graph.constant"() {value = dense<2.0> : tensor<1x8xf32>} : () -> tensor<1x8xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<2x?x64xf32>, tensor<64x8xf32>) -> tensor<2x?x8xf32>
  %1 = "graph.mul"(%0, %s) : (tensor<2x?x8xf32>, tensor<1x8xf32>) -> tensor<2x?x8xf32>
  return %1 : tensor<2x?x8xf32>
}

// Factors and offsets of something else meet, too.
// CHECK-LABEL: func.func @chains
// CHECK-DAG: %[[FACTOR:.*]] = "graph.mul"(%{{.*}}, %{{.*}}) : (tensor<8xf32>, tensor<8xf32>)
// CHECK-DAG: %[[PRODUCT:.*]] = "graph.mul"(%arg0, %[[FACTOR]])
// CHECK: %[[RESULT:.*]] = "graph.add"(%[[PRODUCT]], %{{.*}}) : (tensor<?x8xf32>, tensor<8xf32>)
// CHECK-NEXT: return %[[RESULT]]
func.func @chains(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %a = "graph.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>} : () -> tensor<8xf32>
  %b = "graph.constant"() {value = dense<2.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %0 = "graph.mul"(%x, %a) : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %1 = "graph.add"(%0, %b) : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %2 = "graph.mul"(%1, %b) : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %3 = "graph.add"(%2, %a) : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %3 : tensor<?x8xf32>
}

// A second user of the product; a scale that varies along the width; weights that are no constants; weights
// with a second user.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-4: "graph.conv"(%{{[a-z0-9]*}}, %{{(0|arg1)}})
// CHECK: return
func.func @kept(%x: tensor<1x2x4x4xf32>, %v: tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = "graph.constant"() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
  %s = "graph.constant"() {value = dense<2.0> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %wide = "graph.constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = "graph.mul"(%0, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = "graph.conv"(%0, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = "graph.mul"(%2, %wide) : (tensor<1x2x4x4xf32>, tensor<4xf32>) -> tensor<1x2x4x4xf32>
  %4 = "graph.conv"(%x, %v) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %5 = "graph.mul"(%4, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %6 = "graph.conv"(%3, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %7 = "graph.mul"(%6, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %1, %3, %5, %7 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// Offsets along different dims do not become one large constant.
// CHECK-LABEL: func.func @offsets_kept
// CHECK: %[[FIRST:.*]] = "graph.add"(%arg0, %{{.*}}) : (tensor<8x8xf32>, tensor<8x1xf32>)
// CHECK: "graph.add"(%[[FIRST]], %{{.*}}) : (tensor<8x8xf32>, tensor<8xf32>)
func.func @offsets_kept(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = "graph.constant"() {value = dense<1.0> : tensor<8x1xf32>} : () -> tensor<8x1xf32>
  %b = "graph.constant"() {value = dense<2.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %0 = "graph.add"(%x, %a) : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %1 = "graph.add"(%0, %b) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// 500 * 1000 is infinite in f16; of weights in f16 and a scale that are both not known nobody knows, in f32
// they are trusted.
// CHECK-LABEL: func.func @range
// CHECK: "graph.matmul"(%arg0, %[[KNOWN:.*]]) : (tensor<?x8xf16>
// CHECK-NEXT: "graph.mul"({{.*}}) : (tensor<?x8xf16>
// CHECK: "graph.matmul"(%arg0, %[[WEIGHT:.*]]) : (tensor<?x8xf16>
// CHECK-NEXT: "graph.add"
// CHECK-NEXT: "graph.mul"({{.*}}) : (tensor<?x8xf16>
// CHECK: %[[SCALED:.*]] = "graph.mul"({{.*}}) : (tensor<8x8xf32>, tensor<8xf32>)
// CHECK-NEXT: "graph.matmul"(%arg1, %[[SCALED]])
// CHECK-NEXT: return
func.func @range(%h: tensor<?x8xf16>, %x: tensor<?x8xf32>) -> (tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf32>) {
  %c = "graph.constant"() {value = dense<500.0> : tensor<8x8xf16>} : () -> tensor<8x8xf16>
  %s = "graph.constant"() {value = dense<1000.0> : tensor<f16>} : () -> tensor<f16>
  %0 = "graph.matmul"(%h, %c) : (tensor<?x8xf16>, tensor<8x8xf16>) -> tensor<?x8xf16>
  %1 = "graph.mul"(%0, %s) : (tensor<?x8xf16>, tensor<f16>) -> tensor<?x8xf16>
  %u = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 128 : i64, hash = "a"} : () -> tensor<8x8xf16>
  %b = "graph.weight"() {source = "m.onnx", offset = 128 : i64, size = 16 : i64, hash = "b"} : () -> tensor<8xf16>
  %f = "graph.weight"() {source = "m.onnx", offset = 144 : i64, size = 16 : i64, hash = "c"} : () -> tensor<8xf16>
  %2 = "graph.matmul"(%h, %u) : (tensor<?x8xf16>, tensor<8x8xf16>) -> tensor<?x8xf16>
  %3 = "graph.add"(%2, %b) : (tensor<?x8xf16>, tensor<8xf16>) -> tensor<?x8xf16>
  %4 = "graph.mul"(%3, %f) : (tensor<?x8xf16>, tensor<8xf16>) -> tensor<?x8xf16>
  %w = "graph.weight"() {source = "m.onnx", offset = 160 : i64, size = 256 : i64, hash = "d"} : () -> tensor<8x8xf32>
  %g = "graph.weight"() {source = "m.onnx", offset = 416 : i64, size = 32 : i64, hash = "e"} : () -> tensor<8xf32>
  %5 = "graph.matmul"(%x, %w) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %6 = "graph.mul"(%5, %g) : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %1, %4, %6 : tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf32>
}
