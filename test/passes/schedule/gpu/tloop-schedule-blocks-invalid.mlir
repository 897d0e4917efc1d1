// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(graph-to-linalg),tloop-schedule-blocks)' --split-input-file --verify-diagnostics

func.func private @no_depth(%a: tensor<64x0xf32>, %b: tensor<0x64xf32>) -> tensor<64x64xf32> attributes {tloop.kernel} {
  // expected-error @below {{a reduction of no elements has no schedule: graph-eliminate-empty leaves none}}
  %r = "graph.matmul"(%a, %b) : (tensor<64x0xf32>, tensor<0x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

func.func private @scatter(%x: tensor<8x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) -> tensor<8x4xf32> attributes {tloop.kernel} {
  // expected-error @below {{what this op computes one element after the other has no schedule for blocks}}
  %r = "graph.scatter_nd"(%x, %i, %u) : (tensor<8x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

func.func private @top_k(%x: tensor<8x40xf32>) -> (tensor<8x4xf32>, tensor<8x4xi64>) attributes {tloop.kernel} {
  // expected-error @below {{what this op computes one element after the other has no schedule for blocks}}
  %r:2 = "graph.top_k"(%x) {axis = 1, k = 4} : (tensor<8x40xf32>) -> (tensor<8x4xf32>, tensor<8x4xi64>)
  return %r#0, %r#1 : tensor<8x4xf32>, tensor<8x4xi64>
}

// -----

// expected-error @below {{accel.precision must be 'exact' or 'tf32', but is 3 : i64}}
func.func private @number(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tloop.kernel, accel.precision = 3 : i64} {
  %r = "graph.matmul"(%a, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

func.func private @table(%x: tensor<3xf32>) -> tensor<3xf32> attributes {tloop.kernel} {
  // expected-error @below {{a constant whose elements differ has no form on tiles: threads cannot look elements up in their code}}
  %c = "graph.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r = "graph.add"(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
