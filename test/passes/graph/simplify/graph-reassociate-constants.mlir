// RUN: mlc-opt %s --graph-reassociate-constants | filecheck %s

// Scalars are computed; constants of several elements are not.
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

// Two biases meet after the sum: one addition less.
// CHECK-LABEL: func.func @two_offsets
// CHECK: %[[SUM:.*]] = "graph.add"(%arg0, %arg1)
// CHECK: %[[BOTH:.*]] = "graph.add"(%{{.*}}, %{{.*}}) : (tensor<512xf32>, tensor<512xf32>)
// CHECK: %[[RESULT:.*]] = "graph.add"(%[[SUM]], %[[BOTH]])
// CHECK-NEXT: return %[[RESULT]]
func.func @two_offsets(%x: tensor<?x512xf32> {graph.dims = ["n", ""]}, %y: tensor<?x512xf32> {graph.dims = ["n", ""]}) -> tensor<?x512xf32> {
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

// A vector before a product scales the rows of its weights; after a view a scalar scales all of them.
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
  %3 = "graph.conv"(%2, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x?x?xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x?x?xf32>
  return %1, %3 : tensor<?x8xf32>, tensor<1x8x?x?xf32>
}

// Weights that another product reads, too, would be held twice; per channel, a product does not take it; a
// factor right after a product is graph-fold-scale's.
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

// No infinity, and no zero, results from two normal values: these stay apart.
// CHECK-LABEL: func.func @out_of_range
// CHECK-COUNT-2: "graph.mul"({{.*}}) : (tensor<4xf16>, tensor<f16>)
// CHECK-COUNT-2: "graph.add"({{.*}}) : (tensor<4xf16>, tensor<f16>)
// CHECK: "graph.div"
// CHECK-NEXT: "graph.mul"({{.*}}) : (tensor<4xf32>, tensor<f32>)
// CHECK-COUNT-2: "graph.mul"({{.*}}) : (tensor<4xf64>, tensor<f64>)
// CHECK-COUNT-2: "graph.sub"({{.*}}) : (tensor<f16>, tensor<4xf16>)
// CHECK: "graph.mul"
// CHECK-NEXT: "graph.div"
// CHECK-COUNT-2: "graph.div"
// CHECK-NEXT: return
func.func @out_of_range(%h: tensor<4xf16>, %x: tensor<4xf32>, %d: tensor<4xf64>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>) {
  %c = "graph.constant"() {value = dense<300.0> : tensor<f16>} : () -> tensor<f16>
  %0 = "graph.mul"(%h, %c) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %1 = "graph.mul"(%0, %c) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %largest = "graph.constant"() {value = dense<65504.0> : tensor<f16>} : () -> tensor<f16>
  %2 = "graph.add"(%h, %largest) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %3 = "graph.add"(%2, %largest) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %e = "graph.constant"() {value = dense<1.0e30> : tensor<f32>} : () -> tensor<f32>
  %4 = "graph.div"(%e, %x) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = "graph.mul"(%4, %e) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %tiny = "graph.constant"() {value = dense<1.0e-300> : tensor<f64>} : () -> tensor<f64>
  %6 = "graph.mul"(%d, %tiny) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %7 = "graph.mul"(%6, %tiny) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %lowest = "graph.constant"() {value = dense<-60000.0> : tensor<f16>} : () -> tensor<f16>
  %8 = "graph.sub"(%lowest, %h) : (tensor<f16>, tensor<4xf16>) -> tensor<4xf16>
  %9 = "graph.sub"(%largest, %8) : (tensor<f16>, tensor<4xf16>) -> tensor<4xf16>
  %small = "graph.constant"() {value = dense<1.0e-30> : tensor<f32>} : () -> tensor<f32>
  %10 = "graph.mul"(%x, %e) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %11 = "graph.div"(%small, %10) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %12 = "graph.div"(%small, %x) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %13 = "graph.div"(%e, %12) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %5, %7, %9, %11, %13 : tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>
}

// Zero is zero, and what is apart from it meets; large values that cancel do, too.
// CHECK-LABEL: func.func @in_range
// CHECK-DAG: %[[ZERO:.*]] = "graph.constant"() {value = dense<0.000000e+00> : tensor<f32>}
// CHECK-DAG: %[[ONE:.*]] = "graph.constant"() {value = dense<{{(1|9\.99).*}}> : tensor<f32>}
// CHECK-DAG: "graph.mul"(%arg0, %[[ZERO]])
// CHECK-DAG: "graph.mul"(%arg0, %[[ONE]])
// CHECK-NOT: graph.mul
// CHECK: return
func.func @in_range(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %e = "graph.constant"() {value = dense<1.0e30> : tensor<f32>} : () -> tensor<f32>
  %small = "graph.constant"() {value = dense<1.0e-30> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%x, %e) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.mul"(%0, %zero) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "graph.mul"(%x, %e) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "graph.mul"(%2, %small) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// Nobody knows the numbers of weights here: in f16 they take a factor near 1, in bf16 one that is not far.
// CHECK-LABEL: func.func @weights
// CHECK: %[[FAR:.*]] = "graph.mul"(%arg0, %{{.*}}) : (tensor<?x64xf16>, tensor<f16>)
// CHECK-NEXT: "graph.matmul"(%[[FAR]], %{{.*}})
// CHECK: "graph.matmul"(%arg0, %{{.*}})
// CHECK: "graph.matmul"(%arg1, %{{.*}})
// CHECK-NEXT: return
func.func @weights(%x: tensor<?x64xf16>, %y: tensor<?x64xbf16>) -> (tensor<?x64xf16>, tensor<?x64xf16>, tensor<?x64xbf16>) {
  %u = "graph.weight"() {source = "m.onnx", offset = 0 : i64, size = 8192 : i64, hash = "a"} : () -> tensor<64x64xf16>
  %v = "graph.weight"() {source = "m.onnx", offset = 8192 : i64, size = 8192 : i64, hash = "b"} : () -> tensor<64x64xf16>
  %w = "graph.weight"() {source = "m.onnx", offset = 16384 : i64, size = 8192 : i64, hash = "c"} : () -> tensor<64x64xbf16>
  %far = "graph.constant"() {value = dense<1000.0> : tensor<f16>} : () -> tensor<f16>
  %near = "graph.constant"() {value = dense<0.125> : tensor<f16>} : () -> tensor<f16>
  %b = "graph.constant"() {value = dense<1000.0> : tensor<bf16>} : () -> tensor<bf16>
  %0 = "graph.mul"(%x, %far) : (tensor<?x64xf16>, tensor<f16>) -> tensor<?x64xf16>
  %1 = "graph.matmul"(%0, %u) : (tensor<?x64xf16>, tensor<64x64xf16>) -> tensor<?x64xf16>
  %2 = "graph.mul"(%x, %near) : (tensor<?x64xf16>, tensor<f16>) -> tensor<?x64xf16>
  %3 = "graph.matmul"(%2, %v) : (tensor<?x64xf16>, tensor<64x64xf16>) -> tensor<?x64xf16>
  %4 = "graph.mul"(%y, %b) : (tensor<?x64xbf16>, tensor<bf16>) -> tensor<?x64xbf16>
  %5 = "graph.matmul"(%4, %w) : (tensor<?x64xbf16>, tensor<64x64xbf16>) -> tensor<?x64xbf16>
  return %1, %3, %5 : tensor<?x64xf16>, tensor<?x64xf16>, tensor<?x64xbf16>
}
