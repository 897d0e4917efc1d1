// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// Without keepdims the reduced dims leave the result; sums may be reassociated.
// CHECK: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
// CHECK: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-LABEL: func.func private @sum
// CHECK: arith.constant 0.000000e+00
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[Y]]], iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK: arith.addf {{.*}} fastmath<reassoc,contract>
func.func private @sum(%x: tensor<3x4x5xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  %0 = "graph.reduce_sum"(%x) {axes = array<i64: 0, 2>, keepdims = false} : (tensor<3x4x5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func private @neutral
// CHECK: arith.constant -2147483648 : i32
// CHECK: arith.maxsi
// CHECK: arith.constant 0x7F800000 : f32
// CHECK: arith.minimumf
func.func private @neutral(%x: tensor<4xi32>, %y: tensor<4xf32>) -> (tensor<i32>, tensor<f32>) attributes {tloop.kernel} {
  %0 = "graph.reduce_max"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<4xi32>) -> tensor<i32>
  %1 = "graph.reduce_min"(%y) {axes = array<i64: 0>, keepdims = false} : (tensor<4xf32>) -> tensor<f32>
  return %0, %1 : tensor<i32>, tensor<f32>
}

// -----

// Softmax: maximum, exponentials of the difference, their sum, one reciprocal per row.
// CHECK-LABEL: func.func private @softmax
// CHECK: arith.constant 0xFF800000
// CHECK: arith.maximumf
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: -> tensor<4x1xf32>
// CHECK: arith.mulf
// CHECK: -> tensor<4x8xf32>
func.func private @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%x) {axis = 1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// The variance is that of the centred row: the difference of large squares would cancel.
// CHECK-LABEL: func.func private @layer_norm
// CHECK: arith.addf
// CHECK: arith.constant 8.000000e+00
// CHECK: arith.divf
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.constant 8.000000e+00
// CHECK: arith.divf
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: arith.mulf
func.func private @layer_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {tloop.kernel} {
  %0 = "graph.layer_norm"(%x) {axes = array<i64: 1>, epsilon = 1.0e-05} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
