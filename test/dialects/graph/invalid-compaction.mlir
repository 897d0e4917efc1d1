// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2x3xf32>, %c: tensor<4xi1>) {
  // expected-error @below {{'graph.compress' op 'condition' is longer than dim 1 of x: tensor<4xi1> against tensor<2x3xf32>}}
  %0:2 = "graph.compress"(%x, %c) {axis = 1} : (tensor<2x3xf32>, tensor<4xi1>) -> (tensor<2x4xf32>, tensor<i64>)
  return
}

// -----

func.func @f(%boxes: tensor<2x9x5xf32>, %scores: tensor<2x5x9xf32>) {
  // expected-error @below {{'graph.non_max_suppression' op 'boxes' the last dim is not 4: 5 against 4}}
  %0:2 = "graph.non_max_suppression"(%boxes, %scores) {most = 4} : (tensor<2x9x5xf32>, tensor<2x5x9xf32>) -> (tensor<40x3xi64>, tensor<i64>)
  return
}

// -----

func.func @f(%boxes: tensor<2x9x4xf32>, %scores: tensor<2x5x8xf32>) {
  // expected-error @below {{'graph.non_max_suppression' op 'scores' numbers of boxes and of scores differ: 9 against 8}}
  %0:2 = "graph.non_max_suppression"(%boxes, %scores) {most = 4} : (tensor<2x9x4xf32>, tensor<2x5x8xf32>) -> (tensor<40x3xi64>, tensor<i64>)
  return
}

// -----

func.func @f(%boxes: tensor<2x9x4xf32>, %scores: tensor<2x5x9xf32>) {
  // expected-error @below {{'graph.non_max_suppression' op 'most' -1 is negative}}
  %0:2 = "graph.non_max_suppression"(%boxes, %scores) {most = -1} : (tensor<2x9x4xf32>, tensor<2x5x9xf32>) -> (tensor<0x3xi64>, tensor<i64>)
  return
}

// -----

func.func @f(%boxes: tensor<2x9x4xf32>, %scores: tensor<2x5x9xf32>, %limits: tensor<2xf64>) {
  // expected-error @below {{'graph.non_max_suppression' op 'limits' the dim is not 3: 2 against 3}}
  %0:2 = "graph.non_max_suppression"(%boxes, %scores, %limits) {most = 4} : (tensor<2x9x4xf32>, tensor<2x5x9xf32>, tensor<2xf64>) -> (tensor<40x3xi64>, tensor<i64>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.unique' op 'x' has rank 2 instead of 1: tensor<2x3xf32>}}
  %0:5 = "graph.unique"(%x) : (tensor<2x3xf32>) -> (tensor<6xf32>, tensor<6xi64>, tensor<6xi64>, tensor<6xi64>, tensor<i64>)
  return
}
