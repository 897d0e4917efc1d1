// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<9xi32>, %thresholds: tensor<8xf32>, %children: tensor<9x2xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'thresholds' number of nodes differs: 9 against 8}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<9xi32>, tensor<8xf32>, tensor<9x2xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<9xi32>, %thresholds: tensor<9xf32>, %children: tensor<9x3xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'children' number of children of a node differs: 2 against 3}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<9xi32>, tensor<9xf32>, tensor<9x3xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<9xi32>, %thresholds: tensor<9xf64>, %children: tensor<9x2xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'thresholds'}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<9xi32>, tensor<9xf64>, tensor<9x2xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<7xi32>, %features: tensor<9xi32>, %thresholds: tensor<9xf32>, %children: tensor<9x2xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'roots' has rank 1 instead of 2}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<7xi32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<9xi32>, %thresholds: tensor<9xf32>, %children: tensor<9x2xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'depth' -1 is negative}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = -1 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x0xf32>, %roots: tensor<1x7xi32>, %features: tensor<9xi32>, %thresholds: tensor<9xf32>, %children: tensor<9x2xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'x' is empty: tensor<4x0xf32>}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x0xf32>, tensor<1x7xi32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<9xi32>, %thresholds: tensor<9xf32>, %children: tensor<9x2xi32>, %weights: tensor<0x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'weights' is empty: tensor<0x3xf32>}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<0x3xf32>) -> tensor<4x1x3xf32>
  return
}
