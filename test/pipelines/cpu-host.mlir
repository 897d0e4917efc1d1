// RUN: mlc-opt %s --lower-graph --form-kernels --host-plan-memory --cpu-host | filecheck %s

// Only the host's entries are left, in the llvm dialect; kernels are declarations.
// CHECK-NOT: func.func
// CHECK-NOT: memref
// CHECK: llvm.func @{{.*}}(!llvm.ptr, !llvm.ptr){{$}}
// CHECK-LABEL: llvm.func @mlc_main(%arg0: !llvm.ptr, %arg1: !llvm.ptr) {
// CHECK-COUNT-4: llvm.call @{{.*}}(%{{.*}}, %arg1) : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK-NOT: llvm.call
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @mlc_prepare(%arg0: !llvm.ptr, %arg1: !llvm.ptr) {
// CHECK-COUNT-2: llvm.call
// CHECK-NOT: llvm.call
// CHECK: llvm.return
func.func @main(%x: tensor<1x16x8x8xf32>, %y: tensor<4x64xf32>) -> (tensor<1x32x8x8xf32>, tensor<4x96xf32>) {
  %w = "graph.weight"() {source = "w", offset = 0, size = 18432, hash = "0"} : () -> tensor<32x16x3x3xf32>
  %b = "graph.weight"() {source = "w", offset = 18432, size = 128, hash = "1"} : () -> tensor<32x1x1xf32>
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x8x8xf32>
  %1 = "graph.add"(%0, %b) : (tensor<1x32x8x8xf32>, tensor<32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %2 = "graph.relu"(%1) : (tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %v = "graph.weight"() {source = "w", offset = 20000, size = 24576, hash = "2"} : () -> tensor<64x96xf32>
  %c = "graph.weight"() {source = "w", offset = 60000, size = 384, hash = "3"} : () -> tensor<96xf32>
  %3 = "graph.matmul"(%y, %v) : (tensor<4x64xf32>, tensor<64x96xf32>) -> tensor<4x96xf32>
  %4 = "graph.add"(%3, %c) : (tensor<4x96xf32>, tensor<96xf32>) -> tensor<4x96xf32>
  return %2, %4 : tensor<1x32x8x8xf32>, tensor<4x96xf32>
}
