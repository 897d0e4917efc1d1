// RUN: mlc-opt %s --graph-simplify | filecheck %s
// After graph-decompose the idioms have other forms.
// RUN: mlc-opt %s --graph-decompose --graph-simplify | filecheck %s

// CHECK-LABEL: func.func @gelu_half_first
// CHECK-NEXT: "graph.gelu"(%arg0) {approximate = "none"}
// CHECK-NEXT: return
func.func @gelu_half_first(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %root = "graph.constant"() {value = dense<1.41421354> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.div"(%x, %root) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %1 = "graph.erf"(%0) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = "graph.add"(%one, %1) : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = "graph.mul"(%half, %2) : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = "graph.mul"(%x, %3) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %4 : tensor<?x4xf32>
}

// The argument is a product itself.
// CHECK-LABEL: func.func @gelu_half_last
// CHECK-NEXT: %[[X:.*]] = "graph.mul"(%arg0, %arg1)
// CHECK-NEXT: "graph.gelu"(%[[X]]) {approximate = "none"}
// CHECK-NEXT: return
func.func @gelu_half_last(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %root = "graph.constant"() {value = dense<0.707106769> : tensor<f32>} : () -> tensor<f32>
  %x = "graph.mul"(%a, %b) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = "graph.mul"(%x, %root) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %1 = "graph.erf"(%0) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = "graph.add"(%1, %one) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %3 = "graph.mul"(%x, %2) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = "graph.mul"(%3, %half) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %4 : tensor<?x4xf32>
}

// Another factor, another argument.
// CHECK-LABEL: func.func @no_gelu
// CHECK-NOT: graph.gelu
// CHECK: return
func.func @no_gelu(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = "graph.constant"() {value = dense<0.6> : tensor<f32>} : () -> tensor<f32>
  %real_half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %root = "graph.constant"() {value = dense<0.707106769> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%x, %root) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.erf"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.add"(%1, %one) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "graph.mul"(%x, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = "graph.mul"(%3, %half) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = "graph.mul"(%y, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = "graph.mul"(%5, %real_half) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4, %6 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_tanh
// CHECK-NEXT: "graph.gelu"(%arg0) {approximate = "tanh"}
// CHECK-NEXT: return
func.func @gelu_tanh(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %three = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %small = "graph.constant"() {value = dense<4.471500e-02> : tensor<f32>} : () -> tensor<f32>
  %root = "graph.constant"() {value = dense<0.797884583> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%x, %half) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %1 = "graph.pow"(%x, %three) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %2 = "graph.mul"(%1, %small) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %3 = "graph.add"(%x, %2) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = "graph.mul"(%3, %root) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %5 = "graph.tanh"(%4) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %6 = "graph.add"(%5, %one) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %7 = "graph.mul"(%0, %6) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %7 : tensor<?x4xf32>
}

// x * 0.7978845608 * (1 + 0.044715 * x * x)
// CHECK-LABEL: func.func @gelu_tanh_outside
// CHECK-NEXT: "graph.gelu"(%arg0) {approximate = "tanh"}
// CHECK-NEXT: return
func.func @gelu_tanh_outside(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %small = "graph.constant"() {value = dense<4.471500e-02> : tensor<f32>} : () -> tensor<f32>
  %root = "graph.constant"() {value = dense<0.797884583> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%x, %half) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %1 = "graph.mul"(%x, %root) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %2 = "graph.mul"(%x, %small) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %3 = "graph.mul"(%2, %x) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = "graph.add"(%one, %3) : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %5 = "graph.mul"(%1, %4) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %6 = "graph.tanh"(%5) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %7 = "graph.add"(%one, %6) : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %8 = "graph.mul"(%0, %7) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %8 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @silu
// CHECK: "graph.silu"(%arg0)
// CHECK: "graph.sigmoid"(%arg0)
// CHECK: "graph.mul"(%arg1
func.func @silu(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = "graph.sigmoid"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.mul"(%0, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.sigmoid"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.mul"(%y, %2) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1, %3 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK-NEXT: "graph.layer_norm"(%arg0) {axes = array<i64: 2>, epsilon = 1.000000e-03 : f64}
// CHECK-NEXT: return
func.func @layer_norm(%x: tensor<?x?x8xf64>) -> tensor<?x?x8xf64> {
  %two = "graph.constant"() {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
  %epsilon = "graph.constant"() {value = dense<1.0e-3> : tensor<f64>} : () -> tensor<f64>
  %0 = "graph.reduce_mean"(%x) {axes = array<i64: 2>, keepdims = true} : (tensor<?x?x8xf64>) -> tensor<?x?x1xf64>
  %1 = "graph.sub"(%x, %0) : (tensor<?x?x8xf64>, tensor<?x?x1xf64>) -> tensor<?x?x8xf64>
  %2 = "graph.pow"(%1, %two) : (tensor<?x?x8xf64>, tensor<f64>) -> tensor<?x?x8xf64>
  %3 = "graph.reduce_mean"(%2) {axes = array<i64: 2>, keepdims = true} : (tensor<?x?x8xf64>) -> tensor<?x?x1xf64>
  %4 = "graph.add"(%3, %epsilon) : (tensor<?x?x1xf64>, tensor<f64>) -> tensor<?x?x1xf64>
  %5 = "graph.sqrt"(%4) : (tensor<?x?x1xf64>) -> tensor<?x?x1xf64>
  %6 = "graph.div"(%1, %5) : (tensor<?x?x8xf64>, tensor<?x?x1xf64>) -> tensor<?x?x8xf64>
  return %6 : tensor<?x?x8xf64>
}

// Centred twice, and by the reciprocal root.
// CHECK-LABEL: func.func @layer_norm_rsqrt
// CHECK-NEXT: "graph.layer_norm"(%arg0) {axes = array<i64: 1>
// CHECK-NEXT: return
func.func @layer_norm_rsqrt(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %epsilon = "graph.constant"() {value = dense<1.0e-3> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.reduce_mean"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %1 = "graph.sub"(%x, %0) : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %2 = "graph.sub"(%x, %0) : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %3 = "graph.mul"(%2, %2) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %4 = "graph.reduce_mean"(%3) {axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %5 = "graph.add"(%epsilon, %4) : (tensor<f32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %6 = "graph.rsqrt"(%5) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %7 = "graph.mul"(%1, %6) : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  return %7 : tensor<?x8xf32>
}

// Mean and variance over different axes.
// CHECK-LABEL: func.func @no_layer_norm
// CHECK-NOT: graph.layer_norm
// CHECK: graph.rms_norm
// CHECK: return
func.func @no_layer_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %epsilon = "graph.constant"() {value = dense<1.0e-3> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.reduce_mean"(%x) {axes = array<i64: 0>, keepdims = true} : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %1 = "graph.sub"(%x, %0) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %2 = "graph.mul"(%1, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "graph.reduce_mean"(%2) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %4 = "graph.add"(%3, %epsilon) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %5 = "graph.sqrt"(%4) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %6 = "graph.div"(%1, %5) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @rms_norm
// CHECK-NEXT: "graph.rms_norm"(%arg0) {axes = array<i64: 1>
// CHECK-NEXT: return
func.func @rms_norm(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %two = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %epsilon = "graph.constant"() {value = dense<1.0e-3> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.pow"(%x, %two) : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %1 = "graph.reduce_mean"(%0) {axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %2 = "graph.add"(%1, %epsilon) : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %3 = "graph.sqrt"(%2) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %4 = "graph.div"(%one, %3) : (tensor<f32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %5 = "graph.mul"(%x, %4) : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  return %5 : tensor<?x8xf32>
}

// The mean square of something else.
// CHECK-LABEL: func.func @no_rms_norm
// CHECK-NOT: graph.rms_norm
// CHECK: return
func.func @no_rms_norm(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %epsilon = "graph.constant"() {value = dense<1.0e-3> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%y, %y) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = "graph.reduce_mean"(%0) {axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %2 = "graph.add"(%1, %epsilon) : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %3 = "graph.rsqrt"(%2) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %4 = "graph.mul"(%x, %3) : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}
