// RUN: not mlc-opt %s --allow-unregistered-dialect --one-shot-bufferize --mlir-print-ir-after-failure -o %t 2>&1 | filecheck %s

// CHECK: upstream-failure.mlir:9:8: error: op was not bufferized
// CHECK-NEXT: %0 = "test.op"
// CHECK-NEXT: ^
// CHECK: IR Dump After OneShotBufferizePass Failed: one-shot-bufferize
// CHECK: mlc-opt: error: pass 'one-shot-bufferize' failed on 'builtin.module' operation
func.func @f() {
  %0 = "test.op"() : () -> tensor<4xf32>
  return
}
