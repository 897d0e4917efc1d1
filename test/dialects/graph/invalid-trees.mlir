// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<28xf32>, %children: tensor<29xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'thresholds' number of nodes differs: 29 against 28}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<29xi32>, tensor<28xf32>, tensor<29xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29x2xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'children' has rank 2 instead of 1}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29x2xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf64>, %children: tensor<29xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'thresholds'}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<29xi32>, tensor<29xf64>, tensor<29xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'roots' has rank 1 instead of 2}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<7xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'depth' -1 is negative}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = -1 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x0xf32>, %roots: tensor<1x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'x' is empty: tensor<4x0xf32>}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x0xf32>, tensor<1x7xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<29xi32>, %thresholds: tensor<29xf32>, %children: tensor<29xi32>, %weights: tensor<0x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'weights' is empty: tensor<0x3xf32>}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<29xi32>, tensor<29xf32>, tensor<29xi32>, tensor<0x3xf32>) -> tensor<4x1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %roots: tensor<1x7xi32>, %features: tensor<19xi32>, %thresholds: tensor<19xf32>, %children: tensor<19xi32>, %weights: tensor<20x3xf32>) {
  // expected-error @below {{'graph.tree_ensemble' op 'features' has fewer elements than there are leaves: 19 against 20}}
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 4 : i64}
      : (tensor<4x5xf32>, tensor<1x7xi32>, tensor<19xi32>, tensor<19xf32>, tensor<19xi32>, tensor<20x3xf32>) -> tensor<4x1x3xf32>
  return
}
