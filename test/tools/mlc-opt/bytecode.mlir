// RUN: mlc-opt %s --emit-bytecode -o %t.mlirbc
// RUN: mlc-opt %t.mlirbc --mlir-print-debuginfo | filecheck %s
// RUN: mlc-opt %s --emit-bytecode | mlc-opt --canonicalize - | filecheck %s --check-prefix=STDIN
// RUN: mlc-opt %s --emit-bytecode --emit-bytecode-version=4 -o %t.4.mlirbc
// RUN: mlc-opt %t.4.mlirbc | filecheck %s --check-prefix=STDIN
// RUN: not mlc-opt %s --emit-bytecode --emit-bytecode-version=99 -o %t.none 2>&1 | filecheck %s --check-prefix=VERSION
// RUN: not mlc-opt %s --emit-bytecode --emit-bytecode-version=x 2>&1 | filecheck %s --check-prefix=NUMBER
// RUN: mlc-opt %s --verify-roundtrip | filecheck %s --check-prefix=STDIN

// CHECK: func.func @f
// CHECK: loc({{.*}}bytecode.mlir":19:
// STDIN: func.func @f(%arg0: tensor<4xf32>
// STDIN-NEXT: return
// VERSION: error: bytecode version 99 cannot be written
// NUMBER: mlc-opt: error: --emit-bytecode-version needs an integer below 10^18, not 'x'



func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
