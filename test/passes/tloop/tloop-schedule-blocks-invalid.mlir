// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(graph-to-linalg),tloop-schedule-blocks)' --verify-diagnostics

func.func private @no_depth(%a: tensor<64x0xf32>, %b: tensor<0x64xf32>) -> tensor<64x64xf32> attributes {tloop.kernel} {
  // expected-error @below {{a reduction of no elements has no schedule: graph-eliminate-empty leaves none}}
  %r = "graph.matmul"(%a, %b) : (tensor<64x0xf32>, tensor<0x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
