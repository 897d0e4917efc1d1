// RUN: mlc-opt %s --graph-to-linalg | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-to-linalg{keep-f8=true}))" | filecheck %s --check-prefix=KEPT

// Integers, or floats of 8 bits as matrix units take them: widened as they are, narrowed by arithmetic. Those
// without matrix instructions are integers in any case.
// CHECK-LABEL: func.func private @widened(%{{.*}}: tensor<4xi8>
// CHECK-NOT: f8E
// CHECK: arith.extui %{{.*}} : i8 to i32
// KEPT-LABEL: func.func private @widened(%{{.*}}: tensor<4xf8E4M3FN>
// KEPT-NOT: arith.extui
// KEPT: arith.extf %{{.*}} : f8E4M3FN to f32
func.func private @widened(%a: tensor<4xf8E4M3FN>) -> tensor<4xf32> attributes {tloop.kernel} {
  %0 = "graph.cast"(%a) : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func private @narrowed({{.*}} -> tensor<4xi8>
// KEPT-LABEL: func.func private @narrowed({{.*}} -> tensor<4xf8E5M2>
// KEPT-NOT: arith.truncf
// KEPT: %[[CODE:.*]] = arith.trunci %{{.*}} : i32 to i8
// KEPT: arith.bitcast %[[CODE]] : i8 to f8E5M2
func.func private @narrowed(%a: tensor<4xf32>) -> tensor<4xf8E5M2> attributes {tloop.kernel} {
  %0 = "graph.cast"(%a) {saturate = true} : (tensor<4xf32>) -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// KEPT-LABEL: func.func private @other(%{{.*}}: tensor<4xi8>
// KEPT-NOT: f8E
func.func private @other(%a: tensor<4xf8E4M3FNUZ>) -> tensor<4xf32> attributes {tloop.kernel} {
  %0 = "graph.cast"(%a) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
