// RUN: mlc-opt %s --split-input-file --verify-diagnostics --tloop-verify-in-place

#same = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func private @fine(%a: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> attributes {tloop.kernel, tloop.in_place = array<i64: 0>} {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
func.func private @turned(%a: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {tloop.kernel, tloop.in_place = array<i64: 0>} {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-error @below {{kernel @turned may write over operand #0, but reads it at (d0, d1) -> (d1, d0)}}
  %0 = linalg.generic {indexing_maps = [#turned, #same], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#same = affine_map<(d0) -> (d0)>
// expected-error @below {{kernel @twice works in place, but is 2 loop nests, not one}}
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel, tloop.in_place = array<i64: 0>} {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]} ins(%0, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A view may change what is where, and a look-up reads another index.
#same = affine_map<(d0) -> (d0)>
func.func private @others(%a: tensor<4xf32>, %b: tensor<2x2xf32>) -> tensor<4xf32> attributes {tloop.kernel, tloop.in_place = array<i64: 1, 0>} {
  %c3 = arith.constant 3 : index
  // expected-error @below {{kernel @others may write over operand #1, but 'tensor.collapse_shape' reads it}}
  %v = tensor.collapse_shape %b [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %c3, %i : index
    // expected-note @below {{kernel @others may write over operand #0, but 'tensor.extract' reads it}}
    %y = tensor.extract %a[%j] : tensor<4xf32>
    linalg.yield %y : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{kernel @missing works in place, but has 2 results, not one}}
// expected-note @below {{kernel @missing works in place, but has no operand #2}}
func.func private @missing(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {tloop.kernel, tloop.in_place = array<i64: 1, 2>} {
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// Its size may be read, and an operand may be the result.
func.func private @size(%a: tensor<?xf32>) -> tensor<?xf32> attributes {tloop.kernel, tloop.in_place = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  return %a : tensor<?xf32>
}

// -----

func.func private @external(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel, tloop.in_place = array<i64: 0>}
