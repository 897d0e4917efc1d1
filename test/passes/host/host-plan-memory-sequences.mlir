// RUN: mlc-opt %s --host-plan-memory --cse | filecheck %s
// RUN: mlc-opt %s --host-plan-memory --host-entry | filecheck %s --check-prefix=ENTRY

#first_1_of_32 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_32 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_3_of_34 = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// A loop that copies a sequence: it carries a handle, and each iteration makes a new one, which is copied there; an
// element has separate memory, of the sizes that the runtime returns. The dims after the buffers are the options, then
// for each buffer its element type, its rank and its sizes.
// CHECK: func.func @main
// CHECK-SAME: tloop.messages = ["k must be at least 0", "sequence_dims", "sequence_at", "sequence_append 'copy'"]
// CHECK-SAME: tloop.object_types = {{\[}}["", "", "sequence(float32)"], ["sequence(float32)"]]
// ENTRY-DAG: llvm.func @mlc_call_sequence_dims(!llvm.ptr, !llvm.ptr)
// ENTRY-DAG: llvm.func @mlc_call_sequence_at(!llvm.ptr, !llvm.ptr)
// ENTRY-DAG: llvm.func @mlc_call_sequence_append(!llvm.ptr, !llvm.ptr)
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %s: tensor<i64> {graph.object_type = "sequence(float32)"}) -> (tensor<i64> {graph.object_type = "sequence(float32)"}) {
  // CHECK: %[[COPY:.*]] = memref.alloc() {tloop.output = 0 : i64} : memref<i64>
  // CHECK: %[[PLACE:.*]] = memref.alloc() : memref<i64>
  // CHECK-NEXT: memref.copy %arg2, %[[COPY]]
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: scf.while (%[[I:.*]] = %[[ZERO]], %{{.*}} = %{{.*}}) : (index, i1)
  %0 = "graph.loop"(%n, %c, %s) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %t: tensor<i64>):
    // CHECK: memref.store %{{.*}}, %[[PLACE]][] : memref<i64>
    // CHECK: %[[DIMS:.*]] = memref.alloc() : memref<1xi64>
    // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
    // CHECK-DAG: %[[I64:.*]] = arith.constant 7 : index
    // CHECK: "tloop.launch_into"(%arg2, %[[PLACE]], %[[DIMS]], %[[ONE]], %[[I64]], %[[ZERO]], %[[I64]], %[[ZERO]], %[[I64]], %[[ONE]], %[[ONE]]) {kernel = @mlc_call_sequence_dims, num_outputs = 1 : i64{{.*}}tloop.caller = "sequence_dims"}
    // The message's index comes first.
    // ENTRY: scf.while
    // ENTRY: ^bb0(
    // ENTRY: llvm.getelementptr %[[BUFFERS:.*]][2]
    // ENTRY-NEXT: llvm.store
    // ENTRY-NEXT: %[[MESSAGE:.*]] = llvm.mlir.constant(1 : i64) : i64
    // ENTRY-NEXT: %[[FIRST:.*]] = llvm.getelementptr %[[NUMBERS:.*]][0]
    // ENTRY-NEXT: llvm.store %[[MESSAGE]], %[[FIRST]] : i64, !llvm.ptr
    // ENTRY: llvm.call @mlc_call_sequence_dims(%[[BUFFERS]], %[[NUMBERS]])
    %1 = "graph.call_runtime"(%s, %i) {function = "sequence_dims", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64: 1>} : (tensor<i64>, tensor<i64>) -> tensor<1xi64>
    // CHECK: %[[READ:.*]] = memref.load
    // CHECK-NEXT: %[[K:.*]] = arith.index_cast %[[READ]] : i64 to index
    // CHECK: "tloop.check"(%[[K]], %{{.*}}) {message = "k must be at least 0", relation = "at_least"}
    "tloop.read_sizes"(%1) {names = ["k"]} : (tensor<1xi64>) -> ()
    %2 = "tloop.size_values"() {dims = ["k"]} : () -> tensor<1xi64>
    // CHECK: %[[ELEMENT:.*]] = memref.alloc(%[[K]]) {tloop.caller = "sequence_at"} : memref<?xf32>
    // CHECK-NEXT: "tloop.launch_into"(%arg2, %[[PLACE]], %{{.*}}, %[[ELEMENT]], %{{.*}}, %[[ONE]], %[[ONE]], %[[K]]) {kernel = @mlc_call_sequence_at
    // ENTRY: llvm.call @mlc_call_sequence_at(%[[BUFFERS]], %[[NUMBERS]])
    %3 = "graph.call_runtime"(%s, %i, %2)
        {function = "sequence_at", graph.dims = [["k"]], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, options = array<i64>}
        : (tensor<i64>, tensor<i64>, tensor<1xi64>) -> tensor<?xf32>
    // CHECK: %[[NEXT:.*]] = memref.alloc() : memref<i64>
    // CHECK-NEXT: "tloop.launch_into"(%[[COPY]], %[[ELEMENT]], %[[NEXT]], %[[I64]], %[[ZERO]], %[[ONE]], %[[ONE]], %[[K]], %[[I64]], %[[ZERO]]) {kernel = @mlc_call_sequence_append
    // CHECK: memref.dealloc %[[ELEMENT]] : memref<?xf32>
    // ENTRY: llvm.call @mlc_call_sequence_append(%[[BUFFERS]], %[[NUMBERS]])
    %4 = "graph.call_runtime"(%t, %3) {function = "sequence_append", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64>}
        : (tensor<i64>, tensor<?xf32>) -> tensor<i64> loc("copy")
    // CHECK: memref.copy %[[NEXT]], %[[COPY]]
    // CHECK-NEXT: memref.dealloc %[[NEXT]]
    // CHECK: scf.yield %{{.*}}, %{{.*}} : index, i1
    "graph.yield"(%c, %4) {operandSegmentSizes = #first_2_of_32} : (tensor<i1>, tensor<i64>) -> ()
  }) {operandSegmentSizes = #first_3_of_34, resultSegmentSizes = #first_1_of_32} : (tensor<i64>, tensor<i1>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
