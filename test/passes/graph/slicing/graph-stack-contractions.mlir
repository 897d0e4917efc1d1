// RUN: mlc-opt %s --split-input-file --graph-stack-contractions=min-gain=-100 | filecheck %s

// Queries, keys and values: one product, one bias, slices. Constants behind the first product move before it.
// CHECK-LABEL: func.func @qkv
// CHECK: %[[W:.*]] = "graph.concat"(%{{.*}}, %{{.*}}, %{{.*}}) {axis = 1 : i64
// CHECK-SAME: (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<8x36xf32>
// CHECK-NEXT: %[[P:.*]] = "graph.matmul"(%arg0, %[[W]])
// CHECK: %[[B:.*]] = "graph.concat"(%{{.*}}, %{{.*}}, %{{.*}}) {axis = 0 : i64
// CHECK-SAME: -> tensor<36xf32>
// CHECK-NEXT: %[[S:.*]] = "graph.add"(%[[P]], %[[B]])
// CHECK-NEXT: %[[Q:.*]] = "graph.slice"(%[[S]]) {sizes = array<i64: 1, 5, 16>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>}
// CHECK-NEXT: %[[K:.*]] = "graph.slice"(%[[S]]) {sizes = array<i64: 1, 5, 16>, starts = array<i64: 0, 0, 16>, steps = array<i64: 1, 1, 1>}
// CHECK-NEXT: %[[V:.*]] = "graph.slice"(%[[S]]) {sizes = array<i64: 1, 5, 4>, starts = array<i64: 0, 0, 32>, steps = array<i64: 1, 1, 1>}
// CHECK-NEXT: return %[[Q]], %[[K]], %[[V]]
func.func @qkv(%x: tensor<1x5x8xf32>) -> (tensor<1x5x16xf32>, tensor<1x5x16xf32>, tensor<1x5x4xf32>) {
  %wq = "graph.weight"() {source = "m", offset = 0, size = 512, hash = "a"} : () -> tensor<8x16xf32>
  %bq = "graph.weight"() {source = "m", offset = 512, size = 64, hash = "b"} : () -> tensor<16xf32>
  %0 = "graph.matmul"(%x, %wq) : (tensor<1x5x8xf32>, tensor<8x16xf32>) -> tensor<1x5x16xf32>
  %q = "graph.add"(%0, %bq) : (tensor<1x5x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %wk = "graph.weight"() {source = "m", offset = 1024, size = 512, hash = "c"} : () -> tensor<16x8xf32>
  %wkt = "graph.transpose"(%wk) {permutation = array<i64: 1, 0>} : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %bk = "graph.weight"() {source = "m", offset = 2048, size = 64, hash = "d"} : () -> tensor<16xf32>
  %1 = "graph.matmul"(%x, %wkt) : (tensor<1x5x8xf32>, tensor<8x16xf32>) -> tensor<1x5x16xf32>
  %k = "graph.add"(%1, %bk) : (tensor<1x5x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %wv = "graph.weight"() {source = "m", offset = 4096, size = 128, hash = "e"} : () -> tensor<8x4xf32>
  %bv = "graph.weight"() {source = "m", offset = 8192, size = 16, hash = "f"} : () -> tensor<4xf32>
  %2 = "graph.matmul"(%x, %wv) : (tensor<1x5x8xf32>, tensor<8x4xf32>) -> tensor<1x5x4xf32>
  %v = "graph.add"(%2, %bv) : (tensor<1x5x4xf32>, tensor<4xf32>) -> tensor<1x5x4xf32>
  return %q, %k, %v : tensor<1x5x16xf32>, tensor<1x5x16xf32>, tensor<1x5x4xf32>
}

// -----

// Branches of an Inception module: bias and activation are stacked; another kernel size stays apart.
// CHECK-LABEL: func.func @branches
// CHECK: %[[OTHER:.*]] = "graph.conv"(%arg0, %{{.*}}) {dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 1, 1, 1, 1>
// CHECK: %[[W:.*]] = "graph.concat"(%{{.*}}, %{{.*}}) {axis = 0 : i64
// CHECK-SAME: -> tensor<12x4x1x1xf32>
// CHECK-NEXT: %[[C:.*]] = "graph.conv"(%arg0, %[[W]])
// CHECK: %[[B:.*]] = "graph.concat"(%{{.*}}, %{{.*}}) {axis = 1 : i64
// CHECK-SAME: -> tensor<1x12x1x1xf32>
// CHECK-NEXT: %[[S:.*]] = "graph.add"(%[[C]], %[[B]])
// CHECK-NEXT: %[[R:.*]] = "graph.relu"(%[[S]])
// CHECK-NEXT: %[[P:.*]] = "graph.slice"(%[[R]]) {sizes = array<i64: 1, 8, 6, 6>, starts = array<i64: 0, 0, 0, 0>
// CHECK-NEXT: %[[Q:.*]] = "graph.slice"(%[[R]]) {sizes = array<i64: 1, 4, 6, 6>, starts = array<i64: 0, 8, 0, 0>
// CHECK-NEXT: %[[E:.*]] = "graph.exp"(%[[Q]])
// CHECK-NEXT: return %[[OTHER]], %[[P]], %[[E]]
func.func @branches(%x: tensor<1x4x6x6xf32>) -> (tensor<1x4x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x4x6x6xf32>) {
  %w0 = "graph.weight"() {source = "m", offset = 0, size = 576, hash = "a"} : () -> tensor<4x4x3x3xf32>
  %w1 = "graph.weight"() {source = "m", offset = 1024, size = 128, hash = "b"} : () -> tensor<8x4x1x1xf32>
  %w2 = "graph.weight"() {source = "m", offset = 2048, size = 64, hash = "c"} : () -> tensor<4x4x1x1xf32>
  %b1 = "graph.weight"() {source = "m", offset = 3072, size = 32, hash = "d"} : () -> tensor<1x8x1x1xf32>
  %b2 = "graph.weight"() {source = "m", offset = 4096, size = 16, hash = "e"} : () -> tensor<1x4x1x1xf32>
  %0 = "graph.conv"(%x, %w0) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, group = 1, layout = "NCHW"} : (tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = "graph.conv"(%x, %w1) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 1, layout = "NCHW"} : (tensor<1x4x6x6xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x6x6xf32>
  %2 = "graph.conv"(%x, %w2) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 1, layout = "NCHW"} : (tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %3 = "graph.add"(%1, %b1) : (tensor<1x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %4 = "graph.add"(%2, %b2) : (tensor<1x4x6x6xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %5 = "graph.relu"(%3) : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %6 = "graph.relu"(%4) : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %7 = "graph.exp"(%6) : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %0, %5, %7 : tensor<1x4x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x4x6x6xf32>
}

// -----

// A factor that all parts share stays one; activations that differ stay behind the slices.
// CHECK-LABEL: func.func @shared
// CHECK: %[[P:.*]] = "graph.matmul"
// CHECK-NEXT: %[[M:.*]] = "graph.mul"(%[[P]], %{{.*}}) : (tensor<2x8xf32>, tensor<1x1xf32>) -> tensor<2x8xf32>
// CHECK-NEXT: %[[A:.*]] = "graph.slice"(%[[M]])
// CHECK-NEXT: %[[B:.*]] = "graph.slice"(%[[M]])
// CHECK-NEXT: "graph.elu"(%[[A]]) {alpha = 1.000000e+00 : f64}
// CHECK-NEXT: "graph.elu"(%[[B]]) {alpha = 2.000000e+00 : f64}
func.func @shared(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %v = "graph.weight"() {source = "m", offset = 0, size = 64, hash = "a"} : () -> tensor<4x4xf32>
  %w = "graph.weight"() {source = "m", offset = 64, size = 64, hash = "b"} : () -> tensor<4x4xf32>
  %s = "graph.constant"() {value = dense<0.125> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %0 = "graph.matmul"(%x, %v) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = "graph.matmul"(%x, %w) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %2 = "graph.mul"(%0, %s) : (tensor<2x4xf32>, tensor<1x1xf32>) -> tensor<2x4xf32>
  %3 = "graph.mul"(%1, %s) : (tensor<2x4xf32>, tensor<1x1xf32>) -> tensor<2x4xf32>
  %4 = "graph.elu"(%2) {alpha = 1.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = "graph.elu"(%3) {alpha = 2.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %4, %5 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Not: weights that the run gives, weights with another user, other inputs, groups, dims that are not known.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: graph.concat
// CHECK-NOT: graph.slice
func.func @apart(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %r: tensor<4x4xf32>, %d: tensor<?x4xf32>, %i: tensor<1x4x6x6xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) {
  %v = "graph.weight"() {source = "m", offset = 0, size = 64, hash = "a"} : () -> tensor<4x4xf32>
  %w = "graph.weight"() {source = "m", offset = 64, size = 64, hash = "b"} : () -> tensor<4x4xf32>
  %u = "graph.weight"() {source = "m", offset = 128, size = 64, hash = "c"} : () -> tensor<4x4xf32>
  %s = "graph.weight"() {source = "m", offset = 192, size = 64, hash = "d"} : () -> tensor<4x4xf32>
  %t = "graph.weight"() {source = "m", offset = 256, size = 64, hash = "e"} : () -> tensor<4x4xf32>
  %k = "graph.weight"() {source = "m", offset = 320, size = 32, hash = "f"} : () -> tensor<4x2x1x1xf32>
  %l = "graph.weight"() {source = "m", offset = 352, size = 32, hash = "g"} : () -> tensor<4x2x1x1xf32>
  %0 = "graph.matmul"(%x, %v) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = "graph.matmul"(%x, %r) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %2 = "graph.matmul"(%x, %w) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %3 = "graph.neg"(%w) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = "graph.matmul"(%y, %u) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %5 = "graph.matmul"(%d, %s) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %6 = "graph.matmul"(%d, %t) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %7 = "graph.conv"(%i, %k) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 2, layout = "NCHW"} : (tensor<1x4x6x6xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x6x6xf32>
  %8 = "graph.conv"(%i, %l) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, group = 2, layout = "NCHW"} : (tensor<1x4x6x6xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x6x6xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>
}

// Casts to one element type are one cast; those to different ones stay behind the slices.
// CHECK-LABEL: func.func @casts
// CHECK: %[[BOTH:.*]] = "graph.matmul"
// CHECK-NEXT: %[[HALF:.*]] = "graph.cast"(%[[BOTH]]) {{.*}} : (tensor<1x16xf32>) -> tensor<1x16xf16>
// CHECK-COUNT-2: "graph.slice"(%[[HALF]])
// CHECK: %[[OTHER:.*]] = "graph.matmul"
// CHECK-COUNT-2: "graph.slice"(%[[OTHER]])
// CHECK: "graph.cast"{{.*}} -> tensor<1x8xf16>
// CHECK: "graph.cast"{{.*}} -> tensor<1x8xi32>
func.func @casts(%x: tensor<1x8xf32>, %y: tensor<1x8xf32>) -> (tensor<1x8xf16>, tensor<1x8xf16>, tensor<1x8xf16>, tensor<1x8xi32>) {
  %v = "graph.constant"() {value = dense<1.0> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
  %w = "graph.constant"() {value = dense<2.0> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
  %s = "graph.constant"() {value = dense<3.0> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
  %t = "graph.constant"() {value = dense<4.0> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
  %0 = "graph.matmul"(%x, %v) : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %1 = "graph.matmul"(%x, %w) : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %2 = "graph.cast"(%0) : (tensor<1x8xf32>) -> tensor<1x8xf16>
  %3 = "graph.cast"(%1) : (tensor<1x8xf32>) -> tensor<1x8xf16>
  %4 = "graph.matmul"(%y, %s) : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %5 = "graph.matmul"(%y, %t) : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %6 = "graph.cast"(%4) : (tensor<1x8xf32>) -> tensor<1x8xf16>
  %7 = "graph.cast"(%5) : (tensor<1x8xf32>) -> tensor<1x8xi32>
  return %2, %3, %6, %7 : tensor<1x8xf16>, tensor<1x8xf16>, tensor<1x8xf16>, tensor<1x8xi32>
}
