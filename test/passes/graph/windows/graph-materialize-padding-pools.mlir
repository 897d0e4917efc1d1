// RUN: mlc-opt %s --graph-materialize-padding=pools-only=true | filecheck %s
// RUN: mlc-opt %s '--graph-materialize-padding=pools-only=true rematerialize=true' | filecheck %s --check-prefix=READ

// The pool's kernel pads as it reads.
// READ: "graph.pad"(%arg0) {graph.rematerialize,

// The pool's padding becomes a separate op, the convolution's stays.
// CHECK-LABEL: func.func @both
// CHECK-NOT: graph.pad
// CHECK: "graph.conv"(%arg0, %arg1) {{.*}}pads = array<i64: 1, 1, 1, 1>
// CHECK: %[[P:.*]] = "graph.pad"(%arg0) {high
// CHECK: "graph.max_pool"(%[[P]]) {{.*}}pads = array<i64: 0, 0, 0, 0>
func.func @both(%x: tensor<1x8x8x8xf32>, %w: tensor<8x8x3x3xf32>) -> (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x8x8xf32>
  %1 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %0, %1 : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>
}
