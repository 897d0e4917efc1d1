// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(accel-to-cpu),canonicalize)' --split-input-file | filecheck %s

#shared = #gpu.address_space<workgroup>

// A matmul: a loop over thread blocks, buffers, copies of elements within bounds, and loop-carried accumulators.
// Attributes for GPUs are dropped.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[A:.*]]: memref<?x200xf16>, %[[B:.*]]: memref<90x200xf16>
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (%{{.*}}, 3) {
// CHECK-NEXT: %[[AS:.*]] = memref.alloc() : memref<32x16xf16>
// CHECK-NEXT: %[[BS:.*]] = memref.alloc() : memref<32x16xf16>
// CHECK: %[[FILLED:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<32x32xf32>)
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} iter_args(%[[OLD:.*]] = %[[FILLED]]) -> (tensor<32x32xf32>) {
// CHECK-NEXT: linalg.fill ins(%{{.*}} : f16) outs(%[[AS]] : memref<32x16xf16>)
// CHECK-NEXT: %[[BEFORE:.*]] = arith.subi %c0, %[[ROW:.*]] : index
// CHECK-NEXT: %[[FIRST:.*]] = arith.maxsi %[[BEFORE]], %c0 : index
// CHECK-NEXT: %[[M:.*]] = memref.dim %[[A]], %c0
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[M]], %[[ROW]] : index
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[LEFT]], %c32 : index
// CHECK: scf.for %[[R:.*]] = %[[FIRST]] to %[[END]] step %c1 {
// CHECK-NEXT: scf.for %[[S:.*]] =
// CHECK-NEXT: %[[X:.*]] = arith.addi %[[ROW]], %[[R]] : index
// CHECK-NEXT: %[[Y:.*]] = arith.addi %[[K]], %[[S]] : index
// CHECK-NEXT: %[[NUMBER:.*]] = memref.load %[[A]][%[[X]], %[[Y]]]
// CHECK-NEXT: memref.store %[[NUMBER]], %[[AS]][%[[R]], %[[S]]]
// CHECK: linalg.fill ins(%{{.*}} : f16) outs(%[[BS]]
// CHECK: %[[TA:.*]] = bufferization.to_tensor %[[AS]] restrict :
// CHECK-NEXT: %[[TB:.*]] = bufferization.to_tensor %[[BS]] restrict :
// CHECK-NEXT: %[[NEW:.*]] = linalg.contract {{.*}} ins(%[[TA]], %[[TB]] : {{.*}}) outs(%[[OLD]] : tensor<32x32xf32>)
// CHECK-NEXT: scf.yield %[[NEW]]
// CHECK-NEXT: }
// CHECK-NOT: accel
// CHECK: scf.for
// CHECK: %[[ELEMENT:.*]] = tensor.extract %[[SUM]]
// CHECK-NEXT: memref.store %[[ELEMENT]], %{{.*}} : memref<?x90xf32>
func.func @product(%a: memref<?x200xf16>, %b: memref<90x200xf16>, %c: memref<?x90xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c200 = arith.constant 200 : index
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  "accel.launch"(%rows, %c3) ({
  ^bb0(%i: index, %j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 32 : i64} : () -> memref<32x16xf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 32 : i64} : () -> memref<32x16xf16, #shared>
    %row = arith.muli %i, %c32 : index
    %column = arith.muli %j, %c32 : index
    %sum = scf.for %k = %c0 to %c200 step %c16 iter_args(%old = %zero) -> vector<32x32xf32> {
      %ta = "accel.copy"(%a, %as, %row, %k) : (memref<?x200xf16>, memref<32x16xf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %column, %k) {multicast = 0 : i64} : (memref<90x200xf16>, memref<32x16xf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact", transpose_b} : (memref<32x16xf16, #shared>, memref<32x16xf16, #shared>, vector<32x32xf32>) -> vector<32x32xf32>
      scf.yield %new : vector<32x32xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%row, %column] : vector<32x32xf32>, memref<?x90xf32>
  }) {cluster = array<i64: 2, 1>, warps = 4 : i64} : (index, index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Groups of copies have ended too; a copy to global memory writes only elements within bounds.
// CHECK-LABEL: func.func @groups
// CHECK: %[[RING:.*]] = memref.alloc() : memref<4x32x64xf16>
// CHECK: %[[TILE:.*]] = memref.subview %[[RING]]{{.*}} to memref<32x64xf16, strided<[64, 1], offset: ?>>
// CHECK-NOT: linalg.fill
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK-NEXT: scf.for %[[R:.*]] =
// CHECK-NEXT: scf.for %[[S:.*]] =
// CHECK: %[[NUMBER:.*]] = memref.load %[[TILE]][%[[R]], %[[S]]]
// CHECK-NEXT: memref.store %[[NUMBER]], %{{.*}} : memref<2x512x512xf16>
// CHECK-NOT: accel
// CHECK: return
func.func @groups(%a: memref<2x512x512xf16>, %stage: index) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 4 : i64, swizzle = 0 : i64} : () -> memref<4x32x64xf16, #shared>
    %tile = memref.subview %as[%stage, 0, 0] [1, 32, 64] [1, 1, 1] : memref<4x32x64xf16, #shared> to memref<32x64xf16, strided<[64, 1], offset: ?>, #shared>
    %t = "accel.copy"(%tile, %a, %stage, %stage, %i) : (memref<32x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<2x512x512xf16>, index, index, index) -> !accel.token
    "accel.commit"(%t) : (!accel.token) -> ()
    "accel.commit"() : () -> ()
    "accel.wait_groups"() {pending = 1 : i64} : () -> ()
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Operands of tf32 are rounded to 10 bits of mantissa before they are multiplied, unsigned ones widened.
// CHECK-LABEL: func.func @operands
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<16x8xf32>)
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X:.*]] : f32 to i32
// CHECK: arith.andi %{{.*}}, %c-8192_i32 : i32
// CHECK: arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8x16xf32>)
// CHECK: linalg.contract {{.*}} ins(%[[A]], %[[B]] : tensor<16x8xf32>, tensor<8x16xf32>)
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: linalg.contract {{.*}} ins(%{{.*}} : tensor<16x8xi32>, tensor<8x16xi32>) outs(%{{.*}} : tensor<16x16xi32>)
func.func @operands(%n: index, %a: memref<16x8xf32>, %b: memref<8x16xf32>, %c: memref<16x16xf32>, %d: memref<16x8xi8>, %e: memref<8x16xi8>, %f: memref<16x16xi32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %zero = arith.constant dense<0.0> : vector<16x16xf32>
    %va = vector.transfer_read %a[%c0, %c0], %none : memref<16x8xf32>, vector<16x8xf32>
    %vb = vector.transfer_read %b[%c0, %c0], %none : memref<8x16xf32>, vector<8x16xf32>
    %r = "accel.mma"(%va, %vb, %zero) {precision = "tf32"} : (vector<16x8xf32>, vector<8x16xf32>, vector<16x16xf32>) -> vector<16x16xf32>
    vector.transfer_write %r, %c[%c0, %c0] : vector<16x16xf32>, memref<16x16xf32>
    %ds = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x8xi8, #gpu.address_space<workgroup>>
    %es = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<8x16xi8, #gpu.address_space<workgroup>>
    %td = "accel.copy"(%d, %ds, %c0, %c0) : (memref<16x8xi8>, memref<16x8xi8, #gpu.address_space<workgroup>>, index, index) -> !accel.token
    %te = "accel.copy"(%e, %es, %c0, %c0) : (memref<8x16xi8>, memref<8x16xi8, #gpu.address_space<workgroup>>, index, index) -> !accel.token
    "accel.wait"(%td, %te) : (!accel.token, !accel.token) -> ()
    %start = arith.constant dense<0> : vector<16x16xi32>
    %s = "accel.mma"(%ds, %es, %start) {precision = "exact", unsigned_a, unsigned_b}
        : (memref<16x8xi8, #gpu.address_space<workgroup>>, memref<8x16xi8, #gpu.address_space<workgroup>>, vector<16x16xi32>) -> vector<16x16xi32>
    vector.transfer_write %s, %f[%c0, %c0] : vector<16x16xi32>, memref<16x16xi32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}
