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

// -----

// Kernels see the bits of 8-bit floats. Values that are too large become the largest finite value, or NaN.
// CHECK-LABEL: func.func private @to_f8(%arg0: tensor<4xf64>{{.*}}) -> (tensor<4xi8>, tensor<4xi8>)
// What f32 cuts off of an f64 sets the last bit, so that rounding sees it.
// CHECK: %[[NEAR:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: %[[BACK:.*]] = arith.extf %[[NEAR]] : f32 to f64
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf one, %[[BACK]], %{{.*}} : f64
// CHECK: arith.cmpi ugt, %{{.*}}, %c126
// CHECK: arith.select %{{.*}}, %c126{{.*}}, %{{.*}} : i32
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: linalg.yield %{{.*}} : i8
// CHECK: arith.cmpi ugt, %{{.*}}, %c126
// CHECK: arith.select %{{.*}}, %c127{{.*}}, %{{.*}} : i32
// CHECK-NOT: f8E4M3FN
func.func private @to_f8(%x: tensor<4xf64>) -> (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) attributes {tloop.kernel} {
  %0 = "graph.cast"(%x) {saturate = true} : (tensor<4xf64>) -> tensor<4xf8E4M3FN>
  %1 = "graph.cast"(%x) {saturate = false} : (tensor<4xf64>) -> tensor<4xf8E4M3FN>
  return %0, %1 : tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>
}

// -----

// -0 has NaN's code here, so zeros have no sign.
// CHECK-LABEL: func.func private @fnuz
// CHECK: %[[NAN:.*]] = arith.cmpi eq, %{{.*}}, %c128_i32
// CHECK: arith.select %[[NAN]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[ORDINARY:.*]] = arith.cmpi ne
// CHECK: arith.select %[[ORDINARY]]
func.func private @fnuz(%x: tensor<4xf8E5M2FNUZ>) -> tensor<4xf8E4M3FNUZ> attributes {tloop.kernel} {
  %0 = "graph.cast"(%x) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xf8E4M3FNUZ>
  return %0 : tensor<4xf8E4M3FNUZ>
}

// -----

// Powers of two: the exponent, and one more where there is a fraction; down, there is nothing to add.
// CHECK-LABEL: func.func private @exponents
// CHECK: arith.cmpi ugt
// CHECK: arith.cmpi ult, %{{.*}}, %c254_i32
// CHECK: arith.addi
// CHECK: linalg.yield
// CHECK: arith.shrui
// CHECK-NOT: arith.addi
// CHECK: linalg.yield
func.func private @exponents(%x: tensor<4xf32>) -> (tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>) attributes {tloop.kernel} {
  %0 = "graph.cast"(%x) : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  %1 = "graph.cast"(%x) {round_mode = "down"} : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  return %0, %1 : tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>
}

// -----

// 1, -2 and NaN.
// CHECK-LABEL: func.func private @constant_f8
// CHECK: arith.constant dense<[56, -64, 127]> : tensor<3xi8>
// CHECK: arith.constant 56 : i8
func.func private @constant_f8() -> (tensor<3xf8E4M3FN>, tensor<9xf8E4M3FN>) attributes {tloop.kernel} {
  %0 = "graph.constant"() {value = dense<[1.0, -2.0, 0x7F]> : tensor<3xf8E4M3FN>} : () -> tensor<3xf8E4M3FN>
  %1 = "graph.full"() {value = 1.0} : () -> tensor<9xf8E4M3FN>
  return %0, %1 : tensor<3xf8E4M3FN>, tensor<9xf8E4M3FN>
}

// -----

// The last bits of an i32, for any value.
// CHECK-LABEL: func.func private @to_i4({{.*}}) -> tensor<4xi4>
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK: arith.trunci %{{.*}} : i32 to i4
func.func private @to_i4(%x: tensor<4xf32>) -> tensor<4xui4> attributes {tloop.kernel} {
  %0 = "graph.cast"(%x) : (tensor<4xf32>) -> tensor<4xui4>
  return %0 : tensor<4xui4>
}

// Unsigned constants of 4 bits, of one element and of several.
// CHECK-LABEL: func.func private @constants_of_4_bits
// CHECK-DAG: arith.constant dense<[1, -1, -8, 7]> : tensor<4xi4>
// CHECK-DAG: arith.constant dense<-2> : tensor<4xi4>
func.func private @constants_of_4_bits() -> (tensor<4xui4>, tensor<4xui4>) attributes {tloop.kernel} {
  %0 = "graph.constant"() {value = dense<[1, 15, 8, 7]> : tensor<4xui4>} : () -> tensor<4xui4>
  %1 = "graph.constant"() {value = dense<14> : tensor<4xui4>} : () -> tensor<4xui4>
  %2 = "graph.identity"(%0) : (tensor<4xui4>) -> tensor<4xui4>
  %3 = "graph.identity"(%1) : (tensor<4xui4>) -> tensor<4xui4>
  return %2, %3 : tensor<4xui4>, tensor<4xui4>
}

// -----

// LLVM IR has no constant arrays of empty ones.
// CHECK-LABEL: func.func private @no_elements
// CHECK: tensor.empty() : tensor<0x2xi8>
func.func private @no_elements() -> tensor<0x2xui8> attributes {tloop.kernel} {
  %0 = "graph.constant"() {value = dense<> : tensor<0x2xui8>} : () -> tensor<0x2xui8>
  return %0 : tensor<0x2xui8>
}

// CHECK-LABEL: func.func private @complex_zeros
// CHECK: complex.constant [0.000000e+00 : f32, 0.000000e+00 : f32] : complex<f32>
func.func private @complex_zeros() -> tensor<4xcomplex<f32>> attributes {tloop.kernel} {
  %0 = "graph.full"() {value = 0.0} : () -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
