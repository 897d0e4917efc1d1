// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(tloop-expand-f8))' | filecheck %s

// CHECK-LABEL: func.func @e4m3fn
// CHECK: %[[BYTE:.*]] = arith.bitcast %arg0 : f8E4M3FN to i8
// CHECK: %[[BITS:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK: %[[CODE:.*]] = arith.andi %[[BITS]], %c127_i32
// CHECK: arith.shli %[[CODE]], %c20_i32
// CHECK: %[[NUMBER:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: 0x7F800000
// CHECK: %[[NAN:.*]] = arith.cmpi ugt, %[[CODE]], %c126_i32
// CHECK: %[[WIDE:.*]] = arith.select %[[NAN]], %{{.*}}, %[[NUMBER]] : f32
// CHECK: return %[[WIDE]]
func.func @e4m3fn(%x: f8E4M3FN) -> f32 {
  %y = arith.extf %x : f8E4M3FN to f32
  return %y : f32
}

// It has infinities.
// CHECK-LABEL: func.func @e5m2
// CHECK: arith.shli %{{.*}}, %c21_i32
// CHECK: arith.cmpi ugt, %{{.*}}, %c124_i32
// CHECK: arith.cmpi ugt, %{{.*}}, %c123_i32
// CHECK: %[[SINGLE:.*]] = arith.select
// CHECK: arith.extf %[[SINGLE]] : f32 to f64
func.func @e5m2(%x: f8E5M2) -> f64 {
  %y = arith.extf %x : f8E5M2 to f64
  return %y : f64
}

// CHECK-LABEL: func.func @narrow
// CHECK: %[[X:.*]] = arith.extf %arg0 : bf16 to f32
// CHECK: arith.bitcast %[[X]] : f32 to i32
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf uno, %[[X]], %[[X]]
// CHECK: %[[BYTE:.*]] = arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.bitcast %[[BYTE]] : i8 to f8E4M3FN
func.func @narrow(%x: bf16) -> f8E4M3FN {
  %y = arith.truncf %x : bf16 to f8E4M3FN
  return %y : f8E4M3FN
}

// f64 would be rounded twice.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: arith.extf %arg0 : f16 to f32
// CHECK-NEXT: arith.truncf %arg1 : f64 to f8E5M2
func.func @others(%x: f16, %y: f64) -> (f32, f8E5M2) {
  %a = arith.extf %x : f16 to f32
  %b = arith.truncf %y : f64 to f8E5M2
  return %a, %b : f32, f8E5M2
}
