// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(tloop-expand-f8))' | filecheck %s

// CHECK-LABEL: func.func @e4m3fn
// CHECK: %[[BYTE:.*]] = arith.bitcast %arg0 : f8E4M3FN to i8
// CHECK: %[[BITS:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK: %[[MAGNITUDE:.*]] = arith.andi %[[BITS]], %c127_i32
// CHECK: %[[NAN:.*]] = arith.cmpi eq, %[[MAGNITUDE]], %c127_i32
// CHECK: %[[NUMBER:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[WIDE:.*]] = arith.select %[[NAN]], %{{.*}}, %[[NUMBER]] : f32
// CHECK: return %[[WIDE]]
func.func @e4m3fn(%x: f8E4M3FN) -> f32 {
  %y = arith.extf %x : f8E4M3FN to f32
  return %y : f32
}

// CHECK-LABEL: func.func @e5m2
// CHECK: %[[BITS:.*]] = arith.shli %{{.*}}, %c8_i16 : i16
// CHECK: %[[HALF:.*]] = arith.bitcast %[[BITS]] : i16 to f16
// CHECK: %[[SINGLE:.*]] = arith.extf %[[HALF]] : f16 to f32
// CHECK: arith.extf %[[SINGLE]] : f32 to f64
func.func @e5m2(%x: f8E5M2) -> f64 {
  %y = arith.extf %x : f8E5M2 to f64
  return %y : f64
}

// CHECK-LABEL: func.func @others
// CHECK-NEXT: arith.extf %arg0 : f16 to f32
func.func @others(%x: f16) -> f32 {
  %y = arith.extf %x : f16 to f32
  return %y : f32
}
