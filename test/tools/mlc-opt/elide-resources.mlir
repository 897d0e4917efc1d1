// RUN: mlc-opt %s | filecheck %s --check-prefix=WHOLE
// RUN: mlc-opt %s --mlir-elide-resource-strings-if-larger=30 | filecheck %s
// RUN: mlc-opt %s --mlir-elide-resource-strings-if-larger=30 --mlir-print-value-users | filecheck %s

// WHOLE: long: "0x08000000010000000000000002000000000000000300000000000000",
// WHOLE-NEXT: short: "0x080000000100000000000000"

// CHECK: {-#
// CHECK-NOT: long
// CHECK: short: "0x080000000100000000000000"
// CHECK-NOT: long
func.func @f() -> (tensor<3xi64>, tensor<1xi64>) {
  %0 = arith.constant dense_resource<long> : tensor<3xi64>
  %1 = arith.constant dense_resource<short> : tensor<1xi64>
  return %0, %1 : tensor<3xi64>, tensor<1xi64>
}
{-#
  dialect_resources: {
    builtin: {
      long: "0x08000000010000000000000002000000000000000300000000000000",
      short: "0x080000000100000000000000"
    }
  }
#-}
