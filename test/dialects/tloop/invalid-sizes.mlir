// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @main(%s: tensor<2xi64>) {
  // expected-error @below {{'tloop.read_sizes' op names has 1 entries for a tensor<2xi64>}}
  "tloop.read_sizes"(%s) {names = ["k"]} : (tensor<2xi64>) -> ()
  return
}

// -----

func.func @main(%s: tensor<1xf32>) {
  // expected-error @below {{'tloop.read_sizes' op operand must have elements i32 or i64, but has type tensor<1xf32>}}
  "tloop.read_sizes"(%s) {names = ["k"]} : (tensor<1xf32>) -> ()
  return
}

// -----

func.func @main(%s: tensor<?xi64>) {
  // expected-error @below {{'tloop.read_sizes' op operand must be a vector of known length, but has type tensor<?xi64>}}
  "tloop.read_sizes"(%s) {names = ["k"]} : (tensor<?xi64>) -> ()
  return
}

// -----

func.func @main() {
  // expected-error @below {{'tloop.size_values' op 'k n' is no size: 'n' instead of its end}}
  %0 = "tloop.size_values"() {dims = ["k n"]} : () -> tensor<1xi64>
  return
}

// -----

func.func @main() {
  // expected-error @below {{'tloop.size_values' op dims has 1 entries for a tensor<2xi64>}}
  %0 = "tloop.size_values"() {dims = ["k"]} : () -> tensor<2xi64>
  return
}

// -----

func.func @main() {
  // expected-error @below {{'tloop.expect' op relation is 'less', none of equal, broadcast, at_least}}
  "tloop.expect"() {left = "k", relation = "less", right = "n", what = "add"} : () -> ()
  return
}

// -----

func.func @main() {
  // expected-error @below {{'tloop.expect' op 'k n' is no size: 'n' instead of its end}}
  "tloop.expect"() {left = "k", relation = "at_least", right = "k n", what = "slice"} : () -> ()
  return
}

// -----

func.func @main() {
  // expected-error @below {{'tloop.expect' op fault must be a string, but is 3}}
  "tloop.expect"() {fault = 3, left = "k", relation = "at_least", right = "n", what = "slice"} : () -> ()
  return
}

// -----

func.func @main(%i: index) {
  // expected-error @below {{'tloop.check' op relation is 'most', none of equal, broadcast, at_least, product}}
  "tloop.check"(%i, %i) {message = "m", relation = "most"} : (index, index) -> ()
  return
}

// -----

func.func @main(%i: index, %k: i64) {
  // expected-error @below {{'tloop.check' op operands must be of type index, but are index, i64}}
  "tloop.check"(%i, %k) {message = "m", relation = "equal"} : (index, i64) -> ()
  return
}

// -----

func.func @main(%i: tensor<4xi64>) {
  // expected-error @below {{'tloop.expect_indices' op extents has 2 entries for indices of type tensor<4xi64>}}
  "tloop.expect_indices"(%i) {axis = 0 : i64, extents = ["n", "8"], what = "gather"} : (tensor<4xi64>) -> ()
  return
}

// -----

func.func @main(%i: tensor<4xf32>) {
  // expected-error @below {{'tloop.expect_indices' op indices must have elements i32 or i64, but have type tensor<4xf32>}}
  "tloop.expect_indices"(%i) {axis = 0 : i64, extents = ["8"], what = "gather"} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @main(%i: tensor<4xi64>) {
  // expected-error @below {{'tloop.expect_indices' op 'k n' is no size: 'n' instead of its end}}
  "tloop.expect_indices"(%i) {axis = 0 : i64, extents = ["k n"], what = "gather"} : (tensor<4xi64>) -> ()
  return
}

// -----

func.func @main(%i: memref<4xi64>) {
  %c = arith.constant 4 : index
  // expected-error @below {{'tloop.check_indices' op extents has 0 entries for indices of type memref<4xi64>}}
  "tloop.check_indices"(%i, %c) {axis = 0 : i64, what = "gather"} : (memref<4xi64>, index) -> ()
  return
}

// -----

func.func @main(%d: tensor<4xf32>) {
  // expected-error @below {{'tloop.expect_nonzero' op divisors must be integers of 8 to 64 bits, but have type tensor<4xf32>}}
  "tloop.expect_nonzero"(%d) {what = "div"} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @main(%d: memref<4xi64>) {
  // expected-error @below {{'tloop.expect_nonzero' op divisors must be a ranked tensor, but have type memref<4xi64>}}
  "tloop.expect_nonzero"(%d) {what = "div"} : (memref<4xi64>) -> ()
  return
}

// -----

func.func @main(%d: memref<4xi64>) {
  // expected-error @below {{'tloop.check_nonzero' op has 0 sizes for divisors of type memref<4xi64>}}
  "tloop.check_nonzero"(%d) {what = "div"} : (memref<4xi64>) -> ()
  return
}
