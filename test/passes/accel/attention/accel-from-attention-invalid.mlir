// RUN: mlc-opt %s --accel-from-attention --split-input-file --verify-diagnostics

func.func private @parts(%q: tensor<2x8x16xf64>) -> tensor<2x8x16xf64> attributes {tloop.kernel} {
  // expected-error @below {{attention is to be taken apart by graph-decompose-attention: its elements must be of bf16, f16, f32}}
  %r = "graph.attention"(%q, %q, %q) {scale = 1.0} : (tensor<2x8x16xf64>, tensor<2x8x16xf64>, tensor<2x8x16xf64>) -> tensor<2x8x16xf64>
  return %r : tensor<2x8x16xf64>
}

// -----

func.func private @epilogue(%q: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {tloop.kernel} {
  %0 = "graph.attention"(%q, %q, %q) {scale = 1.0} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  // expected-error @below {{'graph.relu' op in a kernel of attention has no form in its program of blocks, which only reads and writes through transposes}}
  %r = "graph.relu"(%0) : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}

// -----

func.func private @columns(%q: tensor<2x8x16xf32>, %k: tensor<2x16x8xf32>) -> tensor<2x8x16xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%k) {permutation = array<i64: 0, 2, 1>} : (tensor<2x16x8xf32>) -> tensor<2x8x16xf32>
  // expected-error @below {{the last dim of k must be the last one in memory too}}
  %r = "graph.attention"(%q, %0, %q) {scale = 1.0} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}

// -----

func.func private @results(%q: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<8x2x16xf32>) attributes {tloop.kernel} {
  // expected-error @below {{a kernel of attention has one result}}
  %r = "graph.attention"(%q, %q, %q) {scale = 1.0} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %t = "graph.transpose"(%r) {permutation = array<i64: 1, 0, 2>} : (tensor<2x8x16xf32>) -> tensor<8x2x16xf32>
  return %r, %t : tensor<2x8x16xf32>, tensor<8x2x16xf32>
}

// -----

func.func private @precision(%q: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {tloop.kernel} {
  // expected-error @below {{accel.precision must be 'exact' or 'tf32', but is true}}
  %r = "graph.attention"(%q, %q, %q) {scale = 1.0, accel.precision = true} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}
