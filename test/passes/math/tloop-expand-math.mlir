// RUN: mlc-opt %s --tloop-expand-math | filecheck %s
// RUN: mlc-opt %s --tloop-expand-math=keep-approximate=true | filecheck %s --check-prefix=KEEP

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

// CHECK-LABEL: func.func @more
// CHECK-NOT: math.{{a[cst]|c[os][sh]|s[i]|t|pow}}
// CHECK: return
func.func @more(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sin %x : vector<8xf32>
  %1 = math.cos %0 : vector<8xf32>
  %2 = math.tan %1 : vector<8xf32>
  %3 = math.asin %2 : vector<8xf32>
  %4 = math.acos %3 : vector<8xf32>
  %5 = math.atan %4 : vector<8xf32>
  %6 = math.sinh %5 : vector<8xf32>
  %7 = math.cosh %6 : vector<8xf32>
  %8 = math.asinh %7 : vector<8xf32>
  %9 = math.acosh %8 : vector<8xf32>
  %10 = math.atanh %9 : vector<8xf32>
  %11 = math.powf %10, %y : vector<8xf32>
  return %11 : vector<8xf32>
}

// Angles from 2^13 on are reduced with 96 bits of 1 / (2 pi), others by a sum of four parts of pi.
// CHECK-LABEL: func.func @sin
// CHECK-DAG: arith.constant -3.14
// CHECK-DAG: arith.constant 667544 : i32
// CHECK: arith.extui %{{.*}} : i32 to i64
// CHECK: arith.muli %{{.*}} : i64
// CHECK: arith.muli %{{.*}} : i64
// CHECK: arith.shrui %{{.*}} : i64
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: arith.constant 8.192000e+03 : f32
// CHECK-NEXT: arith.cmpf oge
// CHECK-NEXT: arith.select
func.func @sin(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// The exponent of a power is computed in f64.
// CHECK-LABEL: func.func @pow
// CHECK: arith.extf {{.*}} : f32 to f64
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK: return {{.*}} : f32
func.func @pow(%x: f32, %y: f32) -> f32 {
  %0 = math.powf %x, %y : f32
  return %0 : f32
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

// log1p(exp(-|x|)), as in softplus: the argument is in [0, 1], one polynomial does.
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

// Powers of two that may be approximate are left if asked for.
// CHECK-LABEL: func.func @approximate
// CHECK-NOT: math.exp2
// CHECK: return
// KEEP-LABEL: func.func @approximate
// KEEP: %[[R:.*]] = math.exp2 %{{.*}} fastmath<afn> : f32
// KEEP-NOT: math.exp2
// KEEP: arith.addf %[[R]], %{{.*}} : f32
func.func @approximate(%x: f32) -> f32 {
  %0 = math.exp2 %x fastmath<afn> : f32
  %1 = math.exp2 %x : f32
  %2 = arith.addf %0, %1 : f32
  return %2 : f32
}

// Clamped to [-87, 0], as in softmax, e^x is normal: no other bounds, one factor.
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-2: arith.cmpf
// CHECK-NOT: arith.cmpf
// CHECK: arith.shli
// CHECK: return
// With a lower bound alone, or one that is too low, there are four comparisons.
// CHECK-LABEL: func.func @unbounded
// CHECK-COUNT-6: arith.cmpf
// CHECK: return
func.func @softmax(%x: f32) -> f32 {
  %low = arith.constant -87.0 : f32
  %high = arith.constant 0.0 : f32
  %0 = arith.cmpf olt, %x, %low : f32
  %1 = arith.select %0, %low, %x : f32
  %2 = arith.cmpf ogt, %1, %high : f32
  %3 = arith.select %2, %high, %1 : f32
  %4 = math.exp %3 : f32
  return %4 : f32
}

func.func @unbounded(%x: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %low = arith.constant dense<-88.0> : vector<4xf32>
  %high = arith.constant dense<0.0> : vector<4xf32>
  %0 = arith.cmpf olt, %x, %low : vector<4xf32>
  %1 = arith.select %0, %low, %x : vector<4xi1>, vector<4xf32>
  %2 = arith.cmpf ogt, %1, %high : vector<4xf32>
  %3 = arith.select %2, %high, %1 : vector<4xi1>, vector<4xf32>
  %4 = math.exp %3 : vector<4xf32>
  %5 = math.exp %x : vector<4xf32>
  return %4, %5 : vector<4xf32>, vector<4xf32>
}
