// RUN: mlc-opt %s --graph-reassociate-constants | filecheck %s

// Numbers are computed; constants of several elements are not.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[FOLDED:.*]] = "graph.constant"() {value = dense<2.500000e+00> : tensor<f32>}
// CHECK: %[[VECTOR:.*]] = "graph.add"
// CHECK: %[[INTEGERS:.*]] = "graph.div"
// CHECK: return %[[FOLDED]], %[[VECTOR]], %[[INTEGERS]]
func.func @scalars() -> (tensor<f32>, tensor<2xf32>, tensor<i32>) {
  %a = "graph.constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %b = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %v = "graph.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %i = "graph.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %0 = "graph.sqrt"(%a) : (tensor<f32>) -> tensor<f32>
  %1 = "graph.add"(%0, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = "graph.add"(%v, %b) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = "graph.div"(%i, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %1, %2, %3 : tensor<f32>, tensor<2xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @sub
// CHECK: dense<-3.000000e+00> : tensor<f32>
// CHECK: "graph.add"(%arg0
// CHECK: %[[NEGATED:.*]] = "graph.neg"(%{{.*}}) : (tensor<512xf32>)
// CHECK: "graph.add"(%arg0, %[[NEGATED]])
// CHECK: "graph.sub"(%arg0, %arg1)
// CHECK: "graph.sub"
func.func @sub(%x: tensor<512xf32>, %y: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
  %c = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 2048 : i64, hash = "a"} : () -> tensor<512xf32>
  %0 = "graph.sub"(%x, %c) : (tensor<512xf32>, tensor<f32>) -> tensor<512xf32>
  %1 = "graph.sub"(%x, %w) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  %2 = "graph.sub"(%x, %y) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  %3 = "graph.sub"(%c, %w) : (tensor<f32>, tensor<512xf32>) -> tensor<512xf32>
  return %0, %1, %2, %3 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
}

// CHECK-LABEL: func.func @chains
// CHECK-DAG: %[[SUM:.*]] = "graph.constant"() {value = dense<3.500000e+00> : tensor<f32>}
// CHECK-DAG: %[[PRODUCT:.*]] = "graph.constant"() {value = dense<1.000000e+01> : tensor<f32>}
// CHECK-DAG: %[[FIRST:.*]] = "graph.add"(%arg0, %[[SUM]])
// CHECK-DAG: %[[SECOND:.*]] = "graph.mul"(%arg0, %[[PRODUCT]])
// CHECK: return %[[FIRST]], %[[SECOND]]
func.func @chains(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = "graph.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %b = "graph.constant"() {value = dense<-2.0> : tensor<f32>} : () -> tensor<f32>
  %c = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.add"(%x, %a) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = "graph.add"(%b, %0) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.add"(%1, %c) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = "graph.mul"(%x, %a) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %4 = "graph.neg"(%3) : (tensor<?xf32>) -> tensor<?xf32>
  %5 = "graph.mul"(%4, %b) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %2, %5 : tensor<?xf32>, tensor<?xf32>
}

// (1 - x) + 2, 1 / (x * 2), 1 - (2 - x): the constants meet.
// CHECK-LABEL: func.func @inverses
// CHECK-DAG: %[[THREE:.*]] = "graph.constant"() {value = dense<3.000000e+00> : tensor<f32>}
// CHECK: "graph.sub"(%[[THREE]], %arg0)
// CHECK: %[[HALF:.*]] = "graph.constant"() {value = dense<5.000000e-01> : tensor<f32>}
// CHECK: "graph.div"(%[[HALF]], %arg0)
// CHECK: %[[MINUS:.*]] = "graph.constant"() {value = dense<-1.000000e+00> : tensor<f32>}
// CHECK: "graph.add"(%arg0, %[[MINUS]])
func.func @inverses(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %two = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.sub"(%one, %x) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.add"(%0, %two) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = "graph.mul"(%x, %two) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = "graph.div"(%one, %2) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %4 = "graph.sub"(%two, %x) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %5 = "graph.sub"(%one, %4) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  return %1, %3, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Two biases meet behind the sum: one addition less.
// CHECK-LABEL: func.func @two_offsets
// CHECK: %[[SUM:.*]] = "graph.add"(%arg0, %arg1)
// CHECK: %[[BOTH:.*]] = "graph.add"(%{{.*}}, %{{.*}}) : (tensor<512xf32>, tensor<512xf32>)
// CHECK: %[[RESULT:.*]] = "graph.add"(%[[SUM]], %[[BOTH]])
// CHECK-NEXT: return %[[RESULT]]
func.func @two_offsets(%x: tensor<?x512xf32>, %y: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %a = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 2048 : i64, hash = "a"} : () -> tensor<512xf32>
  %b = "graph.weight"() {source = "m.onnx", offset = 2048 : i64, size = 2048 : i64, hash = "b"} : () -> tensor<512xf32>
  %0 = "graph.add"(%x, %a) : (tensor<?x512xf32>, tensor<512xf32>) -> tensor<?x512xf32>
  %1 = "graph.add"(%y, %b) : (tensor<?x512xf32>, tensor<512xf32>) -> tensor<?x512xf32>
  %2 = "graph.add"(%0, %1) : (tensor<?x512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  return %2 : tensor<?x512xf32>
}

// A second use keeps the first sum; offsets along different dims would be one large constant.
// CHECK-LABEL: func.func @chains_kept
// CHECK-COUNT-4: graph.add
func.func @chains_kept(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %a = "graph.constant"() {value = dense<1.0> : tensor<8x1xf32>} : () -> tensor<8x1xf32>
  %b = "graph.constant"() {value = dense<2.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %c = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.add"(%x, %c) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %1 = "graph.add"(%0, %c) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %2 = "graph.add"(%x, %a) : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %3 = "graph.add"(%2, %b) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %0, %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// The scale of attention's scores goes into the weights and the bias that make the queries.
// CHECK-LABEL: func.func @scores
// CHECK-NOT: (tensor<4x?x?xf32>, tensor<f32>)
// CHECK: %[[WEIGHTS:.*]] = "graph.mul"(%{{.*}}, %{{.*}}) : (tensor<64x64xf32>, tensor<f32>)
// CHECK: %[[PRODUCT:.*]] = "graph.matmul"(%arg0, %[[WEIGHTS]])
// CHECK: %[[BIAS:.*]] = "graph.mul"(%{{.*}}, %{{.*}}) : (tensor<64xf32>, tensor<f32>)
// CHECK: %[[SUM:.*]] = "graph.add"(%[[PRODUCT]], %[[BIAS]])
// CHECK: %[[HEADS:.*]] = "graph.reshape"(%[[SUM]])
// CHECK: %[[QUERIES:.*]] = "graph.transpose"(%[[HEADS]])
// CHECK: %[[SCORES:.*]] = "graph.matmul"(%[[QUERIES]], %arg1)
// CHECK-NEXT: return %[[SCORES]]
func.func @scores(%x: tensor<?x64xf32>, %keys: tensor<4x16x?xf32>) -> tensor<4x?x?xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16384 : i64, hash = "a"} : () -> tensor<64x64xf32>
  %b = "graph.weight"() {source = "m.onnx", offset = 16384 : i64, size = 256 : i64, hash = "b"} : () -> tensor<64xf32>
  %s = "graph.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.matmul"(%x, %w) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = "graph.add"(%0, %b) : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %2 = "graph.reshape"(%1) {shape = array<i64: -1, 4, 16>} : (tensor<?x64xf32>) -> tensor<?x4x16xf32>
  %3 = "graph.transpose"(%2) {permutation = array<i64: 1, 0, 2>} : (tensor<?x4x16xf32>) -> tensor<4x?x16xf32>
  %4 = "graph.matmul"(%3, %keys) : (tensor<4x?x16xf32>, tensor<4x16x?xf32>) -> tensor<4x?x?xf32>
  %5 = "graph.mul"(%4, %s) : (tensor<4x?x?xf32>, tensor<f32>) -> tensor<4x?x?xf32>
  return %5 : tensor<4x?x?xf32>
}

// A vector in front of a product scales the rows of its weights; behind a view a number scales all of them.
// CHECK-LABEL: func.func @before_products
// CHECK: %[[COLUMN:.*]] = "graph.reshape"(%{{.*}}) {shape = array<i64: 64, 1>}
// CHECK: %[[ROWS:.*]] = "graph.mul"(%{{.*}}, %[[COLUMN]])
// CHECK: "graph.matmul"(%arg0, %[[ROWS]])
// CHECK: %[[SCALED:.*]] = "graph.mul"(%{{.*}}, %{{.*}}) : (tensor<8x3x3x3xf32>, tensor<f32>)
// CHECK: "graph.conv"(%arg1, %[[SCALED]])
func.func @before_products(%x: tensor<?x64xf32>, %image: tensor<1x3x?x?xf32>) -> (tensor<?x8xf32>, tensor<1x8x?x?xf32>) {
  %v = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 2048 : i64, hash = "a"} : () -> tensor<64x8xf32>
  %w = "graph.weight"() {source = "m.onnx", offset = 4096 : i64, size = 864 : i64, hash = "b"} : () -> tensor<8x3x3x3xf32>
  %g = "graph.weight"() {source = "m.onnx", offset = 8192 : i64, size = 256 : i64, hash = "c"} : () -> tensor<64xf32>
  %s = "graph.constant"() {value = dense<0.017> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = "graph.mul"(%x, %g) : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %1 = "graph.matmul"(%0, %v) : (tensor<?x64xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>
  %2 = "graph.mul"(%image, %s) : (tensor<1x3x?x?xf32>, tensor<1xf32>) -> tensor<1x3x?x?xf32>
  %3 = "graph.conv"(%2, %w) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x?x?xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x?x?xf32>
  return %1, %3 : tensor<?x8xf32>, tensor<1x8x?x?xf32>
}

// Weights that another product reads, too, would be held twice; per channel, a product does not take it; a
// factor right behind a product is graph-fold-scale's.
// CHECK-LABEL: func.func @factors_kept
// CHECK-COUNT-3: "graph.mul"(%{{.*}}, %{{.*}}) : (tensor<?x64xf32>
func.func @factors_kept(%x: tensor<?x64xf32>, %y: tensor<?x1xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %v = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 16384 : i64, hash = "a"} : () -> tensor<64x64xf32>
  %w = "graph.weight"() {source = "m.onnx", offset = 16384 : i64, size = 16384 : i64, hash = "b"} : () -> tensor<64x64xf32>
  %s = "graph.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%x, %s) : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %1 = "graph.matmul"(%0, %v) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %2 = "graph.matmul"(%x, %v) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %3 = "graph.mul"(%2, %y) : (tensor<?x64xf32>, tensor<?x1xf32>) -> tensor<?x64xf32>
  %4 = "graph.matmul"(%x, %w) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %5 = "graph.mul"(%4, %s) : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  return %1, %3, %5 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}
