// RUN: mlc-opt %s --split-input-file --graph-narrow-integer-convolutions --canonicalize | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-narrow-integer-convolutions --canonicalize --cse --graph-split-prepare --cse --graph-form-kernels | filecheck %s --check-prefix=KERNELS

// Conversions belong to the convolution. The zero point of the image counts where filters meet the image, which has ones
// there: work for @prepare.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "graph.weight"()
// CHECK: %[[Z:.*]] = "graph.cast"(%arg1) : (tensor<ui8>) -> tensor<i32>
// CHECK: %[[X:.*]] = "graph.cast"(%arg0) {graph.rematerialize, saturate = true} : (tensor<2x16x8x8xui8>) -> tensor<2x16x8x8xi32>
// CHECK: %[[V:.*]] = "graph.cast"(%[[W]]) {graph.rematerialize, saturate = true} : (tensor<4x16x3x3xi8>) -> tensor<4x16x3x3xi32>
// CHECK: %[[C:.*]] = "graph.conv"(%[[X]], %[[V]]) {{.*}}pads = array<i64: 1, 0, 1, 2>
// CHECK: %[[U:.*]] = "graph.cast"(%[[W]]) {saturate = true}
// CHECK: %[[T:.*]] = "graph.reduce_sum"(%[[U]]) {axes = array<i64: 1>, keepdims = true} : (tensor<4x16x3x3xi32>) -> tensor<4x1x3x3xi32>
// CHECK: %[[ONES:.*]] = "graph.full"() {value = 1 : i64} : () -> tensor<1x1x8x8xi32>
// CHECK: %[[I:.*]] = "graph.pad"(%[[ONES]]) {high = array<i64: 0, 0, 1, 2>, low = array<i64: 0, 0, 1, 0>, mode = "constant", value = 0 : i64}
// CHECK: %[[S:.*]] = "graph.conv"(%[[I]], %[[T]]) {{.*}}pads = array<i64: 0, 0, 0, 0>{{.*}} -> tensor<1x4x8x8xi32>
// CHECK: %[[M:.*]] = "graph.mul"(%[[S]], %[[Z]])
// CHECK: %[[R:.*]] = "graph.sub"(%[[C]], %[[M]])
// CHECK: return %[[R]]

// KERNELS-LABEL: func.func @main
// KERNELS-NOT: kernel = @conv
// KERNELS: kernel = @cast_cast_conv_sub
// KERNELS-LABEL: func.func @prepare
// KERNELS: kernel = @cast_reduce_sum
// KERNELS: kernel = @conv
func.func @main(%x: tensor<2x16x8x8xui8>, %z: tensor<ui8>) -> tensor<2x4x8x8xi32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 576, hash = "0"} : () -> tensor<4x16x3x3xi8>
  %0 = "graph.cast"(%x) : (tensor<2x16x8x8xui8>) -> tensor<2x16x8x8xi32>
  %1 = "graph.cast"(%z) : (tensor<ui8>) -> tensor<i32>
  %2 = "graph.sub"(%0, %1) : (tensor<2x16x8x8xi32>, tensor<i32>) -> tensor<2x16x8x8xi32>
  %3 = "graph.cast"(%w) : (tensor<4x16x3x3xi8>) -> tensor<4x16x3x3xi32>
  %4 = "graph.conv"(%2, %3) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 0, 1, 2>, strides = array<i64: 1, 1>} : (tensor<2x16x8x8xi32>, tensor<4x16x3x3xi32>) -> tensor<2x4x8x8xi32>
  return %4 : tensor<2x4x8x8xi32>
}

// -----

// Without padding the sums are those of whole filters, less their zero points. What these add are sums of the image.
// CHECK-LABEL: func.func @main
// CHECK: %[[ZERO:.*]] = "graph.constant"() {value = dense<7>
// CHECK: %[[ZEROS:.*]] = "graph.constant"() {value = dense<{{.*}}> : tensor<4x1x1x1xi32>}
// CHECK: %[[C:.*]] = "graph.conv"(
// CHECK: %[[X:.*]] = "graph.cast"(%arg0) {graph.rematerialize, saturate = true}
// CHECK: %[[L:.*]] = "graph.reduce_sum"(%[[X]]) {axes = array<i64: 1>, keepdims = true} : (tensor<2x16x8x8xi32>) -> tensor<2x1x8x8xi32>
// CHECK: %[[ONES:.*]] = "graph.full"() {value = 1 : i64} : () -> tensor<1x1x3x3xi32>
// CHECK: %[[S:.*]] = "graph.conv"(%[[L]], %[[ONES]]) {{.*}}strides = array<i64: 2, 2>{{.*}} -> tensor<2x1x3x3xi32>
// CHECK: %[[O:.*]] = "graph.reshape"(%[[ZEROS]]) {shape = array<i64: 4, 1, 1>}
// CHECK: %[[M:.*]] = "graph.mul"(%[[S]], %[[O]])
// CHECK: %[[A:.*]] = "graph.sub"(%[[C]], %[[M]])
// CHECK: %[[F:.*]] = "graph.sub"(%{{.*}}, %[[ZEROS]]) : (tensor<4x16x3x3xi32>, tensor<4x1x1x1xi32>)
// CHECK: %[[T:.*]] = "graph.reduce_sum"(%[[F]]) {axes = array<i64: 1>
// CHECK: %[[ALL:.*]] = "graph.reduce_sum"(%[[T]]) {axes = array<i64: 2, 3>, keepdims = true}
// CHECK: %[[P:.*]] = "graph.reshape"(%[[ALL]]) {shape = array<i64: 4, 1, 1>}
// CHECK: %[[N:.*]] = "graph.mul"(%[[P]], %[[ZERO]])
// CHECK: %[[R:.*]] = "graph.sub"(%[[A]], %[[N]])
// CHECK: return %[[R]]

// KERNELS-LABEL: func.func @main
// KERNELS: kernel = @cast_reduce_sum
// KERNELS: kernel = @mul_cast_cast
// KERNELS-NEXT: return
func.func @main(%x: tensor<2x16x8x8xui8>) -> tensor<2x4x3x3xi32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 576, hash = "0"} : () -> tensor<4x16x3x3xi8>
  %z = "graph.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %v = "graph.constant"() {value = dense<[[[[1]]], [[[2]]], [[[3]]], [[[4]]]]> : tensor<4x1x1x1xi32>} : () -> tensor<4x1x1x1xi32>
  %0 = "graph.cast"(%x) : (tensor<2x16x8x8xui8>) -> tensor<2x16x8x8xi32>
  %2 = "graph.sub"(%0, %z) : (tensor<2x16x8x8xi32>, tensor<i32>) -> tensor<2x16x8x8xi32>
  %3 = "graph.cast"(%w) : (tensor<4x16x3x3xi8>) -> tensor<4x16x3x3xi32>
  %5 = "graph.sub"(%3, %v) : (tensor<4x16x3x3xi32>, tensor<4x1x1x1xi32>) -> tensor<4x16x3x3xi32>
  %4 = "graph.conv"(%2, %5) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<2x16x8x8xi32>, tensor<4x16x3x3xi32>) -> tensor<2x4x3x3xi32>
  return %4 : tensor<2x4x3x3xi32>
}

// -----

// Filters of ui8 around 128 are numbers of i8 around 0; a zero point of 0 adds nothing. Groups of several channels, too.
// CHECK-LABEL: func.func @main
// CHECK: %[[N:.*]] = "graph.cast"(%{{.*}}) {saturate = true} : (tensor<4x8x3x3xi32>) -> tensor<4x8x3x3xi8>
// CHECK: %[[W:.*]] = "graph.cast"(%[[N]]) {graph.rematerialize, saturate = true}
// CHECK: %[[C:.*]] = "graph.conv"(%{{.*}}, %[[W]]) {{.*}}group = 2
// CHECK-NEXT: return %[[C]]
// KERNELS-LABEL: func.func @main
// KERNELS: kernel = @cast_cast_conv
func.func @main(%x: tensor<1x16x8x8xi8>) -> tensor<1x4x6x6xi32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 288, hash = "0"} : () -> tensor<4x8x3x3xui8>
  %z = "graph.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %v = "graph.constant"() {value = dense<128> : tensor<i32>} : () -> tensor<i32>
  %0 = "graph.cast"(%x) : (tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi32>
  %1 = "graph.sub"(%0, %z) : (tensor<1x16x8x8xi32>, tensor<i32>) -> tensor<1x16x8x8xi32>
  %2 = "graph.cast"(%w) : (tensor<4x8x3x3xui8>) -> tensor<4x8x3x3xi32>
  %3 = "graph.sub"(%2, %v) : (tensor<4x8x3x3xi32>, tensor<i32>) -> tensor<4x8x3x3xi32>
  %4 = "graph.conv"(%1, %3) {dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x16x8x8xi32>, tensor<4x8x3x3xi32>) -> tensor<1x4x6x6xi32>
  return %4 : tensor<1x4x6x6xi32>
}

// -----

// Filters that are no weights, zero points of channels, groups whose filters have a zero point, and images of unknown
// sizes stay as they are.
// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.rematerialize
// KERNELS-LABEL: func.func @main
func.func @main(%x: tensor<1x4x8x8xi8>, %f: tensor<4x4x1x1xi8>, %z: tensor<4x1x1xi32>, %y: tensor<?x4x8x8xi8>, %v: tensor<i32>)
    -> (tensor<1x4x8x8xi32>, tensor<1x4x8x8xi32>, tensor<1x4x8x8xi32>, tensor<?x4x8x8xi32>) {
  %w = "graph.weight"() {source = "w", offset = 0, size = 16, hash = "0"} : () -> tensor<4x4x1x1xi8>
  %g = "graph.weight"() {source = "w", offset = 20, size = 8, hash = "2"} : () -> tensor<4x2x1x1xi8>
  %0 = "graph.cast"(%x) : (tensor<1x4x8x8xi8>) -> tensor<1x4x8x8xi32>
  %1 = "graph.cast"(%f) : (tensor<4x4x1x1xi8>) -> tensor<4x4x1x1xi32>
  %2 = "graph.conv"(%0, %1) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x8x8xi32>, tensor<4x4x1x1xi32>) -> tensor<1x4x8x8xi32>
  %3 = "graph.sub"(%0, %z) : (tensor<1x4x8x8xi32>, tensor<4x1x1xi32>) -> tensor<1x4x8x8xi32>
  %4 = "graph.cast"(%w) : (tensor<4x4x1x1xi8>) -> tensor<4x4x1x1xi32>
  %5 = "graph.conv"(%3, %4) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x8x8xi32>, tensor<4x4x1x1xi32>) -> tensor<1x4x8x8xi32>
  %8 = "graph.cast"(%g) : (tensor<4x2x1x1xi8>) -> tensor<4x2x1x1xi32>
  %9 = "graph.sub"(%8, %v) : (tensor<4x2x1x1xi32>, tensor<i32>) -> tensor<4x2x1x1xi32>
  %10 = "graph.conv"(%0, %9) {dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x4x8x8xi32>, tensor<4x2x1x1xi32>) -> tensor<1x4x8x8xi32>
  %11 = "graph.cast"(%y) : (tensor<?x4x8x8xi8>) -> tensor<?x4x8x8xi32>
  %12 = "graph.conv"(%11, %4) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x8x8xi32>, tensor<4x4x1x1xi32>) -> tensor<?x4x8x8xi32>
  return %2, %5, %10, %12 : tensor<1x4x8x8xi32>, tensor<1x4x8x8xi32>, tensor<1x4x8x8xi32>, tensor<?x4x8x8xi32>
}

// -----

// A window of one pixel sums nothing but channels.
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = "graph.conv"(
// CHECK: %[[S:.*]] = "graph.reduce_sum"({{.*}}) {axes = array<i64: 1>, keepdims = true} : (tensor<1x16x8x8xi32>) -> tensor<1x1x8x8xi32>
// CHECK: %[[M:.*]] = "graph.mul"(%[[S]], %arg1)
// CHECK-NEXT: %[[R:.*]] = "graph.sub"(%[[C]], %[[M]])
// CHECK-NEXT: return %[[R]]
// KERNELS-LABEL: func.func @main
// KERNELS: kernel = @cast_reduce_sum_mul
// KERNELS: kernel = @cast_cast_conv_sub
// KERNELS-NEXT: return
func.func @main(%x: tensor<1x16x8x8xui8>, %v: tensor<i32>) -> tensor<1x4x8x8xi32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 64, hash = "0"} : () -> tensor<4x16x1x1xi8>
  %0 = "graph.cast"(%x) : (tensor<1x16x8x8xui8>) -> tensor<1x16x8x8xi32>
  %1 = "graph.cast"(%w) : (tensor<4x16x1x1xi8>) -> tensor<4x16x1x1xi32>
  %2 = "graph.sub"(%1, %v) : (tensor<4x16x1x1xi32>, tensor<i32>) -> tensor<4x16x1x1xi32>
  %3 = "graph.conv"(%0, %2) {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x8x8xi32>, tensor<4x16x1x1xi32>) -> tensor<1x4x8x8xi32>
  return %3 : tensor<1x4x8x8xi32>
}

// -----

// A group for each channel: its sums are one filter's.
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = "graph.conv"(%{{.*}}) {{.*}}group = 16
// CHECK: %[[ONES:.*]] = "graph.pad"({{.*}} -> tensor<1x1x10x10xi32>
// CHECK: %[[S:.*]] = "graph.conv"(%[[ONES]], %{{.*}}) {{.*}}group = 1{{.*}} -> tensor<1x16x8x8xi32>
// CHECK: %[[M:.*]] = "graph.mul"(%[[S]], %arg1)
// CHECK: "graph.sub"(%[[C]], %[[M]])
// KERNELS-LABEL: func.func @main
// KERNELS: kernel = @mul_cast_cast_etc
// KERNELS-NEXT: return
func.func @main(%x: tensor<1x16x8x8xi8>, %z: tensor<i32>) -> tensor<1x16x8x8xi32> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 144, hash = "0"} : () -> tensor<16x1x3x3xi8>
  %0 = "graph.cast"(%x) : (tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi32>
  %1 = "graph.sub"(%0, %z) : (tensor<1x16x8x8xi32>, tensor<i32>) -> tensor<1x16x8x8xi32>
  %2 = "graph.cast"(%w) : (tensor<16x1x3x3xi8>) -> tensor<16x1x3x3xi32>
  %3 = "graph.conv"(%1, %2) {dilations = array<i64: 1, 1>, group = 16 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
      : (tensor<1x16x8x8xi32>, tensor<16x1x3x3xi32>) -> tensor<1x16x8x8xi32>
  return %3 : tensor<1x16x8x8xi32>
}
