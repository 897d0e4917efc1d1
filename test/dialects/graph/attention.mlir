// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Attention and rotary embedding.

// CHECK-LABEL: func.func @f
func.func @f(%q: tensor<?x8x5x4xf32>,
            %k: tensor<?x2x?x4xf32>,
            %v: tensor<1x2x7x6xf32>,
            %truth: tensor<5x7xi1>,
            %numbers: tensor<?x1x1x7xf32>,
            %h: tensor<3x5x4xf16>,
            %x: tensor<?x8x?x64xf32>,
            %angle: tensor<1x?x64xf32>) {
  // CHECK-NEXT: %{{.*}} = "graph.attention"(%{{.*}}, %{{.*}}, %{{.*}}) {scale = 5.000000e-01 : f64} : (tensor<?x8x5x4xf32>, tensor<?x2x?x4xf32>, tensor<1x2x7x6xf32>) -> tensor<?x8x5x6xf32>
  %0 = "graph.attention"(%q, %k, %v) {scale = 0.5} : (tensor<?x8x5x4xf32>, tensor<?x2x?x4xf32>, tensor<1x2x7x6xf32>) -> tensor<?x8x5x6xf32>
  // CHECK-NEXT: %{{.*}} = "graph.attention"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {fill = -1.000000e+04 : f64, safe = true, scale = 5.000000e-01 : f64}
  // CHECK-SAME: : (tensor<?x8x5x4xf32>, tensor<?x2x?x4xf32>, tensor<1x2x7x6xf32>, tensor<5x7xi1>) -> tensor<?x8x5x6xf32>
  %1 = "graph.attention"(%q, %k, %v, %truth) {scale = 0.5, fill = -10000.0, safe = true} : (tensor<?x8x5x4xf32>, tensor<?x2x?x4xf32>, tensor<1x2x7x6xf32>, tensor<5x7xi1>) -> tensor<?x8x5x6xf32>
  // CHECK-NEXT: %{{.*}} = "graph.attention"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {causal = true, scale = 5.000000e-01 : f64}
  // CHECK-SAME: : (tensor<?x8x5x4xf32>, tensor<?x2x?x4xf32>, tensor<1x2x7x6xf32>, tensor<?x1x1x7xf32>) -> tensor<?x8x5x6xf32>
  %2 = "graph.attention"(%q, %k, %v, %numbers) {scale = 0.5, causal = true} : (tensor<?x8x5x4xf32>, tensor<?x2x?x4xf32>, tensor<1x2x7x6xf32>, tensor<?x1x1x7xf32>) -> tensor<?x8x5x6xf32>
  // CHECK-NEXT: %{{.*}} = "graph.attention"(%{{.*}}, %{{.*}}, %{{.*}}) {scale = 1.000000e+00 : f64} : (tensor<3x5x4xf16>, tensor<3x5x4xf16>, tensor<3x5x4xf16>) -> tensor<3x5x4xf16>
  %3 = "graph.attention"(%h, %h, %h) {scale = 1.0} : (tensor<3x5x4xf16>, tensor<3x5x4xf16>, tensor<3x5x4xf16>) -> tensor<3x5x4xf16>
  // CHECK-NEXT: %{{.*}} = "graph.rotary_embedding"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<?x8x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x64xf32>) -> tensor<?x8x?x64xf32>
  %4 = "graph.rotary_embedding"(%x, %angle, %angle) : (tensor<?x8x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x64xf32>) -> tensor<?x8x?x64xf32>
  // CHECK-NEXT: %{{.*}} = "graph.rotary_embedding"(%{{.*}}, %{{.*}}, %{{.*}}) {interleaved = true} : (tensor<?x8x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x64xf32>) -> tensor<?x8x?x64xf32>
  %5 = "graph.rotary_embedding"(%x, %angle, %angle) {interleaved = true} : (tensor<?x8x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x64xf32>) -> tensor<?x8x?x64xf32>
  return
}
