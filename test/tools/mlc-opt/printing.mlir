// RUN: mlc-opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: mlc-opt --mlir-print-debuginfo --mlir-print-local-scope < %s | filecheck %s --check-prefix=STDIN
// RUN: mlc-opt - --mlir-print-debuginfo < %s | filecheck %s --check-prefix=ALIAS
// RUN: mlc-opt %s --mlir-elide-elementsattrs-if-larger=2 | filecheck %s --check-prefix=ELIDE
// RUN: mlc-opt %s --mlir-print-skip-regions | filecheck %s --check-prefix=SKIP
// RUN: mlc-opt %s --mlir-print-assume-verified | filecheck %s --check-prefix=VERIFIED
// RUN: mlc-opt %s --mlir-use-nameloc-as-prefix | filecheck %s --check-prefix=NAMED
// RUN: not mlc-opt %s --mlir-elide-elementsattrs-if-larger=99999999999999999999 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not mlc-opt %s --mlir-elide-resource-strings-if-larger=-1 2>&1 | filecheck %s --check-prefix=NEGATIVE

// LARGE: mlc-opt: error: --mlir-elide-elementsattrs-if-larger needs an integer below 10^18, not '99999999999999999999'
// NEGATIVE: mlc-opt: error: --mlir-elide-resource-strings-if-larger needs an integer below 10^18, not '-1'
// SKIP: module {...}
// SKIP-NOT: func
// VERIFIED: func.func @f() -> tensor<3xi32> {
// NAMED: %three = arith.constant
// NAMED: return %three
// GENERIC: "func.func"() <{function_type = () -> tensor<3xi32>, sym_name = "f"}> ({
// STDIN: func.func @f() -> tensor<3xi32> {
// STDIN: return {{.*}} loc("<stdin>":26:3)
// ALIAS: return {{.*}} loc(#loc{{[0-9]*}})
// ALIAS: loc("<stdin>":26:3)
// ELIDE: dense_resource<__elided__>
func.func @f() -> tensor<3xi32> {
  %0 = arith.constant dense<[1, 2, 3]> : tensor<3xi32> loc("three")
  return %0 : tensor<3xi32>
}
