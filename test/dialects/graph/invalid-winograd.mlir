// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<1x2x18x18x16xf32>) {
  // expected-error @below {{'graph.winograd_input' op 'tile' must be 2, 4 or 6, but is 3}}
  %0 = "graph.winograd_input"(%x) {tile = 3 : i64} : (tensor<1x2x18x18x16xf32>) -> tensor<25x36x32xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x18x18x16xf32>) {
  // expected-error @below {{'graph.winograd_input' op 'kernel' must be 3, but is 5}}
  %0 = "graph.winograd_input"(%x) {tile = 2 : i64, kernel = 5 : i64} : (tensor<1x2x18x18x16xf32>) -> tensor<36x49x32xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x2x18x16xf32>) {
  // expected-error @below {{'graph.winograd_input' op 'x' has a dim of 2, but tiles need 3 rows and columns}}
  %0 = "graph.winograd_input"(%x) {tile = 4 : i64} : (tensor<1x2x2x18x16xf32>) -> tensor<36x16x32xf32>
  return
}

// -----

func.func @f(%x: tensor<1x18x18x16xf32>) {
  // expected-error @below {{'graph.winograd_input' op 'x' has rank 4 instead of 5 ([N, C/c, H, W, c]): tensor<1x18x18x16xf32>}}
  %0 = "graph.winograd_input"(%x) {tile = 4 : i64} : (tensor<1x18x18x16xf32>) -> tensor<36x16x16xf32>
  return
}

// -----

func.func @f(%y: tensor<36x8x3x32xf32>) {
  // expected-error @below {{'graph.winograd_output' op 'y' does not hold the 16 tiles of 36 elements: 8 against 16}}
  %0 = "graph.winograd_output"(%y) {tile = 4 : i64, shape = array<i64: 1, 16, 16>} : (tensor<36x8x3x32xf32>) -> tensor<1x3x16x16x32xf32>
  return
}

// -----

func.func @f(%a: tensor<36x8x16xf32>, %b: tensor<16x2x16x8xf32>) {
  // expected-error @below {{'graph.matmul_packed' op 'a, b' batch dims of tensor<36x8x16xf32> and tensor<16x2x16x8xf32> differ: 36 against 16}}
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<36x8x16xf32>, tensor<16x2x16x8xf32>) -> tensor<36x8x2x8xf32>
  return
}

// -----

func.func @f(%y: tensor<36x?x3x32xf32>, %dims: tensor<5xi64>) {
  // expected-error @below {{'graph.winograd_output' op 'dims' length and number of result dims differ: 5 against 3}}
  %0 = "graph.winograd_output"(%y, %dims) {tile = 4 : i64, shape = array<i64: -1, -1, -1>} : (tensor<36x?x3x32xf32>, tensor<5xi64>) -> tensor<?x3x?x?x32xf32>
  return
}
