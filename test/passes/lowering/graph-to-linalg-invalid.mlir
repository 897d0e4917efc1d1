// RUN: mlc-opt %s --graph-to-linalg --verify-diagnostics --split-input-file

// expected-error @below {{this tensor<?xf32> has dims that the kernel does not name}}
func.func private @unknown_size(%x: tensor<?xf32>) -> tensor<?xf32> attributes {tloop.kernel} {
  %0 = "graph.exp"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @padded(%x: tensor<1x1x9xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x9xf32> attributes {tloop.kernel} {
  // expected-error @below {{'graph.conv' has pads; run graph-materialize-padding first}}
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1>, group = 1, layout = "NCHW", pads = array<i64: 1, 1>, strides = array<i64: 1>} : (tensor<1x1x9xf32>, tensor<1x1x3xf32>) -> tensor<1x1x9xf32>
  return %0 : tensor<1x1x9xf32>
}

// -----

func.func private @no_rule(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<1xi64>) attributes {tloop.kernel} {
  // expected-error @below {{no lowering to linalg for 'graph.prepared'}}
  %0 = "graph.prepared"() {index = 0} : () -> tensor<4xf32>
  %1 = "graph.shape_of"(%x) : (tensor<4xf32>) -> tensor<1xi64>
  return %0, %1 : tensor<4xf32>, tensor<1xi64>
}

// -----

func.func private @groups(%q: tensor<4x48x16xf32>, %k: tensor<2x40x16xf32>) -> tensor<4x48x16xf32> attributes {tloop.kernel} {
  // expected-error @below {{attention is to be taken apart by graph-decompose-attention: its heads are grouped}}
  %0 = "graph.attention"(%q, %k, %k) {scale = 1.0} : (tensor<4x48x16xf32>, tensor<2x40x16xf32>, tensor<2x40x16xf32>) -> tensor<4x48x16xf32>
  return %0 : tensor<4x48x16xf32>
}

// -----

func.func private @precision(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tloop.kernel} {
  // expected-error @below {{accel.precision must be 'exact' or 'tf32', but is "bf16"}}
  %r = "graph.matmul"(%a, %b) {accel.precision = "bf16"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
