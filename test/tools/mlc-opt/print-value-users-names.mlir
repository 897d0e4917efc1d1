// RUN: mlc-opt %s --mlir-print-value-users | filecheck %s --match-full-lines
// RUN: mlc-opt %s --mlir-print-value-users --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC

// GENERIC: "linalg.map"
// GENERIC: // %arg{{[0-9]+}} is used by

// Results in named groups, and an op that prints its body in a short form.
// CHECK: %token, %bodyResults:2 = async.execute [%arg0] -> (!async.value<f32>, !async.value<f32>) {
// CHECK-NEXT: %cst = arith.constant 1.000000e+00 : f32 // user: %[[YIELD:[0-9]+]]
// CHECK-NEXT: async.yield %cst, %cst : f32, f32 // id: %[[YIELD]]
// CHECK-NEXT: } // users: (%[[WAIT:[0-9]+]]), (%1), (unused)
// CHECK-NEXT: %1 = async.await %bodyResults#0 : !async.value<f32> // unused
// CHECK-NEXT: async.await %token : !async.token // id: %[[WAIT]]
// CHECK-NEXT: %mapped = linalg.map { arith.addf } ins(%arg1, %arg1 : tensor<4xf32>, tensor<4xf32>) outs(%arg1 : tensor<4xf32>) // unused
func.func @f(%x: !async.token, %a: tensor<4xf32>) {
  %t, %r:2 = async.execute [%x] -> (!async.value<f32>, !async.value<f32>) {
    %q = arith.constant 1.0 : f32
    async.yield %q, %q : f32, f32
  }
  %1 = async.await %r#0 : !async.value<f32>
  async.await %t : !async.token
  %m = linalg.map { arith.addf } ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>)
  return
}
