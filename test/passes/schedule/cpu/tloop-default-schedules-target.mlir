// RUN: mlc-opt %s --split-input-file --verify-diagnostics --graph-to-linalg --tloop-default-schedules

// expected-error@+1 {{attribute tloop.target: unknown target 'z80'}}
module attributes {tloop.target = "z80"} {
  func.func private @k(%a: tensor<3x4xf32>, %b: tensor<4x8xf32>) -> tensor<3x8xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul"(%a, %b) : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}

// -----

// expected-error@+1 {{attribute tloop.target: }}
module attributes {tloop.target = 3 : i32} {
  func.func private @k(%a: tensor<3x4xf32>, %b: tensor<4x8xf32>) -> tensor<3x8xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul"(%a, %b) : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
