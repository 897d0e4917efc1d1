// RUN: mlc-opt %s --graph-check-data --verify-diagnostics --split-input-file

func.func @main(%x: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %c = "graph.constant"() {value = dense<[0, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %e1 = "graph.constant"() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{gather: index 3 is out of bounds for axis 0 of size 3}}
  "graph.expect_indices"(%c, %e1) {axis = 0 : i64, front_only = false, what = "gather"} : (tensor<2xi64>, tensor<1xi64>) -> ()
  %0 = "graph.gather"(%x, %c) {axis = 0 : i64} : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @main(%x: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %c = "graph.constant"() {value = dense<[0, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %e2 = "graph.constant"() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{gather: index -1 is out of bounds for axis 0 of size 3}}
  "graph.expect_indices"(%c, %e2) {axis = 0 : i64, front_only = true, what = "gather"} : (tensor<2xi64>, tensor<1xi64>) -> ()
  %0 = "graph.gather"(%x, %c) {axis = 0 : i64} : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @main(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %c = "graph.constant"() {value = dense<[[1, 2], [0, 3]]> : tensor<2x2xi32>} : () -> tensor<2x2xi32>
  // expected-error @below {{div: the divisor at [1, 0] is 0}}
  "graph.expect_nonzero"(%c) {what = "div"} : (tensor<2x2xi32>) -> ()
  %0 = "graph.div"(%x, %c) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

func.func @main(%x: tensor<3xui8>) -> tensor<3xui8> {
  %c = "graph.constant"() {value = dense<0> : tensor<ui8>} : () -> tensor<ui8>
  // expected-error @below {{mod: the divisor is 0}}
  "graph.expect_nonzero"(%c) {what = "mod"} : (tensor<ui8>) -> ()
  %0 = "graph.mod"(%x, %c) {fmod = false} : (tensor<3xui8>, tensor<ui8>) -> tensor<3xui8>
  return %0 : tensor<3xui8>
}

// -----

func.func @main(%x: tensor<3xui8>) -> tensor<3xui8> {
  %a = "graph.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %b = "graph.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{Conv: the image has the wrong shape}}
  "graph.expect_sizes"(%a, %b) {fault = "the image has the wrong shape", relation = "equal", what = "Conv"} : (tensor<2xi64>, tensor<2xi64>) -> ()
  return %x : tensor<3xui8>
}
