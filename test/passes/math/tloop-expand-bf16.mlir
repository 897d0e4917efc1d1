// RUN: mlc-opt %s --split-input-file --tloop-expand-bf16 | filecheck %s

// Round to nearest, ties to even; NaN is made quiet.
// CHECK-LABEL: func.func @round
// CHECK: %[[BITS:.*]] = arith.bitcast %arg0 : vector<8xf32> to vector<8xi32>
// CHECK: %[[HIGH:.*]] = arith.shrui %[[BITS]]
// CHECK: %[[ODD:.*]] = arith.andi %[[HIGH]]
// CHECK: %[[UP:.*]] = arith.addi %[[ODD]], %{{.*}}
// CHECK: %[[ROUNDED:.*]] = arith.addi %[[BITS]], %[[UP]]
// CHECK: %[[QUIET:.*]] = arith.ori %[[BITS]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %arg0, %arg0
// CHECK: %[[CHOSEN:.*]] = arith.select %[[NAN]], %[[QUIET]], %[[ROUNDED]]
// CHECK: arith.trunci
// CHECK: arith.bitcast {{.*}} to vector<8xbf16>
func.func @round(%x: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// CHECK-LABEL: func.func @widen
// CHECK: %[[BITS:.*]] = arith.bitcast %arg0 : bf16 to i16
// CHECK: %[[WIDE:.*]] = arith.extui %[[BITS]] : i16 to i32
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[WIDE]], %c16_i32
// CHECK: arith.bitcast %[[SHIFTED]] : i32 to f32
func.func @widen(%x: bf16) -> f32 {
  %0 = arith.extf %x : bf16 to f32
  return %0 : f32
}

// CHECK-LABEL: func.func @other_types
// CHECK: arith.truncf
// CHECK: arith.extf
// CHECK: arith.truncf
func.func @other_types(%x: f32, %y: f16, %z: f64) -> (f16, f32, bf16) {
  %0 = arith.truncf %x : f32 to f16
  %1 = arith.extf %y : f16 to f32
  %2 = arith.truncf %z : f64 to bf16
  return %0, %1, %2 : f16, f32, bf16
}

// -----

// A processor with instructions keeps them.
// CHECK-LABEL: func.func @native
// CHECK: arith.truncf
module attributes {tloop.target = "sapphirerapids"} {
  func.func @native(%x: vector<16xf32>) -> vector<16xbf16> {
    %0 = arith.truncf %x : vector<16xf32> to vector<16xbf16>
    return %0 : vector<16xbf16>
  }
}
