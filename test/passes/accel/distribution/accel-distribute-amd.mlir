// RUN: mlc-opt %s --pass-pipeline="builtin.module(tloop-set-target{target=hip:gfx90a},accel-distribute, canonicalize, cse)" --split-input-file | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(tloop-set-target{target=hip:gfx942},accel-distribute, canonicalize, cse)" --split-input-file | filecheck %s --check-prefix=NEWER

#shared = #gpu.address_space<workgroup>

// One warp of the launch is a wavefront of 64 threads. Pieces of 16 bytes are loaded, and stored as words, with zeros
// for those outside of the memory. Both operands are read 8 numbers of the reduction at a time, which are those of two
// instructions; the right one comes first.
// CHECK-LABEL: llvm.func @f16_0(
// CHECK-SAME: accel.shared_bytes = 2048 : i32, gpu.kernel, rocdl.flat_work_group_size = "64,64", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 64, 1, 1>}
// CHECK: %[[THREAD:.*]] = rocdl.workitem.id.x : i32
// CHECK: %[[BLOCK:.*]] = rocdl.workgroup.id.x : i32
// CHECK: %[[LOADED:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: %[[PIECE:.*]] = arith.select %{{.*}}, %[[LOADED]], %cst{{.*}} : vector<4xi32>
// CHECK: llvm.store %[[PIECE]], %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: rocdl.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK: %[[S0:.*]] = rocdl.mfma.f32.16x16x16f16 %[[B0:.*]], %[[A0:.*]], %{{.*}}, 0, 0, none
// CHECK: rocdl.mfma.f32.16x16x16f16 %{{.*}}, %{{.*}}, %[[S0]], 0, 0, none
// CHECK-NOT: rocdl.mfma
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: gpu.launch_func {{.*}} threads in (%c64, %c1, %c1)
func.func @f16(%a: memref<64x72xf16>, %b: memref<16x72xf16>, %c: memref<16x16xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %at = arith.muli %i, %c32 : index
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<16x32xf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<16x32xf16, #shared>
    %start = arith.constant dense<0.0> : vector<16x16xf32>
    %ta = "accel.copy"(%a, %as, %c0, %at) : (memref<64x72xf16>, memref<16x32xf16, #shared>, index, index) -> !accel.token
    %tb = "accel.copy"(%b, %bs, %c0, %at) : (memref<16x72xf16>, memref<16x32xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact", transpose_b} : (memref<16x32xf16, #shared>, memref<16x32xf16, #shared>, vector<16x16xf32>) -> vector<16x16xf32>
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// gfx942 takes twice the reduction of gfx90a, 8 numbers of a lane in 64 bits.
// CHECK-LABEL: llvm.func @int8_0(
// CHECK-COUNT-2: rocdl.mfma.i32.16x16x16i8 %{{.*}}, %{{.*}}, %{{.*}}, 0, 0, none : (i32, i32, vector<4xi32>) -> vector<4xi32>
// CHECK-NOT: rocdl.mfma
// NEWER-LABEL: llvm.func @int8_0(
// NEWER: rocdl.mfma.i32.16x16x32.i8 %{{.*}}, %{{.*}}, %{{.*}}, 0, 0, none : (i64, i64, vector<4xi32>) -> vector<4xi32>
// NEWER-NOT: rocdl.mfma
func.func @int8(%c: memref<16x16xi32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x32xi8, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<32x16xi8, #shared>
    %start = arith.constant dense<0> : vector<16x16xi32>
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact"} : (memref<16x32xi8, #shared>, memref<32x16xi8, #shared>, vector<16x16xi32>) -> vector<16x16xi32>
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xi32>, memref<16x16xi32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Operands are rounded to 10 bits of mantissa; gfx90a multiplies them as f32.
// CHECK-LABEL: llvm.func @tf32_0(
// CHECK: arith.addi %{{.*}}, %c4096_i32
// CHECK-NEXT: arith.andi %{{.*}}, %c-8192_i32
// CHECK-NEXT: arith.cmpf uno
// CHECK-COUNT-2: rocdl.mfma.f32.16x16x4f32
// CHECK-NOT: rocdl.mfma
// NEWER-LABEL: llvm.func @tf32_0(
// NEWER: arith.addi %{{.*}}, %c4096_i32
// NEWER: rocdl.mfma.f32.16x16x8.xf32 %{{.*}} : (vector<2xf32>, vector<2xf32>, vector<4xf32>) -> vector<4xf32>
// NEWER-NOT: rocdl.mfma
func.func @tf32(%c: memref<16x16xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x8xf32, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<8x16xf32, #shared>
    %start = arith.constant dense<0.0> : vector<16x16xf32>
    %sum = "accel.mma"(%as, %bs, %start) {precision = "tf32"} : (memref<16x8xf32, #shared>, memref<8x16xf32, #shared>, vector<16x16xf32>) -> vector<16x16xf32>
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// 8 columns are too few for an instruction.
// CHECK-LABEL: llvm.func @multiply_adds_0(
// CHECK-NOT: rocdl.mfma
// CHECK: math.fma
// CHECK-NOT: rocdl.mfma
// CHECK: llvm.return
func.func @multiply_adds(%c: memref<16x8xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x16xf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x8xf16, #shared>
    %start = arith.constant dense<0.0> : vector<16x8xf32>
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact"} : (memref<16x16xf16, #shared>, memref<16x8xf16, #shared>, vector<16x8xf32>) -> vector<16x8xf32>
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// A row per wavefront: lanes exchange values with those whose ids differ in one bit, the lowest first.
// CHECK-LABEL: llvm.func @between_lanes_0(
// CHECK: %[[THREAD:.*]] = rocdl.workitem.id.x : i32
// CHECK: %[[O1:.*]] = rocdl.update.dpp %[[S0:.*]], %[[S0]] with 177, 15, 15, true : i32
// CHECK: %[[O2:.*]] = rocdl.update.dpp %[[S1:.*]], %[[S1]] with 78, 15, 15, true : i32
// CHECK: rocdl.ds_swizzle %{{.*}}, %c4127_i32
// CHECK: %[[O8:.*]] = rocdl.update.dpp %[[S8:.*]], %[[S8]] with 296, 15, 15, true : i32
// CHECK: rocdl.ds_swizzle %{{.*}}, %c16415_i32
// CHECK: %[[OTHER:.*]] = arith.xori %[[THREAD]], %c32_i32
// CHECK-NEXT: %[[BYTES:.*]] = arith.muli %[[OTHER]], %c4_i32
// CHECK-NEXT: rocdl.ds_bpermute %[[BYTES]],
// CHECK-NOT: rocdl.barrier
// CHECK: llvm.return
func.func @between_lanes(%x: memref<2x256xi32>, %y: memref<2xi32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %none = arith.constant 0 : i32
    %start = arith.constant dense<0> : vector<2xi32>
    %v = vector.transfer_read %x[%c0, %c0], %none {in_bounds = [true, true]} : memref<2x256xi32>, vector<2x256xi32>
    %sum = vector.multi_reduction <add>, %v, %start [1] : vector<2x256xi32> to vector<2xi32>
    vector.transfer_write %sum, %y[%c0] {in_bounds = [true]} : vector<2xi32>, memref<2xi32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}
