// RUN: mlc-opt %s --host-plan-memory | filecheck %s
// RUN: mlc-opt %s --host-plan-memory --host-entry | filecheck %s --check-prefix=ENTRY

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Memory is allocated before the launch that writes it, and released after the last op that reads it. What depends on
// the dims of inputs alone is in the arena, also as a view of a size that is read later.
// CHECK-LABEL: func.func @main
// CHECK-SAME: tloop.dims = ["n"], tloop.input_shapes =
// CHECK-SAME: {{\[}}["n", ""], [""]], tloop.messages = ["'cut': k must be at least 0", "reshape: a product in the size 4*n is too large", "reshape: 4*n must be k",
// CHECK-SAME: "slice: it takes elements after the last one: k must be at least 3", "add: k must be 1 or n", "a product in the size 2*k is too large",
// CHECK-SAME: "one 'up'", "two"]
// CHECK-SAME: tloop.output_shapes = {{\[}}["k"], [""]]
// ENTRY-DAG: llvm.func @mlc_host_allocate(i64) -> !llvm.ptr
// ENTRY-DAG: llvm.func @mlc_host_output(i64, i64, !llvm.ptr, i64) -> !llvm.ptr
// ENTRY-DAG: llvm.func @mlc_host_release(!llvm.ptr)
// ENTRY: llvm.func @mlc_main(%[[BUFFERS:.*]]: !llvm.ptr, %[[DIMS:.*]]: !llvm.ptr)
// ENTRY: %[[AT:.*]] = llvm.getelementptr %[[DIMS]][0]
// ENTRY-NEXT: %[[N:.*]] = llvm.load %[[AT]] : !llvm.ptr -> i64
func.func @main(%x: tensor<?x4xf32> {graph.dims = ["n", ""]}, %s: tensor<1xi64>) -> (tensor<?xf32>, tensor<1xi64>) {
  // CHECK: %[[N:.*]] = memref.dim %arg0
  // CHECK: %[[ARENA:.*]] = memref.alloc(%{{.*}}) : memref<?xi8>
  // CHECK: %[[A:.*]] = memref.view %[[ARENA]][%{{.*}}][%[[N]]] {tloop.caller = "one 'up'"} : memref<?xi8> to memref<?x4xf32>
  // CHECK-NEXT: "tloop.launch_into"(%arg0, %[[A]], %[[N]]) {kernel = @one, num_outputs = 1 : i64
  // ENTRY: llvm.call @mlc_host_allocate
  // Memory that no computer has is no allocation: the call fails, and says the sizes.
  // ENTRY: %[[NEGATIVE:.*]] = llvm.icmp "slt" %[[N]], %{{.*}} : i64
  // ENTRY: %[[LARGE:.*]] = llvm.fcmp "oge" %{{.*}}, %{{.*}} : f64
  // ENTRY-NEXT: %[[NO_SIZE:.*]] = llvm.or %{{.*}}, %[[LARGE]]
  // ENTRY-NEXT: scf.if %[[NO_SIZE]] {
  // ENTRY-NEXT: %[[CALLER:.*]] = llvm.mlir.constant(6 : i64)
  // ENTRY: llvm.store %[[N]], %{{.*}} : i64, !llvm.ptr
  // ENTRY: llvm.call @mlc_host_too_large(%[[CALLER]], %{{.*}}, %{{.*}}) : (i64, i64, !llvm.ptr) -> ()
  // ENTRY: llvm.call @one
  %0 = "tloop.launch"(%x) {graph.dims = [["n", ""]], kernel = @one, tloop.dims = ["n"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x4xf32>) -> tensor<?x4xf32> loc(fused["x", "up"])
  // CHECK: %[[READ:.*]] = memref.load
  // CHECK: %[[K:.*]] = arith.index_cast %[[READ]] : i64 to index
  // CHECK: "tloop.check"(%[[K]], %{{.*}}) {message = "'cut': k must be at least 0", relation = "at_least"}
  // ENTRY: llvm.call @mlc_host_mismatch
  "tloop.read_sizes"(%s) {names = ["k"]} : (tensor<1xi64>) -> () loc("cut")
  // What a product loses is no sign.
  // CHECK: "tloop.check"(%[[FOUR:.*]], %[[N]]) {message = "reshape: a product in the size 4*n is too large", relation = "product"}
  // CHECK-NEXT: %[[PRODUCT:.*]] = arith.muli %[[FOUR]], %[[N]] : index
  // CHECK-NEXT: "tloop.check"(%[[PRODUCT]], %[[K]]) {message = "reshape: 4*n must be k", relation = "equal"}
  // ENTRY: %[[BOTH:.*]] = "llvm.intr.smul.with.overflow"(%{{.*}}, %[[N]])
  // ENTRY-NEXT: %[[LOST:.*]] = llvm.extractvalue %[[BOTH]][1]
  // ENTRY-NEXT: scf.if %[[LOST]] {
  // ENTRY: %[[DIFFERENT:.*]] = llvm.icmp "ne" %{{.*}}, %[[NUMBER:.*]] : i64
  // ENTRY-NEXT: scf.if %[[DIFFERENT]] {
  // ENTRY-NEXT: %[[FIRST:.*]] = llvm.mlir.constant(2 : i64)
  // ENTRY-NEXT: llvm.call @mlc_host_mismatch(%{{.*}}, %[[NUMBER]], %[[FIRST]])
  "tloop.expect"() {left = "4*n", relation = "equal", right = "k", what = "reshape"} : () -> ()
  // CHECK: "tloop.check"(%[[K]], %{{.*}}) {message = "slice: it takes elements after the last one: k must be at least 3", relation = "at_least"}
  // ENTRY: %[[SMALL:.*]] = llvm.icmp "slt" %[[NUMBER]], %{{.*}} : i64
  // ENTRY-NEXT: scf.if %[[SMALL]] {
  "tloop.expect"() {fault = "it takes elements after the last one", left = "k", relation = "at_least", right = "3", what = "slice"} : () -> ()
  // CHECK: "tloop.check"(%[[K]], %[[N]]) {message = "add: k must be 1 or n", relation = "broadcast"}
  // ENTRY: %[[OTHER:.*]] = llvm.icmp "ne" %[[NUMBER]], %[[N]] : i64
  // ENTRY: %[[NOT_ONE:.*]] = llvm.icmp "ne" %[[NUMBER]], %{{.*}} : i64
  // ENTRY-NEXT: %[[WRONG:.*]] = llvm.and %[[OTHER]], %[[NOT_ONE]]
  // ENTRY-NEXT: scf.if %[[WRONG]] {
  "tloop.expect"() {left = "k", relation = "broadcast", right = "n", what = "add"} : () -> ()
  %1 = "graph.reshape"(%0) {graph.dims = [["k"]], shape = array<i64: -1>} : (tensor<?x4xf32>) -> tensor<?xf32>
  // CHECK: %[[OUT:.*]] = memref.alloc(%[[K]]) {tloop.caller = "two", tloop.output = 0 : i64} : memref<?xf32>
  // CHECK: %[[FLAT:.*]] = memref.view %[[ARENA]][%{{.*}}][%[[K]]] : memref<?xi8> to memref<?xf32>
  // CHECK-NEXT: "tloop.launch_into"(%[[FLAT]], %[[OUT]], %[[K]]) {kernel = @two, num_outputs = 1 : i64
  // CHECK-NEXT: memref.dealloc %[[ARENA]] : memref<?xi8>
  // ENTRY: llvm.call @mlc_host_output
  // ENTRY: llvm.call @two
  // ENTRY: llvm.call @mlc_host_release
  %2 = "tloop.launch"(%1) {graph.dims = [["k"]], kernel = @two, tloop.dims = ["k"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: memref.alloc() {tloop.output = 1 : i64} : memref<1xi64>
  // CHECK: arith.muli
  // CHECK: memref.store
  %3 = "tloop.size_values"() {dims = ["2*k"]} : () -> tensor<1xi64>
  return %2, %3 : tensor<?xf32>, tensor<1xi64>
}

// Static dims have an empty text each.
// CHECK-LABEL: func.func @prepare
// CHECK-SAME: tloop.input_shapes = {{\[}}["n", "", ""]]
// CHECK-SAME: tloop.output_shapes = {{\[}}["", "", "n"]]
func.func @prepare(%x: tensor<?x4x4xf32> {graph.dims = ["n", "", ""]}) -> tensor<4x4x?xf32> {
  %0 = "tloop.launch"(%x) {graph.dims = [["", "", "n"]], kernel = @turn, tloop.dims = ["n"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?x4x4xf32>) -> tensor<4x4x?xf32>
  return %0 : tensor<4x4x?xf32>
}
