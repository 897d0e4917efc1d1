// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-distribute --canonicalize --cse | filecheck %s

#shared = #gpu.address_space<workgroup>

// Blocks 2 down and 2 across. They meet when their barriers are made, and before one ends. A barrier of `empty` expects
// 4 warps of the block and of its two neighbours.
// CHECK-LABEL: llvm.func @both_0(
// Parts: 32 of 64 rows of the left operand, one of the two panels of the right one.
// CHECK-SAME: accel.tensor_maps = [{box = array<i64: 64, 32>, {{[^}]*}}parameter = 3 : i64, pointer = 0 : i64
// CHECK-SAME: {box = array<i64: 64, 64>, {{[^}]*}}parameter = 4 : i64, pointer = 1 : i64
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 2, 1>
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c12_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c12_i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// A lane for each block of the row and of the column, whose bit is set.
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK-NEXT: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank : i32
// CHECK-NEXT: %[[X:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
// CHECK-NEXT: %[[ROW:.*]] = arith.subi %[[RANK]], %[[X]]
// CHECK-NEXT: %[[DOWN:.*]] = arith.shli %c3_i32, %[[ROW]]
// CHECK: %[[Y:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.y : i32
// CHECK: %[[ACROSS:.*]] = arith.shli %c5_i32, %{{.*}}
// CHECK-NEXT: %[[TOLD:.*]] = arith.ori %[[DOWN]], %[[ACROSS]]
// CHECK-NEXT: %[[BITS:.*]] = arith.shrui %[[TOLD]], %[[LANE]]
// CHECK-NEXT: %[[BIT:.*]] = arith.andi %[[BITS]], %c1_i32
// CHECK-NEXT: %[[TELLS:.*]] = arith.cmpi ne, %[[BIT]], %c0_i32
// CHECK-NEXT: scf.if %[[TELLS]] {
// CHECK-NEXT: %[[REMOTE:.*]] = nvvm.mapa %{{.*}}, %[[LANE]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT: nvvm.mbarrier.arrive %[[REMOTE]] : !llvm.ptr<7>
// CHECK-NEXT: }
// All bytes of the tiles are expected, from any sender: 64x64 and 64x128 of 2 bytes.
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[SIGNAL:.*]], %c24576_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg3, %[[SIGNAL]], box[{{.*}}] multicast_mask = %{{.*}} :
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg4, %[[SIGNAL]], box[{{.*}}] multicast_mask = %{{.*}} :
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NEXT: llvm.return
// CHECK: gpu.launch_func @kernels::@both_0 clusters in (%c2, %c2, %c1) blocks in (%c4, %c4, %c1) threads in (%c256, %c1, %c1)
func.func @both(%a: memref<256x512xbf16>, %b: memref<512x512xbf16>, %c: memref<256x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<64x128xf32>
  "accel.launch"(%c4, %c4) ({
  ^bb0(%i: index, %j: index):
    %as = "accel.alloc"() {stages = 2 : i64, swizzle = 128 : i64} : () -> memref<2x64x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 2 : i64, swizzle = 128 : i64} : () -> memref<2x64x128xbf16, #shared>
    %full = "accel.create_semaphore"() {stages = 2 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    %empty = "accel.create_semaphore"() {stages = 2 : i64, arrivals = 3 : i64} : () -> !accel.semaphore
    %row = arith.muli %i, %c64 : index
    %column = arith.muli %j, %c128 : index
    "accel.specialize"() ({
      %end:2 = scf.for %k = %c0 to %c512 step %c64 iter_args(%stage = %c0, %phase = %c1) -> (index, index) {
        "accel.await"(%empty, %stage, %phase) : (!accel.semaphore, index, index) -> ()
        %a_here = memref.subview %as[%stage, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xbf16, #shared> to memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>
        %b_here = memref.subview %bs[%stage, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xbf16, #shared> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #shared>
        %ta = "accel.copy"(%a, %a_here, %row, %k) {multicast = 1 : i64} : (memref<256x512xbf16>, memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>, index, index) -> !accel.token
        %tb = "accel.copy"(%b, %b_here, %k, %column) {multicast = 0 : i64} : (memref<512x512xbf16>, memref<64x128xbf16, strided<[128, 1], offset: ?>, #shared>, index, index) -> !accel.token
        "accel.notify"(%full, %stage, %ta, %tb) : (!accel.semaphore, index, !accel.token, !accel.token) -> ()
        %next = arith.xori %stage, %c1 : index
        %wraps = arith.cmpi eq, %next, %c0 : index
        %other = arith.xori %phase, %c1 : index
        %after = arith.select %wraps, %other, %phase : index
        scf.yield %next, %after : index, index
      }
    }, {
      %sum:3 = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start, %stage = %c0, %phase = %c0) -> (vector<64x128xf32>, index, index) {
        "accel.await"(%full, %stage, %phase) : (!accel.semaphore, index, index) -> ()
        %a_here = memref.subview %as[%stage, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xbf16, #shared> to memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>
        %b_here = memref.subview %bs[%stage, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xbf16, #shared> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #shared>
        %new = "accel.mma"(%a_here, %b_here, %old) {precision = "exact"}
            : (memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>, memref<64x128xbf16, strided<[128, 1], offset: ?>, #shared>, vector<64x128xf32>)
            -> vector<64x128xf32>
        "accel.notify"(%empty, %stage) {multicast = array<i64: 0, 1>} : (!accel.semaphore, index) -> ()
        %next = arith.xori %stage, %c1 : index
        %wraps = arith.cmpi eq, %next, %c0 : index
        %other = arith.xori %phase, %c1 : index
        %after = arith.select %wraps, %other, %phase : index
        scf.yield %new, %next, %after : vector<64x128xf32>, index, index
      }
      vector.transfer_write %sum#0, %c[%row, %column] : vector<64x128xf32>, memref<256x512xf32>
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {cluster = array<i64: 2, 2>, warps = 4 : i64} : (index, index) -> ()
  return
}
