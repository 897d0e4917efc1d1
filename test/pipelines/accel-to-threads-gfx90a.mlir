// RUN: mlc-opt %s --tloop-set-target=target=hip:gfx90a --accel-to-threads | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(tloop-set-target{target=hip:gfx90a},accel-to-threads, amdgpu-to-llvm)" \
// RUN:   | mlc-translate --mlir-to-amdgcn --gpu-arch=gfx90a \
// RUN:   | filecheck %s --check-prefix=CODE

#shared = #gpu.address_space<workgroup>

// A pipelined loop: two stages of 12 KB each, a barrier per iteration, which is that of the wait. What the next
// iteration needs is loaded before this one computes, and stored after it.
// CHECK: llvm.func @product_0(
// CHECK-SAME: accel.shared_bytes = 24576 : i32
// CHECK: scf.for
// CHECK-NEXT: rocdl.barrier
// CHECK-NOT: scf.if
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: rocdl.sched.barrier none
// CHECK: rocdl.mfma.f32.16x16x16bf16.1k
// CHECK: rocdl.sched.barrier none
// CHECK-NOT: scf.if
// CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: scf.yield
// CHECK-NOT: rocdl.barrier
// CHECK: func.func private @product(
// CHECK-NOT: accel.launch
// CHECK: gpu.launch_func @kernels::@product_0 blocks in (%c8, %c4, %c1) threads in (%c128, %c1, %c1) dynamic_shared_memory_size %c24576_i32

// Of two wavefronts each has 64x64 of the result: 16 instructions for each of 2 steps of the reduction.
// CODE: .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
// CODE: product_0:
// CODE: global_load_dwordx4
// CODE: ds_write_b128
// CODE: s_barrier
// CODE: ds_read
// CODE-COUNT-32: v_mfma_f32_16x16x16bf16_1k
// CODE-NOT: v_mfma
// CODE: global_store_dwordx4
// CODE: s_endpgm
// CODE: .vgpr_spill_count: 0
func.func private @product(%a: memref<512x512xbf16>, %b: memref<512x512xbf16>, %c: memref<512x512xf32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<64x128xf32>
  "accel.launch"(%c8, %c4) ({
  ^bb0(%i: index, %j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x128xbf16, #shared>
    %row = arith.muli %i, %c64 : index
    %column = arith.muli %j, %c128 : index
    %sum = scf.for %k = %c0 to %c512 step %c32 iter_args(%old = %start) -> vector<64x128xf32> {
      %ta = "accel.copy"(%a, %as, %row, %k) : (memref<512x512xbf16>, memref<64x32xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %column) : (memref<512x512xbf16>, memref<32x128xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x32xbf16, #shared>, memref<32x128xbf16, #shared>, vector<64x128xf32>) -> vector<64x128xf32>
      scf.yield %new : vector<64x128xf32>
    } {accel.stages = 2 : i64}
    vector.transfer_write %sum, %c[%row, %column] : vector<64x128xf32>, memref<512x512xf32>
  }) {warps = 4 : i64} : (index, index) -> ()
  return
}
