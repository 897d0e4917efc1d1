// RUN: mlc-opt %s --host-plan-memory --host-entry | filecheck %s

// Sizes that are elements of type i32 are extended to i64, and truncated when they are stored.
// CHECK-LABEL: llvm.func @mlc_main
// CHECK: %[[ELEMENT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[ELEMENT]] : i32 to i64
// CHECK: llvm.icmp "slt" %[[WIDE]]
// CHECK: %[[NARROW:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: llvm.store %[[NARROW]]
func.func @main(%s: tensor<1xi32>) -> tensor<1xi32> {
  "tloop.read_sizes"(%s) {names = ["k"]} : (tensor<1xi32>) -> ()
  %0 = "tloop.size_values"() {dims = ["2*k"]} : () -> tensor<1xi32>
  return %0 : tensor<1xi32>
}
