// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// Rounds halves to even, then adds the zero point, then saturates.
// CHECK: #[[AXIS:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func private @quantize
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[AXIS]], #[[AXIS]], #{{.*}}]
// CHECK: arith.divf
// CHECK: math.roundeven
// CHECK: arith.uitofp %{{.*}} : i8 to f32
// CHECK: arith.addf
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf olt
// CHECK: arith.fptoui %{{.*}} : f32 to i8
func.func private @quantize(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %z: tensor<3xui8>) -> tensor<2x3xui8> attributes {tloop.kernel} {
  %0 = "graph.quantize_linear"(%x, %s, %z) {axis = 1, block_size = 0, saturate = true} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xui8>) -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// -----

// CHECK: #[[BLOCK:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 4)>
// CHECK-LABEL: func.func private @dequantize_blocks
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[BLOCK]], #{{.*}}]
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.sitofp
// CHECK: arith.mulf
func.func private @dequantize_blocks(%x: tensor<2x8xi8>, %s: tensor<2x2xf32>) -> tensor<2x8xf32> attributes {tloop.kernel} {
  %0 = "graph.dequantize_linear"(%x, %s) {axis = 1, block_size = 4} : (tensor<2x8xi8>, tensor<2x2xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

// The division is in scale's type; f64 holds every i32.
// CHECK-LABEL: func.func private @precision
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: %[[Q:.*]] = arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[Q]] : f32 to f16
// CHECK: %[[WIDE:.*]] = arith.extf %[[ROUNDED]] : f16 to f32
// CHECK: math.roundeven %[[WIDE]] : f32
// CHECK: arith.sitofp %{{.*}} : i32 to f64
// CHECK: %[[D:.*]] = arith.divf %{{.*}}, %{{.*}} : f64
// CHECK: math.roundeven %[[D]] : f64
// CHECK: arith.fptosi %{{.*}} : f64 to i8
func.func private @precision(%x: tensor<4xf32>, %s: tensor<f16>, %i: tensor<4xi32>, %d: tensor<f64>) -> (tensor<4xi8>, tensor<4xi8>) attributes {tloop.kernel} {
  %0 = "graph.quantize_linear"(%x, %s) : (tensor<4xf32>, tensor<f16>) -> tensor<4xi8>
  %1 = "graph.quantize_linear"(%i, %d) : (tensor<4xi32>, tensor<f64>) -> tensor<4xi8>
  return %0, %1 : tensor<4xi8>, tensor<4xi8>
}

// -----

// Floats are not rounded to integers before they become narrow ones; their zero point counts as 0.
// CHECK-LABEL: func.func private @to_f8({{.*}}) -> tensor<4xi8>
// CHECK: arith.divf
// CHECK-NOT: roundeven
// CHECK: %[[LIMIT:.*]] = arith.constant 123 : i32
// CHECK: arith.select %{{.*}}, %[[LIMIT]]
// CHECK: linalg.yield
func.func private @to_f8(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<f8E5M2>) -> tensor<4xf8E5M2> attributes {tloop.kernel} {
  %0 = "graph.quantize_linear"(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<f8E5M2>) -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// -----

// CHECK-LABEL: func.func private @from_f4(%arg0: tensor<4xi4>
// CHECK: arith.extui %{{.*}} : i4 to i32
// CHECK: arith.mulf
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func private @from_f4(%x: tensor<4xf4E2M1FN>, %s: tensor<f32>) -> tensor<4xbf16> attributes {tloop.kernel} {
  %0 = "graph.dequantize_linear"(%x, %s) : (tensor<4xf4E2M1FN>, tensor<f32>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
