// RUN: mlc-opt %s --graph-reduce-strength --graph-simplify --trace-rewrites -o /dev/null 2>&1 | filecheck %s --check-prefix=CHECK --match-full-lines
// RUN: mlc-opt %s --graph-reduce-strength --graph-simplify --trace-rewrites="rules\.same$" -o /dev/null 2>&1 | filecheck %s --check-prefix=SOME
// RUN: mlc-opt %s --graph-reduce-strength --graph-simplify -o /dev/null 2>&1 | filecheck %s --check-prefix=OFF --allow-empty
// RUN: not mlc-opt %s "--trace-rewrites=(" 2>&1 | filecheck %s --check-prefix=BAD

// CHECK: {{.*}}trace-rewrites.mlir:28:8: rewrite: graph-reduce-strength: graph.simplify.reduce_strength.quotient_by_power_of_two
// CHECK-NEXT: - %1 = "graph.div"(%arg0, %0) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT: + %0 = "graph.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
// CHECK-NEXT: + %1 = "graph.mul"(%arg0, %0) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT: = %1
// CHECK-NEXT: {{.*}}trace-rewrites.mlir:29:8: rewrite: graph-simplify: graph.simplify.copy_rules.same
// CHECK-NEXT: - %2 = "graph.identity"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: = %1
// CHECK-NEXT: {{.*}}trace-rewrites.mlir:31:8: rewrite: graph-simplify: graph.simplify.simplify_algebra.operand_order
// CHECK-NEXT: - %3 = "graph.add"(%2, %1) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: + %3 = "graph.add"(%1, %2) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT: = %3

// SOME-NOT: graph-reduce-strength
// SOME: rewrite: graph-simplify: graph.simplify.copy_rules.same
// SOME-NOT: rewrite

// OFF-NOT: rewrite
// BAD: mlc-opt: error: --trace-rewrites: '(' is no regular expression

func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %two = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.div"(%x, %two) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = "graph.identity"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %2 = "graph.add"(%one, %1) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
