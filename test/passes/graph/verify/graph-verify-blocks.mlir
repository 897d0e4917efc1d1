// RUN: mlc-opt %s --graph-verify-blocks --verify-diagnostics --split-input-file | filecheck %s

// What is no kernel runs on the processor, and reductions are shared by threads.
// CHECK-LABEL: func.func @main
// CHECK: graph.det
func.func @main(%x: tensor<3x3xf32>) -> tensor<f32> {
  %0 = "graph.det"(%x) : (tensor<3x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @sums
func.func private @sums(%x: tensor<4x5xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  %0 = "graph.reduce_sum"(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<4x5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Every op of every kernel.
func.func private @first(%x: tensor<8x40xf32>, %y: tensor<3x3xf32>) -> (tensor<8x4xf32>, tensor<f32>) attributes {tloop.kernel} {
  // expected-error @below {{thread blocks cannot compute 'graph.top_k': it selects one element after the other; a processor can (--unsupported=cpu)}}
  %r:2 = "graph.top_k"(%x) {axis = 1, k = 4} : (tensor<8x40xf32>) -> (tensor<8x4xf32>, tensor<8x4xi64>)
  // expected-note @below {{thread blocks cannot compute 'graph.det': each step of the elimination needs the one before it; a processor can (--unsupported=cpu)}}
  %d = "graph.det"(%y) : (tensor<3x3xf32>) -> tensor<f32>
  return %r#0, %d : tensor<8x4xf32>, tensor<f32>
}
func.func private @second(%x: tensor<8x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) -> tensor<8x4xf32> attributes {tloop.kernel, tloop.device = "accel"} {
  // expected-note @below {{thread blocks cannot compute 'graph.scatter_nd': updates of one element are sequential; do not place it by graph-place}}
  %r = "graph.scatter_nd"(%x, %i, %u) : (tensor<8x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// Vectors have no complex elements.
func.func private @moved(%x: tensor<8x4xcomplex<f32>>) -> (tensor<4x8xcomplex<f32>>, tensor<8x4xf32>) attributes {tloop.kernel} {
  // expected-error @below {{thread blocks cannot compute 'graph.transpose': tiles have no elements complex<f32>; a processor can (--unsupported=cpu)}}
  %t = "graph.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<8x4xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  // expected-note @below {{thread blocks cannot compute 'graph.real': tiles have no elements complex<f32>; a processor can (--unsupported=cpu)}}
  %r = "graph.real"(%x) : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xf32>
  return %t, %r : tensor<4x8xcomplex<f32>>, tensor<8x4xf32>
}
