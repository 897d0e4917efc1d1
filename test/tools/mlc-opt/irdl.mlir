// RUN: mlc-opt %s --irdl-file=%S/Inputs/cmath.irdl.mlir --verify-roundtrip --split-input-file --verify-diagnostics | filecheck %s
// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not mlc-opt %s --irdl-file=%S/Inputs/none.mlir 2>&1 | filecheck %s --check-prefix=NONE

// UNKNOWN: error: {{.*}}cmath
// NONE: mlc-opt: error: {{.*}}none.mlir: No such file or directory

// CHECK: "cmath.norm"(%arg0) : (!cmath.complex<f32>) -> f32
func.func @norm(%a: !cmath.complex<f32>) -> f32 {
  %0 = "cmath.norm"(%a) : (!cmath.complex<f32>) -> f32
  return %0 : f32
}

// -----

func.func @wrong(%a: !cmath.complex<f32>) -> f64 {
  // expected-error@+1 {{expected 'f32' but got 'f64'}}
  %0 = "cmath.norm"(%a) : (!cmath.complex<f32>) -> f64
  return %0 : f64
}
