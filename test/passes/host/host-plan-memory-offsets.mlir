// RUN: mlc-opt %s --split-input-file --host-plan-memory --canonicalize --cse | filecheck %s
// RUN: mlc-opt %s --split-input-file --host-plan-memory --host-entry | filecheck %s --check-prefix=ENTRY

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_1_of_4 = array<i32: 1, 0, 0, 0>

// Buffers of 16*n, 64*n and 32*n bytes share one allocation. The first and the third one are not live at the same
// time and both are above the second one, which is at 0.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[MASK:.*]] = arith.constant -64 : index
// CHECK-DAG: %[[PAD:.*]] = arith.constant 63 : index
// CHECK-DAG: %[[MOST:.*]] = arith.constant 140737488355328 : index
// CHECK-DAG: %[[N:.*]] = memref.dim %arg0, %[[C0]]
// CHECK: %[[A:.*]] = arith.muli %[[N]], %[[C16]] : index
// CHECK-NEXT: %[[POSSIBLE:.*]] = arith.cmpi ult, %[[A]], %[[MOST]] : index
// CHECK-NEXT: %[[A_BOUND:.*]] = arith.select %[[POSSIBLE]], %[[A]], %[[C0]] : index
// CHECK-NEXT: %[[A_MORE:.*]] = arith.addi %[[A_BOUND]], %[[PAD]] : index
// CHECK-NEXT: %[[A_SIZE:.*]] = arith.andi %[[A_MORE]], %[[MASK]] : index
// CHECK-NEXT: %[[B:.*]] = arith.muli %[[N]], %[[C64]] : index
// CHECK: %[[B_SIZE:.*]] = arith.andi
// CHECK-NEXT: %[[C:.*]] = arith.muli %[[N]], %[[C32]] : index
// CHECK: %[[C_SIZE:.*]] = arith.andi
// CHECK-DAG: %[[A_END:.*]] = arith.addi %[[B_SIZE]], %[[A_SIZE]] : index
// CHECK-DAG: %[[C_END:.*]] = arith.addi %[[B_SIZE]], %[[C_SIZE]] : index
// CHECK: %[[TOTAL:.*]] = arith.maxsi %[[A_END]], %[[C_END]] : index
// CHECK-NEXT: %[[ARENA:.*]] = memref.alloc(%[[TOTAL]]) : memref<?xi8>
// CHECK-NEXT: memref.view %[[ARENA]][%[[B_SIZE]]][%[[N]]] {tloop.caller = "a"} : memref<?xi8> to memref<?x4xf32>
// CHECK-NEXT: "tloop.launch_into"
// CHECK-NEXT: memref.view %[[ARENA]][%[[C0]]][%[[N]]] {tloop.caller = "b"} : memref<?xi8> to memref<?x16xf32>
// CHECK-NEXT: "tloop.launch_into"
// CHECK-NEXT: memref.view %[[ARENA]][%[[B_SIZE]]][%[[N]]] {tloop.caller = "c"} : memref<?xi8> to memref<?x8xf32>
// CHECK-NEXT: "tloop.launch_into"
// CHECK: memref.alloc(%[[N]]) {tloop.caller = "d", tloop.output = 0 : i64}
// CHECK-NEXT: "tloop.launch_into"
// CHECK-NEXT: memref.dealloc %[[ARENA]]
// The runtime is asked for memory once; a view fails like an allocation where its sizes are too large.
// ENTRY-LABEL: llvm.func @mlc_main
// ENTRY: %[[ARENA:.*]] = llvm.call @mlc_host_allocate
// ENTRY: llvm.call @mlc_host_too_large
// ENTRY: llvm.getelementptr %[[ARENA]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// ENTRY: llvm.call @a
// ENTRY-NOT: llvm.call @mlc_host_allocate
// ENTRY: llvm.call @d
// ENTRY: llvm.call @mlc_host_release(%[[ARENA]])
func.func @main(%x: tensor<?x4xf32> {graph.dims = ["n", ""]}) -> tensor<?x4xf32> {
  %0 = "tloop.launch"(%x) {graph.dims = [["n", ""]], kernel = @a, tloop.dims = ["n"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = #first_1_of_4} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = "tloop.launch"(%0) {graph.dims = [["n", ""]], kernel = @b, tloop.dims = ["n"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = #first_1_of_4} : (tensor<?x4xf32>) -> tensor<?x16xf32>
  %2 = "tloop.launch"(%1) {graph.dims = [["n", ""]], kernel = @c, tloop.dims = ["n"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = #first_1_of_4} : (tensor<?x16xf32>) -> tensor<?x8xf32>
  %3 = "tloop.launch"(%2) {graph.dims = [["n", ""]], kernel = @d, tloop.dims = ["n"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = #first_1_of_4} : (tensor<?x8xf32>) -> tensor<?x4xf32>
  return %3 : tensor<?x4xf32>
}

// Memory whose size is data is allocated when the size is known.
// CHECK-LABEL: func.func @prepare
// CHECK: memref.load
// CHECK: memref.alloc(%{{.*}}) {{.*}} : memref<?xf32>
func.func @prepare(%x: tensor<?x4xf32> {graph.dims = ["n", ""]}, %s: tensor<1xi64>) -> tensor<?xf32> {
  "tloop.read_sizes"(%s) {names = ["k"]} : (tensor<1xi64>) -> ()
  %0 = "tloop.launch"(%x) {graph.dims = [["k"]], kernel = @e, tloop.dims = ["n", "k"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = #first_1_of_4} : (tensor<?x4xf32>) -> tensor<?xf32>
  %1 = "tloop.launch"(%0) {graph.dims = [["k"]], kernel = @f, tloop.dims = ["k"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = #first_1_of_4} : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

#first_1_of_4 = array<i32: 1, 0, 0, 0>
#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Ids of sequences are not part of the arena: the runtime keeps a sequence as long as it finds the id in memory.
// CHECK-LABEL: func.func @main
// CHECK: %[[ARENA:.*]] = memref.alloc(%{{.*}}) : memref<?xi8>
// CHECK-NEXT: memref.view %[[ARENA]]
// CHECK: %[[ID:.*]] = memref.alloc() : memref<i64>
// CHECK-NEXT: "tloop.launch_into"({{.*}}%[[ID]]{{.*}}) {kernel = @mlc_call_sequence_append
// CHECK: memref.view %[[ARENA]]
// CHECK: memref.dealloc %[[ID]]
func.func @main(%x: tensor<?x4xf32> {graph.dims = ["n", ""]}, %s: tensor<i64> {graph.object_type = "sequence(float32)"}) -> tensor<?x4xf32> {
  %0 = "tloop.launch"(%x) {graph.dims = [["n", ""]], kernel = @a, tloop.dims = ["n"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = #first_1_of_4} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = "graph.call_runtime"(%s, %0) {function = "sequence_append", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>, options = array<i64>}
      : (tensor<i64>, tensor<?x4xf32>) -> tensor<i64>
  %2 = "tloop.launch"(%0) {graph.dims = [["n", ""]], kernel = @b, tloop.dims = ["n"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = #first_1_of_4} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = "tloop.launch"(%2, %1) {graph.dims = [["n", ""]], kernel = @c, tloop.dims = ["n"], operandSegmentSizes = #first_2_of_24,
      resultSegmentSizes = #first_1_of_4} : (tensor<?x4xf32>, tensor<i64>) -> tensor<?x4xf32>
  return %3 : tensor<?x4xf32>
}
