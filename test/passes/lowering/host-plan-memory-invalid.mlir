// RUN: mlc-opt %s --host-plan-memory --verify-diagnostics --split-input-file

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{a host function cannot hold 'graph.exp'; run graph-form-kernels first}}
  %0 = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{the host program has a value with dynamic dims, tensor<?xf32>; give its sizes (--dim, --shape)}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "tloop.launch"(%x) {kernel = @k, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = "graph.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  // expected-error @below {{a launch cannot read a constant, which is part of kernels; run graph-form-kernels first}}
  %0 = "tloop.launch"(%c) {kernel = @k, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{result #0 needs a launch of its own that writes it; run graph-form-kernels first}}
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "tloop.launch"(%x) {kernel = @k, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{result #1 needs a launch of its own that writes it; run graph-form-kernels first}}
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{the tensors of '@main' take 147573952589676412928 bytes, more than there are addresses}}
func.func @main(%x: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  %0 = "tloop.launch"(%x) {kernel = @k, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32>
  return %0 : tensor<4294967296x4294967296xf32>
}
