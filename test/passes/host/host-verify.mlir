// RUN: mlc-opt %s --host-verify --verify-diagnostics --split-input-file | filecheck %s

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  return %a : tensor<4xf32>
}
// Views, constants and launches; other functions are none of its business.
// CHECK-LABEL: func.func @main
// CHECK: tloop.launch
func.func @main(%x: tensor<2x2xf32>) -> tensor<4xf32> {
  %0 = "graph.reshape"(%x) {shape = array<i64: 4>} : (tensor<2x2xf32>) -> tensor<4xf32>
  %1 = "tloop.launch"(%0) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  return %a : tensor<4xf32>
}
func.func private @no_kernel(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{a host function cannot hold 'graph.exp': run graph-form-kernels first}}
  %0 = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{the kernel @missing does not exist}}
  %1 = "tloop.launch"(%x) {kernel = @missing, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{the kernel @no_kernel does not exist}}
  %2 = "tloop.launch"(%x) {kernel = @no_kernel, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{launch of @k has 2 operands, but the kernel has 1}}
  %3 = "tloop.launch"(%x, %x) {kernel = @k, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{launch of @k has operand #0 of type tensor<5xf32>, but the kernel's is tensor<4xf32>}}
  %4 = "tloop.launch"(%y) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<5xf32>) -> tensor<4xf32>
  // expected-note @below {{launch of @k has result #0 of type tensor<5xf32>, but the kernel's is tensor<4xf32>}}
  %5 = "tloop.launch"(%x) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xf32>) -> tensor<5xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  return %a : tensor<4xf32>
}
// @prepare is a host function too.
func.func @prepare() -> tensor<4xf32> {
  // expected-error @below {{a host function cannot hold 'tensor.empty'}}
  %0 = tensor.empty() : tensor<4xf32>
  return %0 : tensor<4xf32>
}
