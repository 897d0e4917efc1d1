// RUN: mlc-opt %s --host-entry --canonicalize --cse | filecheck %s

#first_2_of_25 = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>

// Transfers that overlap with kernels are calls of the runtime, each with separate memory.
// CHECK-DAG: llvm.func @mlc_transfer_start(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64){{$}}
// CHECK-DAG: llvm.func @mlc_transfer_wait(!llvm.ptr){{$}}
// CHECK-LABEL: llvm.func @mlc_main
// CHECK-DAG: %[[WORDS:.*]] = llvm.mlir.constant(10 : i64)
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[FIRST:.*]] = llvm.alloca %[[WORDS]] x i64
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[FIRST]][5] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: %[[X:.*]] = llvm.load %arg0
// CHECK: llvm.call @mlc_transfer_start(%[[FIRST]], %[[A:.*]], %[[X]], %[[BYTES]])
// CHECK: %[[Y:.*]] = llvm.load
// CHECK: llvm.call @k
// CHECK: %[[Z:.*]] = llvm.load
// CHECK: llvm.call @mlc_transfer_start(%[[SECOND]], %[[Z]], %[[Y]], %[[BYTES]])
// CHECK: llvm.call @mlc_transfer_wait(%[[FIRST]])
// CHECK: llvm.call @k
// CHECK: llvm.call @mlc_transfer_wait(%[[SECOND]])
// CHECK-NEXT: llvm.return
func.func private @k(%a: tensor<16xf32>) -> tensor<16xf32> attributes {tloop.kernel} {
  return %a : tensor<16xf32>
}
func.func @main(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xf32>, %arena: memref<128xi8>) {
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %b = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %a = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  %0 = gpu.memcpy async %a, %x : memref<16xf32>, memref<16xf32> {tloop.transfer = "accel"}
  "tloop.launch_into"(%x, %y) {kernel = @k, num_outputs = 1 : i64, operandSegmentSizes = #first_2_of_25} : (memref<16xf32>, memref<16xf32>) -> ()
  %1 = gpu.memcpy async %z, %y : memref<16xf32>, memref<16xf32> {tloop.transfer = "host"}
  gpu.wait [%0]
  "tloop.launch_into"(%a, %b) {kernel = @k, num_outputs = 1 : i64, operandSegmentSizes = #first_2_of_25} : (memref<16xf32>, memref<16xf32>) -> ()
  gpu.wait [%1]
  return
}
