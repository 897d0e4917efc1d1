// RUN: mlc-opt --graph-form-kernels %s | filecheck %s

#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Launches of kernels written by hand stay; a constant that one reads gets a buffer, as the result of a kernel.
// CHECK-LABEL: func.func @main
// CHECK: %[[CONSTANT:.*]] = "graph.constant"
// CHECK: %[[COPY:.*]] = "tloop.launch"() {kernel = @identity_{{.*}}} : () -> tensor<4xf32>
// CHECK: "tloop.launch"(%{{.*}}, %[[COPY]]) {kernel = @twice,
// CHECK: func.func private @twice
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = "graph.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "tloop.launch"(%x, %c) {kernel = @twice, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  %0 = "graph.add"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
