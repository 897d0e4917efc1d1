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
