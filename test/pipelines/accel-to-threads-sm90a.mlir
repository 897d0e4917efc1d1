// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-to-threads | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(tloop-set-target{target=cuda:sm_90a},accel-to-threads, gpu.module(canonicalize, cse, convert-scf-to-cf, convert-to-llvm, convert-nvvm-to-llvm, reconcile-unrealized-casts, canonicalize, cse))" \
// RUN:   | mlc-translate --mlir-to-ptx --gpu-arch=sm_90a \
// RUN:   | filecheck %s --check-prefix=PTX

#shared = #gpu.address_space<workgroup>

// A product is in flight when the stage before it is given back, and none after the loop.
// Launches overlap: consumers and the producers' thread wait for the kernel before.
// CHECK: llvm.func @product_0(
// CHECK-SAME: accel.overlap_launches
// CHECK-SAME: accel.shared_bytes = 73776 : i32
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK: nvvm.griddepcontrol wait
// CHECK-NEXT: scf.for
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT: wgmma.wait_group
// CHECK: scf.if
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: nvvm.mbarrier.arrive
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
// The result, 32 KB, goes to where the right operand was.
// CHECK: nvvm.barrier id
// CHECK: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier id
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: } else {
// CHECK: nvvm.elect.sync
// CHECK: nvvm.griddepcontrol wait
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: gpu.launch_func @kernels::@product_0 blocks in (%c8, %c4, %c1) threads in (%c256, %c1, %c1) dynamic_shared_memory_size %c73776_i32

// PTX: .target sm_90a
// PTX: .visible .entry product_0(
// PTX: .param .align 64 .b8 product_0_param_3[128],
// PTX: .param .align 64 .b8 product_0_param_4[128],
// PTX: .param .align 64 .b8 product_0_param_5[128]
// PTX: .reqntid 256
// PTX: griddepcontrol.launch_dependents;
// PTX-COUNT-6: mbarrier.init.shared
// PTX: griddepcontrol.wait;
// PTX: wgmma.fence.sync.aligned
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTX: wgmma.commit_group.sync.aligned
// PTX: wgmma.wait_group.sync.aligned 1
// PTX-NOT: st.global
// PTX: griddepcontrol.wait;
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global
// PTX: bar.sync 1, 128;
// PTX-COUNT-32: st.shared.v2.b32
// PTX: fence.proxy.async.shared::cta
// PTX-NEXT: bar.sync 1, 128;
// PTX-COUNT-4: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// PTX: cp.async.bulk.wait_group.read
func.func private @product(%a: memref<512x512xbf16>, %b: memref<512x512xbf16>, %c: memref<512x512xf32>) attributes {tloop.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<64x128xf32>
  "accel.launch"(%c8, %c4) ({
  ^bb0(%i: index, %j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x128xbf16, #shared>
    %row = arith.muli %i, %c64 : index
    %column = arith.muli %j, %c128 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<64x128xf32> {
      %ta = "accel.copy"(%a, %as, %row, %k) : (memref<512x512xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %column) : (memref<512x512xbf16>, memref<64x128xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x64xbf16, #shared>, memref<64x128xbf16, #shared>, vector<64x128xf32>) -> vector<64x128xf32>
      scf.yield %new : vector<64x128xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%row, %column] : vector<64x128xf32>, memref<512x512xf32>
  }) {warps = 4 : i64} : (index, index) -> ()
  return
}
