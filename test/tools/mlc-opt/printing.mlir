// RUN: mlc-opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: mlc-opt --mlir-print-debuginfo --mlir-print-local-scope < %s | filecheck %s --check-prefix=STDIN
// RUN: mlc-opt - --mlir-print-debuginfo < %s | filecheck %s --check-prefix=ALIAS
// RUN: mlc-opt %s --mlir-elide-elementsattrs-if-larger=2 | filecheck %s --check-prefix=ELIDE

// GENERIC: "func.func"() <{function_type = () -> tensor<3xi32>, sym_name = "f"}> ({
// STDIN: func.func @f() -> tensor<3xi32> {
// STDIN: return {{.*}} loc("<stdin>":14:3)
// ALIAS: return {{.*}} loc(#loc{{[0-9]*}})
// ALIAS: loc("<stdin>":14:3)
// ELIDE: dense_resource<__elided__>
func.func @f() -> tensor<3xi32> {
  %0 = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  return %0 : tensor<3xi32>
}
