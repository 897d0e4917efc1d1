// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --accel-distribute --canonicalize --cse --split-input-file | filecheck %s

#shared = #gpu.address_space<workgroup>

// Copies of 16 bytes, of which those out of bounds read nothing and write zeros. Chunks of a swizzled row are
// permuted by the row's index, in copies and in reads. Half of the threads have no chunk of the right operand.
// CHECK-LABEL: llvm.func @bf16_0(
// CHECK-SAME: %[[A:.*]]: !llvm.ptr<1>, %[[B:.*]]: !llvm.ptr<1>, %[[C:.*]]: !llvm.ptr<1>) attributes {accel.shared_bytes = 768 : i32,
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @shared_memory
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[RIGHT:.*]] = llvm.getelementptr %[[SHARED]][512] {{.*}}, i8
// CHECK-NEXT: %[[ROW:.*]] = arith.shrui %[[THREAD]], %c1_i32
// CHECK-NEXT: %[[ODD:.*]] = arith.andi %[[THREAD]], %c1_i32
// CHECK-NEXT: %[[COLUMN:.*]] = arith.muli %[[ODD]], %c8_i32
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %[[COLUMN]], %c64_i32
// CHECK: %[[COLUMN_IN:.*]] = arith.cmpi ult, %[[PLACE]], %c72_i32
// CHECK-NEXT: %[[IN:.*]] = arith.andi %{{.*}}, %[[COLUMN_IN]]
// CHECK-NEXT: %[[LINE:.*]] = arith.muli %[[ROW]], %c72_i32
// CHECK-NEXT: %[[FROM:.*]] = arith.addi %[[LINE]], %[[PLACE]]
// CHECK-NEXT: %[[POINTER:.*]] = llvm.getelementptr %[[A]][%[[FROM]]]
// CHECK-NEXT: %[[SAFE:.*]] = arith.select %[[IN]], %[[POINTER]], %[[A]]
// CHECK-NEXT: %[[BYTES:.*]] = arith.select %[[IN]], %c16_i32, %c0_i32
// CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %c2_i32
// CHECK-NEXT: %[[QUARTER:.*]] = arith.shrui %[[ROW]], %c2_i32
// CHECK-NEXT: %[[TURN:.*]] = arith.andi %[[QUARTER]], %c1_i32
// CHECK-NEXT: %[[TURN16:.*]] = arith.muli %[[TURN]], %c16_i32
// CHECK-NEXT: arith.xori %[[OFFSET]], %[[TURN16]]
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[SHARED]][%{{.*}}] {{.*}}, i8
// CHECK-NEXT: nvvm.cp.async.shared.global %[[TO]], %[[SAFE]], 16, cache = cg, %[[BYTES]]
// CHECK-NEXT: %[[COPY:.*]] = arith.andi %[[THREAD]], %c16_i32
// CHECK-NEXT: %[[ONCE:.*]] = arith.cmpi eq, %[[COPY]], %c0_i32
// CHECK-NEXT: scf.if %[[ONCE]] {
// CHECK: llvm.getelementptr %[[B]]
// CHECK: llvm.getelementptr %[[RIGHT]]
// CHECK-NEXT: nvvm.cp.async.shared.global
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: %[[MROW:.*]] = arith.andi %[[THREAD]], %c15_i32
// CHECK: %[[MQUARTER:.*]] = arith.shrui %[[MROW]], %c2_i32
// CHECK-NEXT: %[[MTURN:.*]] = arith.andi %[[MQUARTER]], %c1_i32
// CHECK-NEXT: %[[MTURN16:.*]] = arith.muli %[[MTURN]], %c16_i32
// CHECK-NEXT: arith.xori %{{.*}}, %[[MTURN16]]
// CHECK: nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK: %[[KPLACE:.*]] = arith.muli %[[MROW]], %c8_i32
// CHECK-NEXT: %[[KROW:.*]] = llvm.getelementptr %[[RIGHT]][%[[KPLACE]]]
// CHECK-NEXT: nvvm.ldmatrix %[[KROW]] {{{.*}}layout = #nvvm.mma_layout<col>, num = 2 : i32
// CHECK: %[[SUMS:.*]] = nvvm.mma.sync A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[%[[ZERO:.*]], %[[ZERO]], %[[ZERO]], %[[ZERO]]] {{{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
// CHECK-NEXT: llvm.extractvalue %[[SUMS]][0]
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: gpu.launch_func {{.*}} dynamic_shared_memory_size %c768_i32
func.func @bf16(%a: memref<64x72xbf16>, %b: memref<72x8xbf16>, %c: memref<16x8xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 32 : i64} : () -> memref<16x16xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x8xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<16x8xf32>
    %ta = "accel.copy"(%a, %as, %c0, %c64) : (memref<64x72xbf16>, memref<16x16xbf16, #shared>, index, index) -> !accel.token
    %tb = "accel.copy"(%b, %bs, %c64, %c0) : (memref<72x8xbf16>, memref<16x8xbf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact"} : (memref<16x16xbf16, #shared>, memref<16x8xbf16, #shared>, vector<16x8xf32>) -> vector<16x8xf32>
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// A thread has 4 columns of a row, and a step of the reduction follows the other.
// CHECK-LABEL: llvm.func @multiply_adds_0(
// CHECK: %[[A:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NEXT: %[[A0:.*]] = llvm.extractelement %[[A]][%c0_i32 : i32]
// CHECK-NEXT: %[[A1:.*]] = llvm.extractelement %[[A]][%c1_i32 : i32]
// CHECK: %[[B0:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NEXT: %[[B00:.*]] = llvm.extractelement %[[B0]][%c0_i32 : i32]
// CHECK: %[[B1:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NEXT: %[[B10:.*]] = llvm.extractelement %[[B1]][%c0_i32 : i32]
// CHECK: %[[S0:.*]] = math.fma %[[A0]], %[[B00]], %cst : f32
// CHECK-COUNT-3: math.fma %[[A0]],
// CHECK: math.fma %[[A1]], %[[B10]], %[[S0]] : f32
// CHECK-COUNT-11: math.fma
// CHECK-NOT: math.fma
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
func.func @multiply_adds(%c: memref<8x16xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<8x4xf32, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<4x16xf32, #shared>
    %start = arith.constant dense<0.0> : vector<8x16xf32>
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact"} : (memref<8x4xf32, #shared>, memref<4x16xf32, #shared>, vector<8x16xf32>) -> vector<8x16xf32>
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xf32>, memref<8x16xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Operands are rounded to nearest before the tensor cores read them.
// CHECK-LABEL: llvm.func @tf32_0(
// CHECK-COUNT-6: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK: %[[A0:.*]] = nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK-NEXT: %[[A1:.*]] = nvvm.convert.float.to.tf32
// CHECK-NEXT: %[[A2:.*]] = nvvm.convert.float.to.tf32
// CHECK-NEXT: %[[A3:.*]] = nvvm.convert.float.to.tf32
// CHECK-NEXT: %[[B0:.*]] = nvvm.convert.float.to.tf32
// CHECK-NEXT: %[[B1:.*]] = nvvm.convert.float.to.tf32
// CHECK-NEXT: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B0]], %[[B1]]] {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>, {{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 8>}
func.func @tf32(%c: memref<16x8xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x8xf32, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<8x8xf32, #shared>
    %start = arith.constant dense<0.0> : vector<16x8xf32>
    %sum = "accel.mma"(%as, %bs, %start) {precision = "tf32"} : (memref<16x8xf32, #shared>, memref<8x8xf32, #shared>, vector<16x8xf32>) -> vector<16x8xf32>
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}
