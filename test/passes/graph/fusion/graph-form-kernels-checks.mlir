// RUN: mlc-opt %s --graph-form-kernels | filecheck %s
// RUN: mlc-opt %s --graph-form-kernels --host-verify --host-plan-memory | filecheck %s --check-prefix=PLAN
// RUN: mlc-opt %s --graph-form-kernels --host-plan-memory --host-entry | filecheck %s --check-prefix=ENTRY

// The host program looks at what kernels computed before others read what is checked; constants get memory.
// CHECK-LABEL: func.func @main
// PLAN: func.func @main
// PLAN-SAME: tloop.messages = ["CumSum 'y': an axis is outside of [-1, 0]"]
func.func @main(%a: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xi64> {
  %0 = "graph.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c = "graph.constant"() {value = dense<[3, 1, 2, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  // CHECK: %[[TRUTH:.*]] = "tloop.launch"(%arg0) {kernel = @less_
  %1 = "graph.less"(%a, %0) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  // CHECK: %[[CONSTANT:.*]] = "tloop.launch"() {kernel = @identity_
  // CHECK: %[[CHECKED:.*]] = "graph.check"(%[[CONSTANT]], %[[TRUTH]]) {message = "CumSum 'y': an axis is outside of [-1, 0]"}
  // CHECK-NEXT: "tloop.launch"(%[[CHECKED]]) {kernel = @neg_
  // PLAN: "tloop.launch_into"(%{{.*}}, %[[T:.*]]) {kernel = @less_
  // PLAN: "tloop.launch_into"(%[[C:.*]]) {kernel = @identity_
  // PLAN: %[[COPY:.*]] = memref.view %{{.*}} : memref<?xi8> to memref<4xi64>
  // PLAN: %[[READ:.*]] = memref.load %[[T]][] : memref<i1>
  // PLAN-NEXT: cf.assert %[[READ]], "CumSum 'y': an axis is outside of [-1, 0]"
  // PLAN-NEXT: memref.copy %[[C]], %[[COPY]]
  // PLAN: "tloop.launch_into"(%[[COPY]], %{{.*}}) {kernel = @neg_
  // ENTRY: llvm.func @mlc_main
  // ENTRY: llvm.call @less_
  // ENTRY: %[[WRONG:.*]] = llvm.xor
  // ENTRY-NEXT: scf.if %[[WRONG]] {
  // ENTRY: llvm.call @mlc_host_fail
  // ENTRY: llvm.call @neg_
  %2 = "graph.check"(%c, %1) {message = "CumSum 'y': an axis is outside of [-1, 0]"} : (tensor<4xi64>, tensor<i1>) -> tensor<4xi64>
  %3 = "graph.neg"(%2) : (tensor<4xi64>) -> tensor<4xi64>
  return %3 : tensor<4xi64>
}
