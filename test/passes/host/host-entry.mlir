// RUN: mlc-opt %s --host-plan-memory --host-entry --canonicalize --cse | filecheck %s

#first_1_of_24 = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>
#first_2_of_24 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Kernels are declared, not part of the module: they are compiled separately.
// CHECK-NOT: func.func
// CHECK-DAG: llvm.func @k(!llvm.ptr, !llvm.ptr){{$}}
// CHECK-DAG: llvm.func @add(!llvm.ptr, !llvm.ptr){{$}}
// CHECK-LABEL: llvm.func @mlc_main(%arg0: !llvm.ptr, %arg1: !llvm.ptr)
// One array of pointers, as long as the longest launch.
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(3 : i64)
// CHECK-NEXT: %[[FRAME:.*]] = llvm.alloca %[[COUNT]] x !llvm.ptr
// CHECK-NOT: llvm.alloca
// The input is the first buffer, the arena the last of six; both are loaded once.
// CHECK-NEXT: %[[IN:.*]] = llvm.load %arg0
// CHECK-NEXT: %[[SLOT:.*]] = llvm.getelementptr %arg0[5]
// CHECK-NEXT: %[[ARENA:.*]] = llvm.load %[[SLOT]]
// CHECK-NEXT: llvm.store %[[IN]], %[[FRAME]]
// CHECK-NEXT: %[[SECOND:.*]] = llvm.getelementptr %[[FRAME]][1]
// CHECK-NEXT: llvm.store %[[ARENA]], %[[SECOND]]
// CHECK-NEXT: llvm.call @k(%[[FRAME]], %arg1)
// CHECK: %[[B:.*]] = llvm.getelementptr %[[ARENA]][64] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.store %[[ARENA]], %[[FRAME]]
// CHECK: %[[WEIGHT_SLOT:.*]] = llvm.getelementptr %arg0[3]
// CHECK-NEXT: %[[WEIGHT:.*]] = llvm.load %[[WEIGHT_SLOT]]
// CHECK: llvm.store %[[WEIGHT]]
// CHECK: llvm.store %[[B]]
// CHECK: llvm.call @add(%[[FRAME]], %arg1)
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @mlc_prepare
// CHECK: llvm.call @k
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
