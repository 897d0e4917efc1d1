// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-distribute --canonicalize --cse --split-input-file | filecheck %s

#shared = #gpu.address_space<workgroup>

// Tensor maps are the last parameters: boxes of as many columns as the swizzle permutes. A barrier of `full` expects
// the producers' thread and the bytes of both tiles, one of `empty` each of 8 warps.
// CHECK-LABEL: llvm.func @roles_0(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>, %arg2: !llvm.ptr<1>,
// CHECK-SAME: %arg3: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg4: !llvm.ptr {llvm.align
// CHECK-SAME: accel.shared_bytes = 24608 : i32
// CHECK-SAME: accel.tensor_maps = [{box = array<i64: 32, 64>, dims = array<i64: 512, 256>, dtype = "bfloat16", l2_promotion = 128 : i64, parameter = 3 : i64,
// CHECK-SAME: pointer = 0 : i64, steps = array<i64: 1, 1>, strides = array<i64: 1024>, swizzle = 64 : i64},
// CHECK-SAME: {box = array<i64: 64, 32>, dims = array<i64: 136, 512>, dtype = "bfloat16", l2_promotion = 128 : i64, parameter = 4 : i64, pointer = 1 : i64,
// CHECK-SAME: steps = array<i64: 1, 1>, strides = array<i64: 272>, swizzle = 128 : i64}]
// CHECK-SAME: nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384, 1, 1>
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @shared_memory
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[BS:.*]] = llvm.getelementptr %[[SHARED]][8192]
// CHECK-NEXT: %[[FULL:.*]] = llvm.getelementptr %[[SHARED]][24576]
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0_i32
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: nvvm.mbarrier.init %[[FULL]], %c1_i32
// CHECK-NEXT: %[[FULL1:.*]] = llvm.getelementptr %[[FULL]][8]
// CHECK-NEXT: nvvm.mbarrier.init %[[FULL1]], %c1_i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK-NEXT: }
// CHECK-NEXT: %[[EMPTY:.*]] = llvm.getelementptr %[[SHARED]][24592]
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY]], %c8_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c8_i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK-NEXT: nvvm.barrier{{$}}
// CHECK-NEXT: %[[OWN:.*]] = arith.shrui %[[THREAD]], %c5_i32
// CHECK-NEXT: %[[WARP:.*]] = nvvm.shfl.sync idx %c-1_i32, %[[OWN]], %c0_i32, %c31_i32
// CHECK-NEXT: %[[CONSUMES:.*]] = arith.cmpi ult, %[[WARP]], %c8_i32
// CHECK-NEXT: scf.if %[[CONSUMES]] {
// CHECK-NEXT: nvvm.setmaxregister increase 232
// A group of 4 warps has 64 rows and 64 columns: a panel of the right operand. A row of the left operand has 64
// bytes, 32 for each product; of the right one 16 rows of 128 bytes are read each time.
// CHECK-NEXT: %[[SUMS:.*]]:34 = scf.for
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[STAGE:.*]], %c8_i32
// CHECK-NEXT: %[[HERE:.*]] = llvm.getelementptr %[[FULL]][%[[OFFSET]]]
// CHECK-NEXT: scf.while : () -> () {
// CHECK-NEXT: %[[ENDED:.*]] = nvvm.mbarrier.try_wait %[[HERE]], %{{.*}} : !llvm.ptr<3>, i32 -> i1
// CHECK-NEXT: %[[OPEN:.*]] = arith.xori %[[ENDED]], %true
// CHECK-NEXT: scf.condition(%[[OPEN]])
// CHECK: %[[LEFT:.*]] = llvm.ptrtoint
// CHECK-NEXT: %[[UNITS:.*]] = arith.shrui %[[LEFT]], %c4_i32
// CHECK-NEXT: %[[LOW:.*]] = arith.andi %[[UNITS]], %c16383_i32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extui %[[LOW]]
// CHECK-NEXT: %[[A:.*]] = arith.ori %[[WIDE]], %c-9223371899415756800_i64
// CHECK-NEXT: %[[GROUP:.*]] = arith.shrui %[[WARP]], %c2_i32
// CHECK-NEXT: %[[PANEL:.*]] = arith.muli %[[GROUP]], %c4096_i32
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[PANEL]]]
// CHECK: %[[B:.*]] = arith.ori %{{.*}}, %c4611686293322072064_i64
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK: %[[ONE:.*]] = nvvm.wgmma.mma_async %[[A]], %[[B]], %{{.*}}, <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
// CHECK-NEXT: %[[A2:.*]] = arith.addi %[[A]], %c2_i64
// CHECK-NEXT: %[[B2:.*]] = arith.addi %[[B]], %c128_i64
// CHECK-NEXT: %[[TWO:.*]] = nvvm.wgmma.mma_async %[[A2]], %[[B2]], %[[ONE]],
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,
// CHECK: %[[GIVEN:.*]] = llvm.getelementptr %[[EMPTY]][%[[OFFSET]]]
// CHECK-NEXT: nvvm.bar.warp.sync %c-1_i32
// CHECK-NEXT: %[[LANE:.*]] = arith.andi %[[THREAD]], %c31_i32
// CHECK-NEXT: %[[LEADS:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK-NEXT: scf.if %[[LEADS]] {
// CHECK-NEXT: nvvm.mbarrier.arrive %[[GIVEN]]
// CHECK-NEXT: }
// CHECK-NOT: nvvm.barrier
// CHECK: } else {
// CHECK-NEXT: nvvm.setmaxregister decrease 40
// CHECK-NEXT: %[[PRODUCES:.*]] = arith.cmpi eq, %[[WARP]], %c8_i32
// CHECK-NEXT: scf.if %[[PRODUCES]] {
// CHECK-NEXT: %[[ELECTED:.*]] = nvvm.elect.sync
// CHECK-NEXT: scf.if %[[ELECTED]] {
// CHECK-NEXT: nvvm.prefetch tensormap, %arg3
// CHECK-NEXT: nvvm.prefetch tensormap, %arg4
// CHECK-NEXT: %{{.*}}:2 = scf.for %[[K:.*]] = %c0_i32 to %c512_i32 step %c32_i32
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[SIGNAL:.*]], %c12288_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg3, %[[SIGNAL]], box[%[[K]], %[[ROW]]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg4, %[[SIGNAL]], box[%c0_i32, %[[K]]]
// CHECK-NEXT: %[[NEXT:.*]] = llvm.getelementptr %{{.*}}[4096]
// CHECK-NEXT: %[[TO:.*]] = llvm.addrspacecast %[[NEXT]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TO]], %arg4, %[[SIGNAL]], box[%c64_i32, %[[K]]]
// CHECK: gpu.launch_func @kernels::@roles_0 blocks in (%c2, %c1, %c1) threads in (%c384, %c1, %c1) dynamic_shared_memory_size %c24608_i32 args({{.*}}, %{{.*}} : !llvm.ptr, %{{.*}} : !llvm.ptr)
func.func @roles(%a: memref<256x512xbf16>, %b: memref<512x136xbf16>, %c: memref<256x136xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<64x128xf32>
  "accel.launch"(%c2) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 2 : i64, swizzle = 64 : i64} : () -> memref<2x64x32xbf16, #shared>
    %bs = "accel.alloc"() {stages = 2 : i64, swizzle = 128 : i64} : () -> memref<2x32x128xbf16, #shared>
    %full = "accel.create_semaphore"() {stages = 2 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    %empty = "accel.create_semaphore"() {stages = 2 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    %row = arith.muli %i, %c64 : index
    "accel.specialize"() ({
      %end:2 = scf.for %k = %c0 to %c512 step %c32 iter_args(%stage = %c0, %phase = %c1) -> (index, index) {
        "accel.await"(%empty, %stage, %phase) : (!accel.semaphore, index, index) -> ()
        %a_here = memref.subview %as[%stage, 0, 0] [1, 64, 32] [1, 1, 1] : memref<2x64x32xbf16, #shared> to memref<64x32xbf16, strided<[32, 1], offset: ?>, #shared>
        %b_here = memref.subview %bs[%stage, 0, 0] [1, 32, 128] [1, 1, 1] : memref<2x32x128xbf16, #shared> to memref<32x128xbf16, strided<[128, 1], offset: ?>, #shared>
        %ta = "accel.copy"(%a, %a_here, %row, %k) : (memref<256x512xbf16>, memref<64x32xbf16, strided<[32, 1], offset: ?>, #shared>, index, index) -> !accel.token
        %tb = "accel.copy"(%b, %b_here, %k, %c0) : (memref<512x136xbf16>, memref<32x128xbf16, strided<[128, 1], offset: ?>, #shared>, index, index) -> !accel.token
        "accel.notify"(%full, %stage, %ta, %tb) : (!accel.semaphore, index, !accel.token, !accel.token) -> ()
        %next = arith.xori %stage, %c1 : index
        %wraps = arith.cmpi eq, %next, %c0 : index
        %other = arith.xori %phase, %c1 : index
        %after = arith.select %wraps, %other, %phase : index
        scf.yield %next, %after : index, index
      }
    }, {
      %sum:3 = scf.for %k = %c0 to %c512 step %c32 iter_args(%old = %start, %stage = %c0, %phase = %c0) -> (vector<64x128xf32>, index, index) {
        "accel.await"(%full, %stage, %phase) : (!accel.semaphore, index, index) -> ()
        %a_here = memref.subview %as[%stage, 0, 0] [1, 64, 32] [1, 1, 1] : memref<2x64x32xbf16, #shared> to memref<64x32xbf16, strided<[32, 1], offset: ?>, #shared>
        %b_here = memref.subview %bs[%stage, 0, 0] [1, 32, 128] [1, 1, 1] : memref<2x32x128xbf16, #shared> to memref<32x128xbf16, strided<[128, 1], offset: ?>, #shared>
        %new = "accel.mma"(%a_here, %b_here, %old) {precision = "exact"}
            : (memref<64x32xbf16, strided<[32, 1], offset: ?>, #shared>, memref<32x128xbf16, strided<[128, 1], offset: ?>, #shared>, vector<64x128xf32>)
            -> vector<64x128xf32>
        "accel.notify"(%empty, %stage) : (!accel.semaphore, index) -> ()
        %next = arith.xori %stage, %c1 : index
        %wraps = arith.cmpi eq, %next, %c0 : index
        %other = arith.xori %phase, %c1 : index
        %after = arith.select %wraps, %other, %phase : index
        scf.yield %new, %next, %after : vector<64x128xf32>, index, index
      }
      vector.transfer_write %sum#0, %c[%row, %c0] : vector<64x128xf32>, memref<256x136xf32>
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 8 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Without roles: what threads have copied is fenced before products read it. One group has both parts of 64 rows,
// from registers.
// CHECK-LABEL: llvm.func @from_registers_0(
// CHECK-NOT: accel.tensor_maps
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.barrier{{$}}
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $13, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, {$8,$9,$10,$11}, $12, p, 1, 1, 0; }", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,n"
// CHECK: llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $13, 0; wgmma.mma_async.sync.aligned.m64n8k16
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,r,r,r,r,r,r,r,r"
func.func @from_registers(%x: memref<128x16xf16>, %b: memref<8x16xf16>, %y: memref<128x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f16
  %start = arith.constant dense<0.0> : vector<128x8xf32>
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 32 : i64} : () -> memref<8x16xf16, #shared>
    %t = "accel.copy"(%b, %bs, %c0, %c0) : (memref<8x16xf16>, memref<8x16xf16, #shared>, index, index) -> !accel.token
    %a = vector.transfer_read %x[%c0, %c0], %none {in_bounds = [true, true]} : memref<128x16xf16>, vector<128x16xf16>
    "accel.wait"(%t) : (!accel.token) -> ()
    %sum = "accel.mma"(%a, %bs, %start) {precision = "exact", transpose_b} : (vector<128x16xf16>, memref<8x16xf16, #shared>, vector<128x8xf32>) -> vector<128x8xf32>
    vector.transfer_write %sum, %y[%c0, %c0] {in_bounds = [true, true]} : vector<128x8xf32>, memref<128x8xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Every second pixel of 4 lines of an image, as 32 rows of a matrix. The tensor map leaves out dims of length 1, but not
// the last one.
// CHECK-LABEL: llvm.func @pixels_0(
// CHECK-SAME: box = array<i64: 32, 16, 8, 1>, dims = array<i64: 64, 28, 28, 4>, dtype = "float16"
// CHECK-SAME: steps = array<i64: 1, 2, 2, 1>, strides = array<i64: 128, 3584, 100352>, swizzle = 64 : i64
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c2048_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, box[%c0_i32, %c1_i32, %c1_i32, %{{.*}}]
// CHECK-NOT: nvvm.cp.async.bulk.tensor
func.func @pixels(%n: index, %x: memref<1x4x28x28x1x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<32x32xf16, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      %t = "accel.copy"(%x, %m, %c0, %i, %c1, %c1, %c0, %c0) {box = array<i64: 1, 1, 4, 8, 1, 32>, steps = array<i64: 1, 1, 2, 2, 1, 1>}
          : (memref<1x4x28x28x1x64xf16>, memref<32x32xf16, #shared>, index, index, index, index, index, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
      "accel.await"(%full, %c0, %c0) : (!accel.semaphore, index, index) -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Two mma are in flight. The first one overwrites registers, as its accumulator is zero, and is awaited where its
// result is reduced; the words of the other one's left operand are computed before its fence, and kept until it has
// ended. The reduced values are stored, so that they are computed before the wait for the second one.
// CHECK-LABEL: llvm.func @two_products_0(
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %{{.*}}, <m = 64, n = 64, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NOT: llvm.bitcast
// CHECK: llvm.inline_asm has_side_effects "{ .reg .pred p; {{.*}} wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;"
// CHECK: nvvm.shfl.sync
// CHECK-NOT: wgmma.wait_group
// CHECK: llvm.inline_asm has_side_effects "st.volatile.shared.f32 [$0], $1;", "r,f,~{memory}"
// CHECK-NEXT: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "{{.*}},31,r,r,r,r,r,r,r,r,r,r,r,r,r,r,r,r" {{.*}}%[[WORD]]
func.func @two_products(%n: index, %p: memref<64x64xbf16>, %s: memref<64xf32>, %r: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : bf16
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %q = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %start = arith.constant dense<1.0> : vector<64x64xf32>
    %rows = arith.constant dense<0.0> : vector<64xf32>
    %weights = vector.transfer_read %p[%c0, %c0], %none {in_bounds = [true, true]} : memref<64x64xbf16>, vector<64x64xbf16>
    %one = "accel.mma"(%q, %q, %zero) {precision = "exact", transpose_b} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    %two = "accel.mma"(%weights, %q, %start) {precision = "exact"} : (vector<64x64xbf16>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    %sums = vector.multi_reduction <add>, %one, %rows [1] : vector<64x64xf32> to vector<64xf32>
    vector.transfer_write %two, %r[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
    vector.transfer_write %sums, %s[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Each warp group has a barrier, from id 2 on, where the group before it arrives and it waits: 256 threads. The first
// group does not wait before its first section, and the last one does not arrive after its last one. Within sections
// there are no waits for mma.
// CHECK-LABEL: llvm.func @turns_0(
// CHECK: nvvm.setmaxregister increase
// CHECK: %[[GROUP:.*]] = arith.shrui %{{.*}}, %c2_i32
// CHECK-NEXT: %[[LATER:.*]] = arith.cmpi ne, %[[GROUP]], %c0_i32
// CHECK-NEXT: scf.if %[[LATER]] {
// CHECK-NEXT: %[[OWN:.*]] = arith.addi %[[GROUP]], %c2_i32
// CHECK-NEXT: nvvm.barrier id = %[[OWN]] number_of_threads = %c256_i32
// CHECK-NEXT: }
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: %[[FOLLOWING:.*]] = arith.addi %[[GROUP]], %c1_i32
// CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi eq, %[[FOLLOWING]], %c2_i32
// CHECK-NEXT: %[[NEXT:.*]] = arith.select %[[WRAPS]], %c0_i32, %[[FOLLOWING]]
// CHECK-NEXT: %[[THEIRS:.*]] = arith.addi %[[NEXT]], %c2_i32
// CHECK-NEXT: nvvm.barrier.arrive id = %[[THEIRS]] number_of_threads = %c256_i32
// CHECK: %[[HERE:.*]] = arith.addi %[[GROUP]], %c2_i32
// CHECK-NEXT: nvvm.barrier id = %[[HERE]] number_of_threads = %c256_i32
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: %[[EARLIER:.*]] = arith.cmpi ne, %[[FOLLOWING]], %c2_i32
// CHECK-NEXT: scf.if %[[EARLIER]] {
// CHECK-NEXT: %[[LAST:.*]] = arith.addi %[[GROUP]], %c3_i32
// CHECK-NEXT: nvvm.barrier.arrive id = %[[LAST]] number_of_threads = %c256_i32
// CHECK-NEXT: }
// CHECK-NEXT: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
// CHECK-LABEL: llvm.func @one_group_1(
// CHECK-NOT: nvvm.barrier id
// CHECK: gpu.launch_func
func.func @turns(%n: index, %r: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<128x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %q = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %k = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    "accel.specialize"() ({
    ^bb0:
    }, {
      "accel.await_ping_pong"() {first} : () -> ()
      %one = "accel.mma"(%q, %k, %zero) {precision = "exact"} : (memref<128x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<128x64xf32>) -> vector<128x64xf32>
      "accel.pass_ping_pong"() : () -> ()
      %sums = math.absf %one : vector<128x64xf32>
      "accel.await_ping_pong"() : () -> ()
      %two = "accel.mma"(%q, %k, %sums) {precision = "exact"} : (memref<128x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<128x64xf32>) -> vector<128x64xf32>
      "accel.pass_ping_pong"() {last} : () -> ()
      vector.transfer_write %two, %r[%c0, %c0] {in_bounds = [true, true]} : vector<128x64xf32>, memref<128x64xf32>
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 8 : i64} : (index) -> ()
  return
}

func.func @one_group(%n: index) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    "accel.specialize"() ({
    ^bb0:
    }, {
      "accel.await_ping_pong"() {first} : () -> ()
      "accel.pass_ping_pong"() {last} : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}
