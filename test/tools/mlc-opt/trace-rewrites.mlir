// RUN: mlc-opt %s --graph-decompose --graph-simplify --trace-rewrites -o /dev/null 2>&1 | filecheck %s --check-prefix=CHECK --match-full-lines
// RUN: mlc-opt %s --graph-decompose --graph-simplify --trace-rewrites="movement\.same$" -o /dev/null 2>&1 | filecheck %s --check-prefix=SOME
// RUN: mlc-opt %s --graph-decompose --graph-simplify -o /dev/null 2>&1 | filecheck %s --check-prefix=OFF --allow-empty
// RUN: not mlc-opt %s "--trace-rewrites=(" 2>&1 | filecheck %s --check-prefix=BAD

// CHECK: {{.*}}trace-rewrites.mlir:27:8: rewrite: graph-decompose: graph.decompose.division
// CHECK-NEXT: - %1 = "graph.div"(%arg0, %0) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT: + %0 = "graph.constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
// CHECK-NEXT: + %1 = "graph.mul"(%arg0, %0) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT: = %1
// CHECK-NEXT: {{.*}}trace-rewrites.mlir:28:8: rewrite: graph-simplify: graph.simplify_movement.same
// CHECK-NEXT: - %2 = "graph.identity"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: = %1
// CHECK-NEXT: {{.*}}trace-rewrites.mlir:30:8: rewrite: graph-simplify: {{.*}}
// CHECK-NEXT: - %3 = "graph.add"(%2, %1) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: + %3 = "graph.add"(%1, %2) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>

// SOME-NOT: graph-decompose
// SOME: rewrite: graph-simplify: graph.simplify_movement.same
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
