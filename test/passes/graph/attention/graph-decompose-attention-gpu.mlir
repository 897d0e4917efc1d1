// RUN: mlc-opt %s --graph-decompose-attention=device=gpu | filecheck %s
// RUN: mlc-opt %s --graph-decompose-attention="device=gpu one-kernel=false" | filecheck %s --check-prefix=PARTS

// Groups of heads, boolean masks and any fill are left to the program of blocks; so are few queries, many keys and
// narrow elements.
// CHECK-LABEL: func.func @whole
// CHECK-NEXT: %[[RESULT:.*]] = "graph.attention"(%arg0, %arg1, %arg1, %arg2) {causal = true, fill = 5.000000e-01 : f64, scale = 1.000000e+00 : f64} : (tensor<1x8x1x256xf16>, tensor<1x2x9000x256xf16>
// CHECK-NEXT: return %[[RESULT]]
// PARTS-LABEL: func.func @whole
// PARTS-NOT: graph.attention
// PARTS: graph.softmax
func.func @whole(%q: tensor<1x8x1x256xf16>, %k: tensor<1x2x9000x256xf16>, %mask: tensor<9000xi1>) -> tensor<1x8x1x256xf16> {
  %0 = "graph.attention"(%q, %k, %k, %mask) {scale = 1.0, causal = true, fill = 0.5}
      : (tensor<1x8x1x256xf16>, tensor<1x2x9000x256xf16>, tensor<1x2x9000x256xf16>, tensor<9000xi1>) -> tensor<1x8x1x256xf16>
  return %0 : tensor<1x8x1x256xf16>
}

// CHECK-LABEL: func.func @unknown_dims
// CHECK-NOT: graph.attention
// CHECK: graph.softmax
func.func @unknown_dims(%q: tensor<2x?x16xf32>) -> tensor<2x?x16xf32> {
  %0 = "graph.attention"(%q, %q, %q) {scale = 1.0} : (tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
  return %0 : tensor<2x?x16xf32>
}

// CHECK-LABEL: func.func @doubles
// CHECK-NOT: graph.attention
// CHECK: graph.softmax
func.func @doubles(%q: tensor<2x8x16xf64>) -> tensor<2x8x16xf64> {
  %0 = "graph.attention"(%q, %q, %q) {scale = 1.0} : (tensor<2x8x16xf64>, tensor<2x8x16xf64>, tensor<2x8x16xf64>) -> tensor<2x8x16xf64>
  return %0 : tensor<2x8x16xf64>
}

// CHECK-LABEL: func.func @long_rows
// CHECK-NOT: graph.attention
// CHECK: graph.softmax
func.func @long_rows(%q: tensor<2x8x16xf32>, %v: tensor<2x8x257xf32>) -> tensor<2x8x257xf32> {
  %0 = "graph.attention"(%q, %q, %v) {scale = 1.0} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x257xf32>) -> tensor<2x8x257xf32>
  return %0 : tensor<2x8x257xf32>
}

// CHECK-LABEL: func.func @small_constant
// CHECK-NOT: graph.attention
// CHECK: graph.softmax
func.func @small_constant(%q: tensor<2x2x16xf32>) -> tensor<2x2x16xf32> {
  %mask = "graph.constant"() {value = dense<[[0.0, -1.0e4], [0.0, 0.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %0 = "graph.attention"(%q, %q, %q, %mask) {scale = 1.0} : (tensor<2x2x16xf32>, tensor<2x2x16xf32>, tensor<2x2x16xf32>, tensor<2x2xf32>) -> tensor<2x2x16xf32>
  return %0 : tensor<2x2x16xf32>
}
