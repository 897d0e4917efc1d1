// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-to-linalg{whole-windows=true}))" | filecheck %s

// One reduction over the window, however few its elements.
// CHECK-LABEL: func.func private @pool
// CHECK: linalg.generic {{{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
// CHECK: arith.maximumf
// CHECK-NOT: linalg.generic
func.func private @pool(%x: tensor<1x2x13x21xf32>) -> tensor<1x2x3x5xf32> attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 4, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 4, 4>} : (tensor<1x2x13x21xf32>) -> tensor<1x2x3x5xf32>
  return %0 : tensor<1x2x3x5xf32>
}
