// RUN: mlc-opt %s --split-input-file --graph-to-linalg | filecheck %s

// Unsigned integers are signless ones with unsigned arithmetic; a division by zero must not trap.
// CHECK-LABEL: func.func private @unsigned({{.*}}) -> tensor<4xi8>
// CHECK: %[[ZERO:.*]] = arith.cmpi eq
// CHECK: %[[SAFE:.*]] = arith.select %[[ZERO]]
// CHECK: arith.divui %{{.*}}, %[[SAFE]] : i8
// CHECK: arith.maxui
// CHECK-NOT: ui8
func.func private @unsigned(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> attributes {tloop.kernel} {
  %0 = "graph.div"(%a, %b) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = "graph.max"(%0, %b) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %1 : tensor<4xui8>
}

// -----

// CHECK-LABEL: func.func private @constant
// CHECK: arith.constant dense<[-56, 1]> : tensor<2xi8>
func.func private @constant() -> tensor<2xui8> attributes {tloop.kernel} {
  %0 = "graph.constant"() {value = dense<[200, 1]> : tensor<2xui8>} : () -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// -----

// CHECK-LABEL: func.func private @signed
// CHECK: arith.extui %{{.*}} : i1 to i32
// CHECK: arith.divsi
func.func private @signed(%a: tensor<4xi32>, %b: tensor<4xi1>) -> tensor<4xi32> attributes {tloop.kernel} {
  %0 = "graph.cast"(%b) : (tensor<4xi1>) -> tensor<4xi32>
  %1 = "graph.div"(%a, %0) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// -----

// 16-bit floats are computed in f32 and rounded once per op.
// CHECK-LABEL: func.func private @narrow
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func private @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> attributes {tloop.kernel} {
  %0 = "graph.exp"(%x) : (tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// Sums of products too.
// CHECK-LABEL: func.func private @product
// CHECK: linalg.generic {{.*}}"reduction"]} {{.*}} outs(%{{.*}} : tensor<3x2xf32>)
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func private @product(%a: tensor<3x5xf16>, %b: tensor<5x2xf16>) -> tensor<3x2xf16> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<3x5xf16>, tensor<5x2xf16>) -> tensor<3x2xf16>
  return %0 : tensor<3x2xf16>
}

// -----

// CHECK-LABEL: func.func private @between
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func private @between(%x: tensor<4xf16>) -> tensor<4xbf16> attributes {tloop.kernel} {
  %0 = "graph.cast"(%x) : (tensor<4xf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
