// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --accel-distribute --canonicalize --cse --split-input-file | filecheck %s

// Bytes are loaded, and made f32 by arithmetic of integers.
// CHECK-LABEL: llvm.func @widened_0(
// CHECK: %[[BYTES:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<16xi8>
// CHECK: %[[BYTE:.*]] = llvm.extractelement %[[BYTES]][%c0_i32 : i32]
// CHECK: %[[WIDE:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK: arith.andi %[[WIDE]], %c127_i32
// CHECK-NOT: f8E
// CHECK: llvm.return
func.func @widened(%x: memref<128xf8E4M3FN>, %y: memref<128xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f8E4M3FN
    %v = vector.transfer_read %x[%c0], %none {in_bounds = [true]} : memref<128xf8E4M3FN>, vector<128xf8E4M3FN>
    %w = arith.extf %v : vector<128xf8E4M3FN> to vector<128xf32>
    vector.transfer_write %w, %y[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Products are those of f16: a byte of f8E5M2 is the upper half of one.
// CHECK-LABEL: llvm.func @product_0(
// CHECK: %[[BYTES:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> vector<2xi8>
// CHECK: arith.extui %{{.*}} : i8 to i16
// CHECK: arith.shli %{{.*}}, %c8_i16 : i16
// CHECK: arith.bitcast %{{.*}} : i16 to f16
// CHECK: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>{{.*}} : (vector<2xf16>, vector<2xf16>, f32)
func.func @product(%x: memref<16x16xf8E5M2>, %y: memref<16x8xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f8E5M2
    %a = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x16xf8E5M2, #gpu.address_space<workgroup>>
    %b = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<8x16xf8E5M2, #gpu.address_space<workgroup>>
    %t = "accel.copy"(%x, %a, %c0, %c0) : (memref<16x16xf8E5M2>, memref<16x16xf8E5M2, #gpu.address_space<workgroup>>, index, index) -> !accel.token
    %u = "accel.copy"(%x, %b, %c0, %c0) : (memref<16x16xf8E5M2>, memref<8x16xf8E5M2, #gpu.address_space<workgroup>>, index, index) -> !accel.token
    "accel.wait"(%t, %u) : (!accel.token, !accel.token) -> ()
    %start = arith.constant dense<0.0> : vector<16x8xf32>
    %p = "accel.mma"(%a, %b, %start) {precision = "exact", transpose_b}
        : (memref<16x16xf8E5M2, #gpu.address_space<workgroup>>, memref<8x16xf8E5M2, #gpu.address_space<workgroup>>, vector<16x8xf32>) -> vector<16x8xf32>
    vector.transfer_write %p, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Bytes in registers already.
// CHECK-LABEL: llvm.func @bits
// CHECK-NOT: bitcast
// CHECK: llvm.store %{{.*}} : vector<{{[0-9]+}}xi8>
func.func @bits(%n: index, %x: memref<512xi8>, %y: memref<512xf8E5M2>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i8
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%c0], %none {in_bounds = [true]} : memref<512xi8>, vector<512xi8>
    %w = arith.bitcast %v : vector<512xi8> to vector<512xf8E5M2>
    vector.transfer_write %w, %y[%c0] {in_bounds = [true]} : vector<512xf8E5M2>, memref<512xf8E5M2>
  }) {warps = 1 : i64} : (index) -> ()
  return
}
