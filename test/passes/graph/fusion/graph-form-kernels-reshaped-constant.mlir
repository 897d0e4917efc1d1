// RUN: mlc-opt --graph-form-kernels %s | filecheck %s

// A reshape is a view of its operand's buffer, and small constants have none: this one gets a buffer, as the result
// of a kernel.
// CHECK-LABEL: func.func @main
// CHECK: %[[COPY:.*]] = "tloop.launch"() {kernel = @identity_{{.*}}} : () -> tensor<4xf32>
// CHECK: %[[VIEW:.*]] = "graph.reshape"(%[[COPY]])
// CHECK: "tloop.launch"(%[[VIEW]], %arg1)
func.func @main(%sizes: tensor<2xi64>, %x: tensor<2x2xf32>) -> tensor<?x2xf32> {
  %c = "graph.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %dims = "graph.sizes"(%sizes) {dims = ["n", "m"], names = ["n", "m"], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2xi64>) -> tensor<2xi64>
  %r = "graph.reshape"(%c, %dims) {graph.dims = [["n", "m"]], shape = array<i64: -1, -1>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %0 = "graph.matmul"(%r, %x) {graph.dims = [["n", ""]]} : (tensor<?x?xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
