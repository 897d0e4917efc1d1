// RUN: mlc-opt %s --graph-lower-precision=to=bf16 | filecheck %s
// RUN: mlc-opt %s --graph-lower-precision | filecheck %s --check-prefix=NOTHING
// RUN: mlc-opt %s --graph-lower-precision=to=f16 | filecheck %s --check-prefix=HALF
// RUN: mlc-opt %s --graph-lower-precision=to=tf32 | filecheck %s --check-prefix=TF32
// RUN: not mlc-opt %s --graph-lower-precision=to=f17 2>&1 | filecheck %s --check-prefix=ERROR

// NOTHING-NOT: bf16
// ERROR: option 'to' must be one of f32, tf32, f16, bf16

// HALF-LABEL: func.func @product
// HALF: "graph.matmul_packed"({{.*}}) {graph.unrounded} : (tensor<4x8xf16>, tensor<2x8x16xf16>) -> tensor<4x2x16xf16>

// Operands stay what they are.
// TF32-LABEL: func.func @product
// TF32: "graph.matmul_packed"(%arg0, %arg1) {accel.precision = "tf32"} : (tensor<4x8xf32>, tensor<2x8x16xf32>)
// TF32: "graph.conv"({{.*}}) {accel.precision = "tf32",
// TF32-LABEL: func.func @kept
// TF32-NOT: tf32

// Operands are rounded; the sum need not be.
// CHECK-LABEL: func.func @product
// CHECK: %[[A:.*]] = "graph.cast"(%arg0) {saturate = true} : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK: %[[B:.*]] = "graph.cast"(%arg1) {saturate = true} : (tensor<2x8x16xf32>) -> tensor<2x8x16xbf16>
// CHECK: %[[P:.*]] = "graph.matmul_packed"(%[[A]], %[[B]]) {graph.unrounded} : {{.*}} -> tensor<4x2x16xbf16>
// CHECK: %[[R:.*]] = "graph.cast"(%[[P]]) {saturate = true} : (tensor<4x2x16xbf16>) -> tensor<4x2x16xf32>
// CHECK: return %[[R]]
func.func @product(%a: tensor<4x8xf32>, %b: tensor<2x8x16xf32>) -> tensor<4x2x16xf32> {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<4x8xf32>, tensor<2x8x16xf32>) -> tensor<4x2x16xf32>
  return %0 : tensor<4x2x16xf32>
}

// CHECK-LABEL: func.func @conv
// CHECK: "graph.conv"({{.*}}) {{.*}}graph.unrounded{{.*}} -> tensor<1x2x6x6x16xbf16>
func.func @conv(%x: tensor<1x2x8x8x16xf32>, %w: tensor<2x2x3x3x16x16xf32>) -> tensor<1x2x6x6x16xf32> {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x8x8x16xf32>, tensor<2x2x3x3x16x16xf32>) -> tensor<1x2x6x6x16xf32>
  return %0 : tensor<1x2x6x6x16xf32>
}

// Depthwise convolutions, other types and sizes that are not known stay.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: bf16
// CHECK: return
func.func @kept(%x: tensor<1x2x8x8x16xf32>, %w: tensor<2x3x3x16xf32>, %d: tensor<4x4xf64>, %u: tensor<?x4xf32>, %v: tensor<4x4xf32>) -> (tensor<1x2x6x6x16xf32>, tensor<4x4xf64>, tensor<?x4xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, group = 32 : i64, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x8x8x16xf32>, tensor<2x3x3x16xf32>) -> tensor<1x2x6x6x16xf32>
  %1 = "graph.matmul"(%d, %d) : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %2 = "graph.matmul"(%u, %v) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2 : tensor<1x2x6x6x16xf32>, tensor<4x4xf64>, tensor<?x4xf32>
}

// Attention that is whole keeps its mask's values: it is not made narrower, but may be multiplied as tf32.
// CHECK-LABEL: func.func @attention
// CHECK-NEXT: "graph.attention"(%arg0, %arg0, %arg0, %arg1) {scale
// TF32-LABEL: func.func @attention
// TF32-NEXT: "graph.attention"(%arg0, %arg0, %arg0, %arg1) {accel.precision = "tf32"
func.func @attention(%q: tensor<2x8x16xf32>, %mask: tensor<8xi1>) -> tensor<2x8x16xf32> {
  %0 = "graph.attention"(%q, %q, %q, %mask) {scale = 1.0} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<8xi1>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
