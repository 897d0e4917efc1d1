// RUN: mlc-opt %s --split-input-file --host-plan-memory | filecheck %s
// RUN: mlc-opt %s --split-input-file --host-plan-memory --host-entry --canonicalize | filecheck %s --check-prefix=ENTRY

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A static plan: the check reads the buffer of the indices, which lives until then.
// CHECK-LABEL: func.func @main
// CHECK-SAME: tloop.messages = ["gather 'a'", "gather 'b'"]
func.func private @k(%i: tensor<4xi64>) -> tensor<4xi64> attributes {tloop.kernel} {
  return %i : tensor<4xi64>
}
// ENTRY: llvm.func @mlc_host_check_indices(!llvm.ptr, !llvm.ptr)
// ENTRY-LABEL: llvm.func @mlc_main
func.func @main(%i: tensor<4xi64>) -> tensor<4xi64> {
  // CHECK: "tloop.check_indices"(%arg0, %{{.*}}, %{{.*}}) {axis = 1 : i64, what = "gather 'a'"} : (memref<4xi64>, index, index) -> ()
  // The integers: the message, 64 bits, the axis, negative ones are in range, rank 1, one column, then the sizes.
  // ENTRY: %[[SEVEN:.*]] = arith.constant 7 : i64
  // ENTRY: %[[MEMORY:.*]] = llvm.alloca %{{.*}} x i64
  // ENTRY: %[[I:.*]] = llvm.load %arg0
  // ENTRY: %[[LAST:.*]] = llvm.getelementptr %[[MEMORY]][7]
  // ENTRY-NEXT: llvm.store %[[SEVEN]], %[[LAST]]
  // ENTRY-NEXT: llvm.call @mlc_host_check_indices(%[[I]], %[[MEMORY]])
  "tloop.expect_indices"(%i) {axis = 1 : i64, extents = ["7"], what = "gather 'a'"} : (tensor<4xi64>) -> ()
  // CHECK: "tloop.launch_into"(%arg0, %[[J:.*]]) {kernel = @k
  // ENTRY: llvm.call @k
  %j = "tloop.launch"(%i) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: "tloop.check_indices"(%[[J]], %{{.*}}, %{{.*}}) {axis = 0 : i64, front_only, what = "gather 'b'"}
  // ENTRY: llvm.call @mlc_host_check_indices
  "tloop.expect_indices"(%j) {axis = 0 : i64, extents = ["7"], front_only, what = "gather 'b'"} : (tensor<4xi64>) -> ()
  %r = "tloop.launch"(%j) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

// -----

// Dynamic sizes.
// CHECK-LABEL: func.func @main
// CHECK-SAME: tloop.messages = {{.*}}"gather_nd"]
func.func @main(%i: tensor<?x2xi64> {graph.dims = ["n", ""]}) -> tensor<?x2xi64> {
  // CHECK: %[[N:.*]] = memref.dim %arg0
  // CHECK: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK: "tloop.check_indices"(%arg0, %[[N]], %[[TWO]], %[[N]], %{{.*}}) {axis = 0 : i64, what = "gather_nd"} : (memref<?x2xi64>, index, index, index, index) -> ()
  // ENTRY-LABEL: llvm.func @mlc_main
  // ENTRY: llvm.call @mlc_host_check_indices
  "tloop.expect_indices"(%i) {axis = 0 : i64, extents = ["n", "7"], what = "gather_nd"} : (tensor<?x2xi64>) -> ()
  return %i : tensor<?x2xi64>
}

// -----

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Divisors: the integers are the message, the bits, the rank, then the sizes.
// CHECK-LABEL: func.func @main
// CHECK-SAME: tloop.messages = ["div 'a'"]
func.func private @k(%d: tensor<3x5xi16>) -> tensor<3x5xi16> attributes {tloop.kernel} {
  return %d : tensor<3x5xi16>
}
// ENTRY: llvm.func @mlc_host_check_nonzero(!llvm.ptr, !llvm.ptr)
// ENTRY-LABEL: llvm.func @mlc_main
func.func @main(%d: tensor<3x5xi16>) -> tensor<3x5xi16> {
  // CHECK: "tloop.launch_into"(%arg0, %[[J:.*]]) {kernel = @k
  %j = "tloop.launch"(%d) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<3x5xi16>) -> tensor<3x5xi16>
  // CHECK: "tloop.check_nonzero"(%[[J]], %{{.*}}, %{{.*}}) {what = "div 'a'"} : (memref<3x5xi16
  // ENTRY-DAG: %[[FIVE:.*]] = arith.constant 5 : i64
  // ENTRY-DAG: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i64)
  // ENTRY: llvm.call @k
  // ENTRY: %[[BITS:.*]] = llvm.getelementptr %[[MEMORY:.*]][1]
  // ENTRY-NEXT: llvm.store %[[SIXTEEN]], %[[BITS]]
  // ENTRY: %[[LAST:.*]] = llvm.getelementptr %[[MEMORY]][4]
  // ENTRY-NEXT: llvm.store %[[FIVE]], %[[LAST]]
  // ENTRY-NEXT: llvm.call @mlc_host_check_nonzero(%{{.*}}, %[[MEMORY]])
  "tloop.expect_nonzero"(%j) {what = "div 'a'"} : (tensor<3x5xi16>) -> ()
  %r = "tloop.launch"(%j) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<3x5xi16>) -> tensor<3x5xi16>
  return %r : tensor<3x5xi16>
}

// -----

// Dynamic sizes.
// CHECK-LABEL: func.func @main
// CHECK-SAME: tloop.messages = {{.*}}"mod"]
func.func @main(%d: tensor<?x2xi64> {graph.dims = ["n", ""]}) -> tensor<?x2xi64> {
  // CHECK: %[[N:.*]] = memref.dim %arg0
  // CHECK: "tloop.check_nonzero"(%arg0, %[[N]], %{{.*}}) {what = "mod"} : (memref<?x2xi64>, index, index) -> ()
  // ENTRY-LABEL: llvm.func @mlc_main
  // ENTRY: llvm.call @mlc_host_check_nonzero
  "tloop.expect_nonzero"(%d) {what = "mod"} : (tensor<?x2xi64>) -> ()
  return %d : tensor<?x2xi64>
}
