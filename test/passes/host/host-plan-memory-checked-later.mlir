// RUN: mlc-opt %s --host-plan-memory | filecheck %s

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// No kernel writes its results to an output before the check that the value fits: they are copied.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<2x2xf32> {
  // CHECK: %[[OWN:.*]] = memref.view %[[ARENA:.*]][%{{.*}}][%[[N:.*]]] {tloop.caller = "one"} : memref<?xi8> to memref<?xf32>
  // CHECK-NEXT: "tloop.launch_into"(%arg0, %[[OWN]], %[[N]])
  %0 = "tloop.launch"(%x) {graph.dims = [["n"]], kernel = @one, tloop.dims = ["n"], operandSegmentSizes = #first_1_of_24,
      resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "graph.reshape"(%0) {shape = array<i64: 2, 2>} : (tensor<?xf32>) -> tensor<2x2xf32>
  // CHECK: %[[OUT:.*]] = memref.alloc() {tloop.output = 0 : i64} : memref<2x2xf32>
  // CHECK: %[[PART:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<?xi8> to memref<2x2xf32>
  // CHECK: memref.copy %[[PART]], %[[OUT]]
  return %1 : tensor<2x2xf32>
}
