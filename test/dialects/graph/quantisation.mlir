// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Linear quantisation per tensor, per axis and in blocks.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2x8x?xf32>,
            %s: tensor<f32>,
            %v: tensor<8xf32>,
            %blocks: tensor<2x2x?xf32>,
            %z: tensor<ui8>,
            %zv: tensor<8xi8>,
            %q: tensor<2x8x?xi8>,
            %zb: tensor<2x2x?xi4>,
            %i: tensor<4xi32>) {
  // CHECK-NEXT: %{{.*}} = "graph.quantize_linear"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x8x?xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x8x?xui8>
  %0 = "graph.quantize_linear"(%x, %s, %z) : (tensor<2x8x?xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x8x?xui8>
  // CHECK-NEXT: %{{.*}} = "graph.quantize_linear"(%{{.*}}, %{{.*}}, %{{.*}}) {axis = 1 : i64} : (tensor<2x8x?xf32>, tensor<8xf32>, tensor<8xi8>) -> tensor<2x8x?xi8>
  %1 = "graph.quantize_linear"(%x, %v, %zv) {axis = 1} : (tensor<2x8x?xf32>, tensor<8xf32>, tensor<8xi8>) -> tensor<2x8x?xi8>
  // CHECK-NEXT: %{{.*}} = "graph.quantize_linear"(%{{.*}}, %{{.*}}, %{{.*}}) {axis = 1 : i64, block_size = 4 : i64} : (tensor<2x8x?xf32>, tensor<2x2x?xf32>, tensor<2x2x?xi4>) -> tensor<2x8x?xi4>
  %2 = "graph.quantize_linear"(%x, %blocks, %zb) {axis = 1, block_size = 4} : (tensor<2x8x?xf32>, tensor<2x2x?xf32>, tensor<2x2x?xi4>) -> tensor<2x8x?xi4>
  // CHECK-NEXT: %{{.*}} = "graph.quantize_linear"(%{{.*}}, %{{.*}}) {saturate = false} : (tensor<2x8x?xf32>, tensor<f32>) -> tensor<2x8x?xf8E4M3FN>
  %3 = "graph.quantize_linear"(%x, %s) {saturate = false} : (tensor<2x8x?xf32>, tensor<f32>) -> tensor<2x8x?xf8E4M3FN>
  // CHECK-NEXT: %{{.*}} = "graph.dequantize_linear"(%{{.*}}, %{{.*}}, %{{.*}}) {axis = 1 : i64} : (tensor<2x8x?xi8>, tensor<8xf32>, tensor<8xi8>) -> tensor<2x8x?xf32>
  %4 = "graph.dequantize_linear"(%q, %v, %zv) {axis = 1} : (tensor<2x8x?xi8>, tensor<8xf32>, tensor<8xi8>) -> tensor<2x8x?xf32>
  // CHECK-NEXT: %{{.*}} = "graph.dequantize_linear"(%{{.*}}, %{{.*}}) : (tensor<2x8x?xi8>, tensor<f32>) -> tensor<2x8x?xbf16>
  %5 = "graph.dequantize_linear"(%q, %s) : (tensor<2x8x?xi8>, tensor<f32>) -> tensor<2x8x?xbf16>
  // CHECK-NEXT: %{{.*}} = "graph.dequantize_linear"(%{{.*}}, %{{.*}}) : (tensor<4xi32>, tensor<f32>) -> tensor<4xf32>
  %6 = "graph.dequantize_linear"(%i, %s) : (tensor<4xi32>, tensor<f32>) -> tensor<4xf32>
  return
}
