// RUN: mlc-opt %s --graph-to-linalg | filecheck %s

// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[ID2:.*]] = affine_map<(d0, d1) -> (d0, d1)>

// NaN passes through relu: a comparison that is false for it keeps x.
// CHECK-LABEL: func.func private @relu
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK-NEXT: %[[NEGATIVE:.*]] = arith.cmpf ogt, %[[ZERO]], %[[X]]
// CHECK-NEXT: %[[R:.*]] = arith.select %[[NEGATIVE]], %[[ZERO]], %[[X]]
// CHECK-NEXT: linalg.yield %[[R]]
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  %0 = "graph.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Broadcasting is in the maps.
// CHECK-LABEL: func.func private @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[COLUMN]], #[[ROW]], #[[ID2]]], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3x1xf32>, tensor<4xf32>)
// CHECK: arith.subf {{.*}} fastmath<contract>
func.func private @broadcast(%x: tensor<3x1xf32>, %y: tensor<4xf32>) -> tensor<3x4xf32> attributes {tloop.kernel} {
  %0 = "graph.sub"(%x, %y) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// An absent bound does not limit.
// CHECK-LABEL: func.func private @clamp
// CHECK: arith.constant 6.000000e+00
// CHECK: arith.select
// CHECK-NOT: arith.select
// CHECK: linalg.yield
func.func private @clamp(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  %0 = "graph.clamp"(%x) {max = 6.0} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func private @is_inf
// CHECK: %[[INF:.*]] = arith.constant 0x7F800000
// CHECK: arith.cmpf oeq, %{{.*}}, %[[INF]]
func.func private @is_inf(%x: tensor<4xf32>) -> tensor<4xi1> attributes {tloop.kernel} {
  %0 = "graph.is_inf"(%x) {detect_negative = false, detect_positive = true} : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func.func private @casts
// CHECK: arith.sitofp {{.*}} : i32 to f32
// CHECK: arith.cmpf une
// CHECK: arith.uitofp {{.*}} : i1 to f32
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func private @casts(%x: tensor<4xi32>) -> tensor<4xf16> attributes {tloop.kernel} {
  %0 = "graph.cast"(%x) {saturate = true} : (tensor<4xi32>) -> tensor<4xf32>
  %1 = "graph.cast"(%0) {saturate = true} : (tensor<4xf32>) -> tensor<4xi1>
  %2 = "graph.cast"(%1) {saturate = true} : (tensor<4xi1>) -> tensor<4xf32>
  %3 = "graph.cast"(%2) {saturate = true} : (tensor<4xf32>) -> tensor<4xf16>
  return %3 : tensor<4xf16>
}

// CHECK-LABEL: func.func private @where
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %arg2
// CHECK-NEXT: ^bb0(%[[C:.*]]: i1, %[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.select %[[C]], %[[X]], %[[Y]]
func.func private @where(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  %0 = "graph.where"(%c, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Functions that are no kernels stay at the graph level.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: "graph.relu"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "graph.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Signed integers keep their sign when shifted.
// CHECK-LABEL: func.func private @shift
// CHECK: arith.shrsi
// CHECK: arith.shrui
func.func private @shift(%x: tensor<4xi32>, %y: tensor<4xui32>) -> (tensor<4xi32>, tensor<4xui32>) attributes {tloop.kernel} {
  %0 = "graph.shift_right"(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = "graph.shift_right"(%y, %y) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %0, %1 : tensor<4xi32>, tensor<4xui32>
}

// Integer powers by squaring, a step per bit of the exponent, without a branch.
// CHECK-LABEL: func.func private @power
// CHECK-NOT: math.ipowi
// CHECK: arith.shrui
// CHECK: arith.select
// CHECK: linalg.yield
func.func private @power(%x: tensor<4xi8>) -> tensor<4xi8> attributes {tloop.kernel} {
  %0 = "graph.pow"(%x, %x) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
