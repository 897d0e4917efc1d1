// RUN: mlc-opt %s --graph-split-prepare --verify-diagnostics
// RUN: not mlc-opt %s --graph-split-prepare=budget=-5 2>&1 | filecheck %s

// CHECK: error: option 'budget' must be -1 or a number of bytes, not -5

// expected-error@+1 {{constants would move to @prepare, which exists already: run graph-split-prepare once}}
func.func @main() -> tensor<4xf32> {
  %w = "graph.constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "graph.neg"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @prepare() {
  return
}
