// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// The total is carried along the axis, innermost, in a register; an exclusive scan stores it before it adds.
// CHECK-LABEL: func.func private @exclusive_reverse
// CHECK: scf.for %[[COLUMN:[a-z0-9]+]] = {{.*}} -> (tensor<3x4xf32>)
// CHECK: scf.for %[[I:[a-z0-9]+]] = {{.*}} iter_args(%[[LINE:[a-z0-9]+]] = %{{.*}}, %[[TOTAL:[a-z0-9]+]] = %{{.*}}) -> (tensor<3x4xf32>, f32)
// CHECK: %[[ROW:[a-z0-9]+]] = arith.subi %{{.*}}, %[[I]]
// CHECK: %[[X:[a-z0-9]+]] = tensor.extract %arg0[%[[ROW]], %[[COLUMN]]]
// CHECK: %[[NEXT:[a-z0-9]+]] = arith.addf %[[TOTAL]], %[[X]]
// CHECK: tensor.insert %[[TOTAL]] into %[[LINE]][%[[ROW]], %[[COLUMN]]]
func.func private @exclusive_reverse(%x: tensor<3x4xf32>) -> tensor<3x4xf32> attributes {tloop.kernel} {
  %0 = "graph.cumsum"(%x) {axis = 0, exclusive = true, reverse = true} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func private @products
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[TOTAL:[a-z0-9]+]] = %[[ONE]]) -> (tensor<4xf16>, f32)
// CHECK: %[[NEXT:.*]] = arith.mulf %[[TOTAL]], %{{.*}} : f32
// CHECK: arith.truncf %[[NEXT]] : f32 to f16
func.func private @products(%x: tensor<4xf16>) -> tensor<4xf16> attributes {tloop.kernel} {
  %0 = "graph.cumprod"(%x) {axis = 0, exclusive = false, reverse = false} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// The largest element first, then the first position of it, or of a NaN.
// CHECK-LABEL: func.func private @first_largest
// CHECK: arith.maximumf
// CHECK: linalg.index 1
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf uno
// CHECK: arith.minsi
func.func private @first_largest(%x: tensor<3x4xf32>) -> tensor<3xi64> attributes {tloop.kernel} {
  %0 = "graph.arg_max"(%x) {axis = 1, keepdims = false, select_last_index = false} : (tensor<3x4xf32>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// -----

// CHECK-LABEL: func.func private @last_smallest
// CHECK: arith.minsi
// CHECK: arith.maxsi
func.func private @last_smallest(%x: tensor<3x4xi32>) -> tensor<1x4xi64> attributes {tloop.kernel} {
  %0 = "graph.arg_min"(%x) {axis = 0, keepdims = true, select_last_index = true} : (tensor<3x4xi32>) -> tensor<1x4xi64>
  return %0 : tensor<1x4xi64>
}

// -----

// CHECK-LABEL: func.func private @range
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[STEP:.*]] = arith.mulf
// CHECK: arith.addf %{{.*}}, %[[STEP]]
func.func private @range(%start: tensor<f32>, %limit: tensor<f32>, %delta: tensor<f32>) -> tensor<5xf32> attributes {tloop.kernel} {
  %0 = "graph.range"(%start, %limit, %delta) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func private @shape
// CHECK: arith.constant dense<[3, 4]> : tensor<2xi64>
func.func private @shape(%x: tensor<3x4xf32>) -> tensor<2xi64> attributes {tloop.kernel} {
  %0 = "graph.shape_of"(%x) : (tensor<3x4xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
