// RUN: mlc-opt %s --graph-lower-precision=to=bf16 | filecheck %s

module attributes {tloop.target = "cuda:sm_80"} {
// Attention reads what other kernels make, in their type; the lowest values of its mask stay finite.
// CHECK-LABEL: func.func @attention
// CHECK: %[[Q:.*]] = "graph.cast"(%arg0) {{.*}} -> tensor<2x8x16xbf16>
// CHECK: %[[H:.*]] = "graph.clamp"(%arg1) {min = -3.389531{{.*}}}
// CHECK: %[[I:.*]] = "graph.is_inf"(%arg1)
// CHECK: %[[S:.*]] = "graph.where"(%[[I]], %arg1, %[[H]])
// CHECK: %[[M:.*]] = "graph.cast"(%[[S]]) {{.*}} -> tensor<8x8xbf16>
// CHECK: %[[A:.*]] = "graph.attention"(%[[Q]], {{.*}}, %[[M]]) {{.*}}scale = 1.{{.*}} -> tensor<2x8x16xbf16>
// CHECK: "graph.cast"(%[[A]]) {{.*}} -> tensor<2x8x16xf32>
func.func @attention(%q: tensor<2x8x16xf32>, %mask: tensor<8x8xf32>) -> tensor<2x8x16xf32> {
  %0 = "graph.attention"(%q, %q, %q, %mask) {scale = 1.0} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<8x8xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func.func @depthwise
// CHECK: "graph.conv"({{.*}}) {{.*}}graph.unrounded{{.*}} : (tensor<1x1x8x8x32xbf16>, tensor<1x3x3x32xbf16>) -> tensor<1x1x6x6x32xbf16>
func.func @depthwise(%x: tensor<1x1x8x8x32xf32>, %w: tensor<1x3x3x32xf32>) -> tensor<1x1x6x6x32xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 32 : i64, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x1x8x8x32xf32>, tensor<1x3x3x32xf32>) -> tensor<1x1x6x6x32xf32>
  return %0 : tensor<1x1x6x6x32xf32>
}
}
