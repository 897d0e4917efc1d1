// RUN: mlc-opt %s --host-plan-memory --canonicalize | filecheck %s

// Arguments are inputs, outputs, weights, arena. The first value of the arena is dead when the third is computed,
// which takes its offset; the second lives on. Views are free; returned values are computed in the output, and read there.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[IN:.*]]: memref<4x4xf32>, %[[OUT0:.*]]: memref<2x8xf32>, %[[OUT1:.*]]: memref<16xf32>, %[[W:.*]]: memref<16xf32>, %[[P:.*]]: memref<16xf32>, %[[ARENA:.*]]: memref<128xi8>)
// CHECK-SAME: tloop.arena_bytes = 128 : i64, tloop.arena_lower_bound = 128 : i64, tloop.arena_strategy = "size, lowest gap", tloop.num_inputs = 1 : i64,
// CHECK-SAME: tloop.num_outputs = 2 : i64, tloop.unshared_bytes = 320 : i64,
// CHECK-SAME: tloop.weights = [{hash = "ab", offset = 8 : i64, size = 64 : i64, source = "m.onnx", type = tensor<16xf32>}, {index = 1 : i64, type = tensor<16xf32>}]
// CHECK-DAG: %[[FLAT:.*]] = memref.reinterpret_cast %[[IN]] to offset: [0], sizes: [16], strides: [1]
// CHECK-DAG: %[[A:.*]] = memref.view %[[ARENA]][%c0][]
// CHECK: "tloop.launch_into"(%[[FLAT]], %[[A]]) {kernel = @k, num_outputs = 1 : i64
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%c64][]
// CHECK: "tloop.launch_into"(%[[A]], %[[W]], %[[B]]) {kernel = @add
// CHECK: "tloop.launch_into"(%[[B]], %[[P]], %[[A]]) {kernel = @add
// CHECK: "tloop.launch_into"(%[[A]], %[[OUT1]]) {kernel = @k
// CHECK: %[[RESULT:.*]] = memref.reinterpret_cast %[[OUT0]] to offset: [0], sizes: [16], strides: [1]
// CHECK: "tloop.launch_into"(%[[OUT1]], %[[B]], %[[RESULT]]) {kernel = @add
// CHECK: return

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// CHECK-LABEL: func.func @prepare
// CHECK-SAME: (%[[OUT:.*]]: memref<16xf32>, %[[W:.*]]: memref<16xf32>, %{{.*}}: memref<0xi8>)
// CHECK-SAME: tloop.num_inputs = 0 : i64
// CHECK-NEXT: "tloop.launch_into"(%[[W]], %[[OUT]])
func.func private @k(%a: tensor<16xf32>) -> tensor<16xf32> attributes {tloop.kernel} {
  return %a : tensor<16xf32>
}
func.func private @add(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> attributes {tloop.kernel} {
  return %a : tensor<16xf32>
}
func.func @main(%x: tensor<4x4xf32>) -> (tensor<2x8xf32>, tensor<16xf32>) {
  %w = "graph.weight"() {source = "m.onnx", offset = 8, size = 64, hash = "ab"} : () -> tensor<16xf32>
  %p = "graph.prepared"() {index = 1} : () -> tensor<16xf32>
  %v = "graph.reshape"(%x) {shape = array<i64: 16>} : (tensor<4x4xf32>) -> tensor<16xf32>
  %0 = "tloop.launch"(%v) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
  %1 = "tloop.launch"(%0, %w) {kernel = @add, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %2 = "tloop.launch"(%1, %p) {kernel = @add, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = "tloop.launch"(%2) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
  %4 = "tloop.launch"(%3, %1) {kernel = @add, operandSegmentSizes = #first_2_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %5 = "graph.reshape"(%4) {shape = array<i64: 2, 8>} : (tensor<16xf32>) -> tensor<2x8xf32>
  return %5, %3 : tensor<2x8xf32>, tensor<16xf32>
}
func.func @prepare() -> tensor<16xf32> {
  %w = "graph.weight"() {source = "m.onnx", offset = 72, size = 64, hash = "cd"} : () -> tensor<16xf32>
  %0 = "tloop.launch"(%w) {kernel = @k, operandSegmentSizes = #first_1_of_24, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
