// RUN: %roundtrip

// Sizes in the host program that only a call tells.
// CHECK-LABEL: func.func @main
func.func @main(%s: tensor<2xi64>, %t: tensor<i32>) {
  // CHECK: "tloop.read_sizes"(%{{.*}}) {names = ["k", ""]} : (tensor<2xi64>) -> ()
  "tloop.read_sizes"(%s) {names = ["k", ""]} : (tensor<2xi64>) -> ()
  // CHECK-NEXT: "tloop.read_sizes"(%{{.*}}) {names = ["n"]} : (tensor<i32>) -> ()
  "tloop.read_sizes"(%t) {names = ["n"]} : (tensor<i32>) -> ()
  // CHECK-NEXT: %{{.*}} = "tloop.numbers"() {dims = ["2*k", "max(n, 1)"]} : () -> tensor<1x2xi64>
  %0 = "tloop.numbers"() {dims = ["2*k", "max(n, 1)"]} : () -> tensor<1x2xi64>
  // CHECK-NEXT: "tloop.expect_equal"() {left = "k", relation = "broadcast", right = "n", what = "add"} : () -> ()
  "tloop.expect_equal"() {left = "k", relation = "broadcast", right = "n", what = "add"} : () -> ()
  return
}
