// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --accel-to-threads | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(tloop-set-target{target=cuda:sm_80},accel-to-threads, gpu.module(canonicalize, cse, convert-scf-to-cf, convert-to-llvm, convert-nvvm-to-llvm, reconcile-unrealized-casts, canonicalize, cse))" \
// RUN:   | mlc-translate --mlir-to-ptx --gpu-arch=sm_80 \
// RUN:   | filecheck %s --check-prefix=PTX

#shared = #gpu.address_space<workgroup>

// A pipelined loop: two stages of 12 KB each, a barrier per iteration, which is that of the wait.
// CHECK: llvm.func @product_0(
// CHECK-SAME: accel.shared_bytes = 24576 : i32
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier
// CHECK: scf.if
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: } else {
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK: nvvm.ldmatrix
// CHECK: nvvm.mma.sync
// CHECK-NOT: nvvm.barrier
// CHECK: func.func private @product(
// CHECK-NOT: accel.launch
// CHECK: gpu.launch_func @kernels::@product_0 blocks in (%c8, %c4, %c1) threads in (%c128, %c1, %c1) dynamic_shared_memory_size %c24576_i32

// A warp has 32x64 of the result: for each of 2 steps it reads 2 pieces of 16x16 from the left operand and 4 from the
// right one, for 16 products. The loop's head, with the wait and the copies, comes after its body.
// PTX: .target sm_80
// PTX: .extern .shared .align 1024 .b8 shared_memory[];
// PTX: .visible .entry product_0(
// PTX: .reqntid 128
// PTX-COUNT-6: cp.async.cg.shared.global
// PTX: cp.async.commit_group
// PTX: cp.async.commit_group
// PTX-COUNT-2: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// PTX-COUNT-16: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX-COUNT-6: ldmatrix.sync.aligned.m8n8.x4
// PTX-COUNT-16: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX-NOT: mma.sync
// PTX: cp.async.wait_group
// PTX: bar.sync
// PTX-COUNT-6: cp.async.cg.shared.global
// PTX: st.global.v2
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
