// RUN: mlc-opt %s --graph-decompose | filecheck %s

// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x5xf32>, %[[SCALE:.*]]: tensor<3xf32>, %[[BIAS:.*]]: tensor<3xf32>, %[[MEAN:.*]]: tensor<3xf32>, %[[VARIANCE:.*]]: tensor<3xf32>)
// CHECK: %[[EPSILON:.*]] = "graph.constant"() {value = dense<1.000000e-03> : tensor<f32>}
// CHECK: %[[SUM:.*]] = "graph.add"(%[[VARIANCE]], %[[EPSILON]])
// CHECK: %[[ROOT:.*]] = "graph.sqrt"(%[[SUM]])
// CHECK: %[[FACTOR:.*]] = "graph.div"(%[[SCALE]], %[[ROOT]])
// CHECK: %[[PART:.*]] = "graph.mul"(%[[MEAN]], %[[FACTOR]])
// CHECK: %[[SHIFT:.*]] = "graph.sub"(%[[BIAS]], %[[PART]])
// CHECK: %[[FACTORS:.*]] = "graph.reshape"(%[[FACTOR]]) {{.*}} -> tensor<3x1x1xf32>
// CHECK: %[[SHIFTS:.*]] = "graph.reshape"(%[[SHIFT]]) {{.*}} -> tensor<3x1x1xf32>
// CHECK: %[[PRODUCT:.*]] = "graph.mul"(%[[X]], %[[FACTORS]])
// CHECK: "graph.add"(%[[PRODUCT]], %[[SHIFTS]])
// CHECK-NOT: graph.batch_norm
func.func @batch_norm(%x: tensor<2x3x4x5xf32>, %scale: tensor<3xf32>, %bias: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
  %0 = "graph.batch_norm"(%x, %scale, %bias, %mean, %variance) {epsilon = 1.0e-3 : f64} : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// Channels that are not known; statistics of another precision.
// CHECK-LABEL: func.func @batch_norm_dynamic
// CHECK: "graph.cast"(%arg1) {{.*}} -> tensor<?xf32>
// CHECK: "graph.cast"(%arg2) {{.*}} -> tensor<?xf32>
// CHECK-NOT: "graph.cast"(%arg3)
// CHECK: "graph.cast"({{.*}}) {{.*}} -> tensor<?xf16>
// CHECK: "graph.reshape"({{.*}}) {shape = array<i64: -1, 1>} : (tensor<?xf16>) -> tensor<?x1xf16>
// CHECK: return {{.*}} : tensor<?x?x?xf16>
func.func @batch_norm_dynamic(%x: tensor<?x?x?xf16>, %scale: tensor<?xf16>, %bias: tensor<?xf16>, %mean: tensor<?xf32>, %variance: tensor<?xf32>) -> tensor<?x?x?xf16> {
  %0 = "graph.batch_norm"(%x, %scale, %bias, %mean, %variance) {epsilon = 1.0e-3 : f64} : (tensor<?x?x?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}

// CHECK-LABEL: func.func @pow
// CHECK: "graph.mul"(%arg0, %arg0)
// CHECK: %[[SQUARE:.*]] = "graph.mul"(%arg0, %arg0)
// CHECK: "graph.mul"(%[[SQUARE]], %arg0)
// CHECK: "graph.sqrt"(%arg0)
// CHECK: "graph.rsqrt"(%arg0)
// CHECK-NOT: graph.pow
// CHECK: return %arg0
func.func @pow(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c1 = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %c2 = "graph.constant"() {value = dense<2.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %c3 = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %minus_half = "graph.constant"() {value = dense<-0.5> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.pow"(%x, %c1) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = "graph.pow"(%x, %c2) : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %2 = "graph.pow"(%x, %c3) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = "graph.pow"(%x, %half) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %4 = "graph.pow"(%x, %minus_half) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1, %2, %3, %4 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Another exponent, one that varies, and one that enlarges the result.
// CHECK-LABEL: func.func @pow_kept
// CHECK-COUNT-3: graph.pow
func.func @pow_kept(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) {
  %c = "graph.constant"() {value = dense<2.5> : tensor<f32>} : () -> tensor<f32>
  %v = "graph.constant"() {value = dense<[2.0, 2.0, 2.0, 3.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %l = "graph.constant"() {value = dense<2.0> : tensor<2x4xf32>} : () -> tensor<2x4xf32>
  %0 = "graph.pow"(%x, %c) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.pow"(%x, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.pow"(%x, %l) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @div
// CHECK: dense<2.500000e-01> : tensor<f32>
// CHECK: "graph.mul"(%arg0
// CHECK-NOT: graph.div
func.func @div(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = "graph.constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.div"(%x, %c) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Zero, integers, a number without an ordinary reciprocal, a divisor that is no number.
// CHECK-LABEL: func.func @div_kept
// CHECK-COUNT-4: graph.div
func.func @div_kept(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %four = "graph.constant"() {value = dense<4> : tensor<i32>} : () -> tensor<i32>
  %huge = "graph.constant"() {value = dense<3.0e38> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.div"(%x, %zero) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.div"(%i, %four) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = "graph.div"(%x, %huge) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "graph.div"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
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

// CHECK-LABEL: func.func @reciprocal
// CHECK: "graph.rsqrt"(%arg0)
// CHECK: "graph.reciprocal"(%arg0)
func.func @reciprocal(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = "graph.sqrt"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.reciprocal"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.reciprocal"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}
