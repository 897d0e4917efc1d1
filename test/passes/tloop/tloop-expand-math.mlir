// RUN: mlc-opt %s --tloop-expand-math | filecheck %s

// CHECK-LABEL: func.func @scalar
// CHECK-NOT: math.{{e|l|t}}
// CHECK: return
func.func @scalar(%x: f32) -> (f32, f32, f32, f32, f32, f32, f32) {
  %0 = math.exp %x : f32
  %1 = math.log %x : f32
  %2 = math.log1p %x : f32
  %3 = math.tanh %x : f32
  %4 = math.erf %x : f32
  %5 = math.exp2 %x : f32
  %6 = math.expm1 %x : f32
  return %0, %1, %2, %3, %4, %5, %6 : f32, f32, f32, f32, f32, f32, f32
}

// e^x = 2^n * e^r: n is rounded by adding 1.5 * 2^23 (and the exponent's bias), a shift makes 2^n of it.
// CHECK-LABEL: func.func @vector
// CHECK-DAG: arith.constant dense<1.44269502> : vector<16xf32>
// CHECK-NOT: math.
// CHECK: arith.shli {{.*}} : vector<16xi32>
// CHECK: arith.bitcast {{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: return {{.*}} : vector<16xf32>
func.func @vector(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Other element types keep libm's functions, and what is an instruction stays one.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: math.exp %arg0 : f64
// CHECK-NEXT: math.sqrt %arg1 : f32
// CHECK-NEXT: math.tanh %arg2 : f16
func.func @kept(%x: f64, %y: f32, %z: f16) -> (f64, f32, f16) {
  %0 = math.exp %x : f64
  %1 = math.sqrt %y : f32
  %2 = math.tanh %z : f16
  return %0, %1, %2 : f64, f32, f16
}

// log1p(exp(-|x|)), as in softplus: the argument lies in [0, 1], one polynomial does.
// CHECK-LABEL: func.func @log1p_of_unit
// CHECK: arith.shli
// CHECK: %[[E:.*]] = arith.mulf %{{[0-9]+}}, %{{[0-9]+}} : f32
// CHECK-NOT: arith.{{bitcast|divf|sitofp}}
// CHECK: %[[R:.*]] = arith.mulf %[[E]], %{{[0-9]+}} : f32
// CHECK-NEXT: return %[[R]]
func.func @log1p_of_unit(%x: f32) -> f32 {
  %0 = math.absf %x : f32
  %1 = arith.negf %0 : f32
  %2 = math.exp %1 : f32
  %3 = math.log1p %2 : f32
  return %3 : f32
}
