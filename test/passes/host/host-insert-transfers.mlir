// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-place{ops=matmul,relu}),form-kernels)" | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(func.func(graph-place{ops=matmul,relu}),form-kernels,host-plan-memory)" | filecheck %s --check-prefix=PLAN

// Kernels are of one device: relu would end the kernel of abs. The weight is transferred once for two matmuls;
// a reshaped result comes back as it is returned.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "graph.weight"
// CHECK: %[[W1:.*]] = "tloop.transfer"(%[[W]]) {to = "accel"}
// CHECK: %[[A:.*]] = "tloop.launch"(%arg0) {kernel = @abs_[[ABS:[0-9a-f]*]],
// CHECK: %[[A1:.*]] = "tloop.transfer"(%[[A]]) {to = "accel"}
// CHECK: %[[R:.*]] = "tloop.launch"(%[[A1]]) {kernel = @relu_[[RELU:[0-9a-f]*]],
// CHECK: %[[P:.*]] = "tloop.launch"(%[[R]], %[[W1]]) {kernel = @matmul_[[PRODUCT:[0-9a-f]*]],
// CHECK: %[[P0:.*]] = "tloop.transfer"(%[[P]]) {to = "host"}
// CHECK: %[[FLAT:.*]] = "graph.reshape"(%[[P]])
// CHECK: %[[FLAT0:.*]] = "tloop.transfer"(%[[FLAT]]) {to = "host"}
// CHECK: %[[E:.*]] = "tloop.launch"(%[[P0]]) {kernel = @exp_
// CHECK: %[[E1:.*]] = "tloop.transfer"(%[[E]]) {to = "accel"}
// CHECK: %[[Q:.*]] = "tloop.launch"(%[[E1]], %[[W1]]) {kernel = @matmul_[[PRODUCT]],
// CHECK: %[[Q0:.*]] = "tloop.transfer"(%[[Q]]) {to = "host"}
// CHECK: return %[[Q0]], %[[FLAT0]]
// CHECK: func.func private @abs_[[ABS]]
// CHECK-NOT: tloop.device
// CHECK: func.func private @relu_[[RELU]]
// CHECK-SAME: tloop.device = "accel"
// CHECK: func.func private @matmul_[[PRODUCT]]
// CHECK-SAME: tloop.device = "accel"

// Results of the second device are copied straight to the outputs.
// PLAN-LABEL: func.func @main(%arg0: memref<4x8xf32>, %arg1: memref<4x8xf32>, %arg2: memref<32xf32>, %arg3: memref<8x8xf32>, %arg4: memref<{{.*}}xi8>)
// PLAN: gpu.memcpy async %{{.*}}, %arg3 : memref<8x8xf32>, memref<8x8xf32> {tloop.transfer = "accel"}
// PLAN: memref.copy %{{.*}}, %{{.*}} {tloop.transfer = "accel"} : memref<4x8xf32> to memref<4x8xf32>
// PLAN: gpu.memcpy async %arg2, %{{.*}} : memref<32xf32>, memref<32xf32> {tloop.transfer = "host"}
// PLAN: memref.copy %{{.*}}, %arg1 {tloop.transfer = "host"} : memref<4x8xf32> to memref<4x8xf32>
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>) {
  %w = "graph.weight"() {hash = "00", offset = 0 : i64, size = 256 : i64, source = "w"} : () -> tensor<8x8xf32>
  %0 = "graph.abs"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "graph.relu"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "graph.matmul"(%1, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = "graph.exp"(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "graph.matmul"(%3, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %5 = "graph.reshape"(%2) {shape = array<i64: 32>} : (tensor<4x8xf32>) -> tensor<32xf32>
  return %4, %5 : tensor<4x8xf32>, tensor<32xf32>
}
