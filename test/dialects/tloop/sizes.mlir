// RUN: %roundtrip

// Dynamic sizes in the host program.
// CHECK-LABEL: func.func @main
func.func @main(%s: tensor<2xi64>, %t: tensor<i32>) {
  // CHECK: "tloop.read_sizes"(%{{.*}}) {names = ["k", ""]} : (tensor<2xi64>) -> ()
  "tloop.read_sizes"(%s) {names = ["k", ""]} : (tensor<2xi64>) -> ()
  // CHECK-NEXT: "tloop.read_sizes"(%{{.*}}) {names = ["n"]} : (tensor<i32>) -> ()
  "tloop.read_sizes"(%t) {names = ["n"]} : (tensor<i32>) -> ()
  // CHECK-NEXT: %{{.*}} = "tloop.size_values"() {dims = ["2*k", "max(n, 1)"]} : () -> tensor<1x2xi64>
  %0 = "tloop.size_values"() {dims = ["2*k", "max(n, 1)"]} : () -> tensor<1x2xi64>
  // CHECK-NEXT: "tloop.expect"() {left = "k", relation = "broadcast", right = "n", what = "add"} : () -> ()
  "tloop.expect"() {left = "k", relation = "broadcast", right = "n", what = "add"} : () -> ()
  // CHECK-NEXT: "tloop.expect"() {left = "k", relation = "at_least", right = "3", what = "slice"} : () -> ()
  "tloop.expect"() {left = "k", relation = "at_least", right = "3", what = "slice"} : () -> ()
  // CHECK-NEXT: "tloop.expect"() {fault = "it takes too many", left = "k", relation = "at_least", right = "3", what = "slice"} : () -> ()
  "tloop.expect"() {fault = "it takes too many", left = "k", relation = "at_least", right = "3", what = "slice"} : () -> ()
  // CHECK-NEXT: %[[C:.*]] = arith.constant
  %c = arith.constant 3 : index
  // CHECK-NEXT: "tloop.check"(%[[C]], %[[C]]) {message = "slice: k must be at least 3", relation = "at_least"} : (index, index) -> ()
  "tloop.check"(%c, %c) {message = "slice: k must be at least 3", relation = "at_least"} : (index, index) -> ()
  // CHECK-NEXT: "tloop.check"(%[[C]], %[[C]]) {message = "a product", relation = "product"} : (index, index) -> ()
  "tloop.check"(%c, %c) {message = "a product", relation = "product"} : (index, index) -> ()
  return
}

// Indices that the host program checks.
// CHECK-LABEL: func.func @indices
func.func @indices(%i: tensor<4xi64>, %t: tensor<?x2xi32>, %b: memref<4xi64>) {
  // CHECK: "tloop.expect_indices"(%{{.*}}) {axis = 1 : i64, extents = ["n"], front_only, what = "gather 'g'"} : (tensor<4xi64>) -> ()
  "tloop.expect_indices"(%i) {axis = 1 : i64, extents = ["n"], front_only, what = "gather 'g'"} : (tensor<4xi64>) -> ()
  // CHECK-NEXT: "tloop.expect_indices"(%{{.*}}) {axis = 0 : i64, extents = ["n", "8"], what = "gather_nd"} : (tensor<?x2xi32>) -> ()
  "tloop.expect_indices"(%t) {axis = 0 : i64, extents = ["n", "8"], what = "gather_nd"} : (tensor<?x2xi32>) -> ()
  %c = arith.constant 4 : index
  // CHECK: "tloop.check_indices"(%{{.*}}, %[[C:.*]], %[[C]]) {axis = 0 : i64, what = "gather"} : (memref<4xi64>, index, index) -> ()
  "tloop.check_indices"(%b, %c, %c) {axis = 0 : i64, what = "gather"} : (memref<4xi64>, index, index) -> ()
  return
}

// Divisors that the host program checks.
// CHECK-LABEL: func.func @divisors
func.func @divisors(%d: tensor<?x4xi8>, %u: tensor<ui64>, %b: memref<4xi32>) {
  // CHECK: "tloop.expect_nonzero"(%{{.*}}) {what = "div 'd'"} : (tensor<?x4xi8>) -> ()
  "tloop.expect_nonzero"(%d) {what = "div 'd'"} : (tensor<?x4xi8>) -> ()
  // CHECK-NEXT: "tloop.expect_nonzero"(%{{.*}}) {what = "mod"} : (tensor<ui64>) -> ()
  "tloop.expect_nonzero"(%u) {what = "mod"} : (tensor<ui64>) -> ()
  %c = arith.constant 4 : index
  // CHECK: "tloop.check_nonzero"(%{{.*}}, %{{.*}}) {what = "div"} : (memref<4xi32>, index) -> ()
  "tloop.check_nonzero"(%b, %c) {what = "div"} : (memref<4xi32>, index) -> ()
  return
}
