// RUN: mlc-opt %s --graph-recognize-idioms | filecheck %s
// After graph-decompose the idioms have other forms.
// RUN: mlc-opt %s --graph-decompose --graph-recognize-idioms | filecheck %s

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

// CHECK-LABEL: func.func @quick_gelu
// CHECK-NEXT: "graph.gelu"(%arg0) {approximate = "sigmoid"}
// CHECK-NEXT: return
func.func @quick_gelu(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %factor = "graph.constant"() {value = dense<1.702> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%x, %factor) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %1 = "graph.sigmoid"(%0) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = "graph.mul"(%x, %1) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// The error function is computed anyway.
// CHECK-LABEL: func.func @gelu_shared
// CHECK-NOT: graph.gelu
// CHECK: return
func.func @gelu_shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %root = "graph.constant"() {value = dense<0.707106769> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%x, %root) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.erf"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.add"(%1, %one) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "graph.mul"(%x, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = "graph.mul"(%3, %half) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @mish
// CHECK-NEXT: "graph.mish"(%arg0)
// CHECK-NEXT: return
func.func @mish(%x: tensor<?xf32>) -> tensor<?xf32> {
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.exp"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.add"(%0, %one) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = "graph.log"(%1) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = "graph.tanh"(%2) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = "graph.mul"(%3, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// CHECK-LABEL: func.func @no_softplus
// CHECK-NOT: graph.softplus
// CHECK: return
func.func @no_softplus(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.exp"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.add"(%0, %two) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = "graph.log"(%1) : (tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// A threshold at which x and softplus(x) differ.
// CHECK-LABEL: func.func @no_thresholded_softplus
// CHECK: graph.where
// CHECK: return
func.func @no_thresholded_softplus(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.softplus"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.greater"(%x, %two) : (tensor<?xf32>, tensor<f32>) -> tensor<?xi1>
  %2 = "graph.where"(%1, %x, %0) : (tensor<?xi1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// CHECK-LABEL: func.func @hard_swish
// CHECK-NEXT: "graph.hard_swish"(%arg0)
// CHECK-NEXT: return
func.func @hard_swish(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %three = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %six = "graph.constant"() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.add"(%x, %three) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = "graph.max"(%0, %zero) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = "graph.min"(%1, %six) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = "graph.mul"(%x, %2) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %4 = "graph.div"(%3, %six) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// Another value than the gate's.
// CHECK-LABEL: func.func @only_hard_sigmoid
// CHECK: graph.hard_sigmoid
// CHECK-NOT: graph.hard_swish
// CHECK: return
func.func @only_hard_sigmoid(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %three = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %six = "graph.constant"() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.add"(%x, %three) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = "graph.clamp"(%0) {min = 0.0, max = 6.0} : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "graph.div"(%1, %six) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = "graph.mul"(%y, %2) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// CHECK-LABEL: func.func @clamps
// CHECK: "graph.clamp"(%arg0) {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64}
// CHECK: "graph.clamp"(%arg0) {max = 2.000000e+00 : f64, min = -1.000000e+00 : f64}
// CHECK: "graph.relu"(%arg0)
// The bounds cross: the later one wins.
// CHECK: "graph.clamp"(%arg0) {max = 2.000000e+00 : f64, min = 2.000000e+00 : f64}
// CHECK: "graph.clamp"(%arg1) {min = 1 : i64}
// CHECK: return
func.func @clamps(%x: tensor<?xf32>, %i: tensor<?xi32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>) {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %minus = "graph.constant"() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %two = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %six = "graph.constant"() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %integer = "graph.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %0 = "graph.relu"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.min"(%0, %six) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = "graph.min"(%x, %two) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = "graph.max"(%minus, %2) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %4 = "graph.max"(%x, %zero) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %5 = "graph.min"(%x, %minus) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %6 = "graph.max"(%5, %two) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %7 = "graph.max"(%i, %integer) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  return %1, %3, %4, %6, %7 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @layer_norm_tensorflow
// CHECK-NEXT: %[[NORM:.*]] = "graph.layer_norm"(%arg0) {axes = array<i64: 1>
// CHECK-NEXT: %[[SCALED:.*]] = "graph.mul"(%[[NORM]], %arg1)
// CHECK-NEXT: "graph.add"(%[[SCALED]], %arg2)
// CHECK-NEXT: return
func.func @layer_norm_tensorflow(%x: tensor<?x8xf32>, %gamma: tensor<8xf32>, %beta: tensor<8xf32>) -> tensor<?x8xf32> {
  %epsilon = "graph.constant"() {value = dense<1.0e-3> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.reduce_mean"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %1 = "graph.sub"(%x, %0) : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %2 = "graph.mul"(%1, %1) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = "graph.reduce_mean"(%2) {axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %4 = "graph.add"(%3, %epsilon) : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %5 = "graph.rsqrt"(%4) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %6 = "graph.mul"(%5, %gamma) : (tensor<?x1xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %7 = "graph.mul"(%x, %6) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %8 = "graph.mul"(%0, %6) : (tensor<?x1xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %9 = "graph.sub"(%beta, %8) : (tensor<8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %10 = "graph.add"(%7, %9) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %10 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @rms_norm_half
// CHECK-NEXT: %[[WIDE:.*]] = "graph.cast"(%arg0)
// CHECK-NEXT: %[[NORM:.*]] = "graph.rms_norm"(%[[WIDE]]) {axes = array<i64: 1>
// CHECK-NEXT: "graph.cast"(%[[NORM]]) {{.*}} -> tensor<?x8xf16>
// CHECK-NEXT: return
func.func @rms_norm_half(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %epsilon = "graph.constant"() {value = dense<1.0e-3> : tensor<f32>} : () -> tensor<f32>
  %wide = "graph.cast"(%x) : (tensor<?x8xf16>) -> tensor<?x8xf32>
  %0 = "graph.mul"(%wide, %wide) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = "graph.reduce_mean"(%0) {axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %2 = "graph.add"(%1, %epsilon) : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %3 = "graph.sqrt"(%2) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %4 = "graph.cast"(%3) : (tensor<?x1xf32>) -> tensor<?x1xf16>
  %5 = "graph.div"(%x, %4) : (tensor<?x8xf16>, tensor<?x1xf16>) -> tensor<?x8xf16>
  return %5 : tensor<?x8xf16>
}

// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: "graph.softmax"(%arg0) {axis = 1 : i64}
// CHECK-NEXT: return
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = "graph.reduce_max"(%x) {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?x1xf32>
  %1 = "graph.sub"(%x, %0) : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %2 = "graph.exp"(%1) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = "graph.reduce_sum"(%2) {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?x1xf32>
  %4 = "graph.div"(%2, %3) : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  return %4 : tensor<?x?xf32>
}

// Overflow of e^x is another result; the sum is over another axis than the maximum; two axes are none.
// CHECK-LABEL: func.func @no_softmax
// CHECK-NOT: graph.softmax
// CHECK: return
func.func @no_softmax(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = "graph.exp"(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = "graph.reduce_sum"(%0) {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %2 = "graph.div"(%0, %1) : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %3 = "graph.reduce_max"(%x) {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<1x4xf32>
  %4 = "graph.sub"(%x, %3) : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %5 = "graph.exp"(%4) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %6 = "graph.reduce_sum"(%5) {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %7 = "graph.div"(%5, %6) : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %8 = "graph.reduce_max"(%x) {axes = array<i64: 0, 1>} : (tensor<?x4xf32>) -> tensor<1x1xf32>
  %9 = "graph.sub"(%x, %8) : (tensor<?x4xf32>, tensor<1x1xf32>) -> tensor<?x4xf32>
  %10 = "graph.exp"(%9) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %11 = "graph.reduce_sum"(%10) {axes = array<i64: 0, 1>} : (tensor<?x4xf32>) -> tensor<1x1xf32>
  %12 = "graph.div"(%10, %11) : (tensor<?x4xf32>, tensor<1x1xf32>) -> tensor<?x4xf32>
  return %2, %7, %12 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @log_softmax
// CHECK-NEXT: "graph.log_softmax"(%arg0) {axis = 1 : i64}
// CHECK-NEXT: "graph.log_softmax"(%arg0) {axis = 0 : i64}
// CHECK-NEXT: return
func.func @log_softmax(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = "graph.softmax"(%x) {axis = 1} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = "graph.log"(%0) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = "graph.reduce_log_sum_exp"(%x) {axes = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<1x?xf32>
  %3 = "graph.sub"(%x, %2) : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %1, %3 : tensor<?x?xf32>, tensor<?x?xf32>
}

// 0.70711 is 1 / sqrt(2) neither in f64 nor in f32; it is in the precision of f16.
// CHECK-LABEL: func.func @precision_of_constants
// CHECK: graph.erf
// CHECK: %[[GELU:.*]] = "graph.gelu"(%arg1)
// CHECK: return %{{.*}}, %[[GELU]]
func.func @precision_of_constants(%x: tensor<4xf64>, %h: tensor<4xf16>) -> (tensor<4xf64>, tensor<4xf16>) {
  %root = "graph.constant"() {value = dense<0.70711> : tensor<f64>} : () -> tensor<f64>
  %half = "graph.constant"() {value = dense<0.5> : tensor<f64>} : () -> tensor<f64>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "graph.mul"(%x, %root) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %1 = "graph.erf"(%0) : (tensor<4xf64>) -> tensor<4xf64>
  %2 = "graph.add"(%1, %one) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %3 = "graph.mul"(%x, %2) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %4 = "graph.mul"(%3, %half) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %rough = "graph.constant"() {value = dense<0.70711> : tensor<f16>} : () -> tensor<f16>
  %halves = "graph.constant"() {value = dense<0.5> : tensor<f16>} : () -> tensor<f16>
  %ones = "graph.constant"() {value = dense<1.0> : tensor<f16>} : () -> tensor<f16>
  %5 = "graph.mul"(%h, %rough) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %6 = "graph.erf"(%5) : (tensor<4xf16>) -> tensor<4xf16>
  %7 = "graph.add"(%6, %ones) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %8 = "graph.mul"(%h, %7) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %9 = "graph.mul"(%8, %halves) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  return %4, %9 : tensor<4xf64>, tensor<4xf16>
}
