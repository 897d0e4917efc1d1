// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --accel-distribute --canonicalize --cse --split-input-file | filecheck %s

// 8 elements of 16 bits or 4 of 32 bits at a time: 16 bytes. A thread has 8 contiguous elements, and 8 more after
// those of all threads.
// CHECK: module attributes {gpu.container_module, tloop.target = "cuda:sm_80"}
// CHECK-NEXT: gpu.module @kernels {
// CHECK-NEXT: llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK-NEXT: llvm.func @elementwise_0(%[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>) attributes {accel.shared_bytes = 0 : i32, gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>}
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK-NEXT: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK-NEXT: %[[START:.*]] = arith.muli %[[BLOCK]], %c512_i32
// CHECK-NEXT: %[[OWN:.*]] = arith.muli %[[THREAD]], %c8_i32
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %[[START]], %[[OWN]]
// CHECK-NEXT: %[[POINTER:.*]] = llvm.getelementptr %[[X]][%[[PLACE]]]
// CHECK-NEXT: llvm.load %[[POINTER]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: %[[SECOND:.*]] = arith.addi %[[PLACE]], %c256_i32
// CHECK-NEXT: %[[POINTER2:.*]] = llvm.getelementptr %[[X]][%[[SECOND]]]
// CHECK-NEXT: llvm.load %[[POINTER2]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT: llvm.load
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[WIDE]], %[[WIDE]] : f32
// CHECK: %[[OUT:.*]] = llvm.getelementptr %[[Y]][%[[PLACE]]]
// CHECK-NEXT: %[[PACK:.*]] = llvm.insertelement %[[SQUARE]], %{{.*}}[%c0_i32 : i32] : vector<4xf32>
// CHECK: llvm.store %{{.*}}, %[[OUT]] {alignment = 16 : i64} : vector<4xf32>
// CHECK: %[[NEXT:.*]] = arith.addi %[[PLACE]], %c4_i32
// CHECK: llvm.getelementptr %[[Y]][%[[NEXT]]]
// CHECK: llvm.getelementptr %[[Y]][%[[SECOND]]]
// CHECK: %[[LAST:.*]] = arith.addi %[[PLACE]], %c260_i32
// CHECK: llvm.getelementptr %[[Y]][%[[LAST]]]
// CHECK: llvm.return
// CHECK: func.func @elementwise(%[[A:.*]]: memref<1024xf16>, %[[B:.*]]: memref<1024xf32>
// CHECK: %[[INT:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK-NEXT: %[[WORD:.*]] = arith.index_cast %[[INT]] : index to i64
// CHECK-NEXT: %[[FIRST:.*]] = llvm.inttoptr %[[WORD]] : i64 to !llvm.ptr<1>
// CHECK: gpu.launch_func @kernels::@elementwise_0 blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1) dynamic_shared_memory_size %c0_i32 args(%[[FIRST]] : !llvm.ptr<1>, %{{.*}} : !llvm.ptr<1>)
func.func @elementwise(%x: memref<1024xf16>, %y: memref<1024xf32>, %size: index) {
  %c2 = arith.constant 2 : index
  "accel.launch"(%c2) ({
  ^bb0(%i: index):
    %tile = arith.constant 512 : index
    %at = arith.muli %i, %tile : index
    %none = arith.constant 1.0 : f16
    %narrow = vector.transfer_read %x[%at], %none {in_bounds = [true]} : memref<1024xf16>, vector<512xf16>
    %v = arith.extf %narrow : vector<512xf16> to vector<512xf32>
    %r = arith.mulf %v, %v : vector<512xf32>
    vector.transfer_write %r, %y[%at] {in_bounds = [true]} : vector<512xf32>, memref<1024xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Parameters: each memref's pointer and dynamic dims, then scalars. Rows may be of any length, so elements are
// accessed and tested one by one. Three of four warps hold copies, which they do not store.
// CHECK-LABEL: llvm.func @captured_0(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[ROWS:.*]]: i32, %[[COLUMNS:.*]]: i32, %[[Y:.*]]: !llvm.ptr<1>,
// CHECK-SAME: %[[YROWS:.*]]: i32, %[[YCOLUMNS:.*]]: i32, %[[OFFSET:.*]]: i32, %[[FACTOR:.*]]: f32) attributes {{{.*}}nvvm.reqntid = array<i32: 128, 1, 1>}
// CHECK-DAG: %[[PAD:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK-NEXT: %[[I:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK-NEXT: %[[J:.*]] = nvvm.read.ptx.sreg.ctaid.y
// CHECK-NEXT: %[[I4:.*]] = arith.muli %[[I]], %c4_i32
// CHECK-NEXT: %[[TOP:.*]] = arith.addi %[[I4]], %[[OFFSET]]
// CHECK-NEXT: %[[LEFT:.*]] = arith.muli %[[J]], %c32_i32
// CHECK-NEXT: %[[T8:.*]] = arith.shrui %[[THREAD]], %c3_i32
// CHECK-NEXT: %[[T8_3:.*]] = arith.andi %[[T8]], %c3_i32
// CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[TOP]], %[[T8_3]]
// CHECK-NEXT: %[[T7:.*]] = arith.andi %[[THREAD]], %c7_i32
// CHECK-NEXT: %[[T7_4:.*]] = arith.muli %[[T7]], %c4_i32
// CHECK-NEXT: %[[COLUMN:.*]] = arith.addi %[[LEFT]], %[[T7_4]]
// CHECK-NEXT: %[[ROW_IN:.*]] = arith.cmpi ult, %[[ROW]], %[[ROWS]]
// CHECK-NEXT: %[[COLUMN_IN:.*]] = arith.cmpi ult, %[[COLUMN]], %[[COLUMNS]]
// CHECK-NEXT: %[[LINE:.*]] = arith.muli %[[ROW]], %[[COLUMNS]]
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[LINE]], %[[COLUMN]]
// CHECK-NEXT: %[[POINTER:.*]] = llvm.getelementptr %[[X]][%[[AT]]]
// CHECK-NEXT: %[[IN:.*]] = arith.andi %[[ROW_IN]], %[[COLUMN_IN]]
// CHECK-NEXT: %[[SAFE:.*]] = arith.select %[[IN]], %[[POINTER]], %[[X]]
// CHECK-NEXT: %[[LOADED:.*]] = llvm.load %[[SAFE]] {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-NEXT: %[[VALUE:.*]] = arith.select %[[IN]], %[[LOADED]], %[[PAD]]
// CHECK: %[[RESULT:.*]] = arith.mulf %[[VALUE]], %[[FACTOR]]
// CHECK: %[[COPY:.*]] = arith.andi %[[THREAD]], %c96_i32
// CHECK-NEXT: %[[ONCE:.*]] = arith.cmpi eq, %[[COPY]], %c0_i32
// CHECK-NEXT: %[[YROW_IN:.*]] = arith.cmpi ult, %[[ROW]], %[[YROWS]]
// CHECK-NEXT: %[[YCOLUMN_IN:.*]] = arith.cmpi ult, %[[COLUMN]], %[[YCOLUMNS]]
// CHECK-NEXT: %[[ONCE_IN:.*]] = arith.andi %[[ONCE]], %[[YROW_IN]]
// CHECK-NEXT: %[[STORES:.*]] = arith.andi %[[ONCE_IN]], %[[YCOLUMN_IN]]
// CHECK-NEXT: scf.if %[[STORES]] {
// CHECK: llvm.store %[[RESULT]], %{{.*}} {alignment = 4 : i64} : f32
// CHECK: func.func @captured(%[[A:.*]]: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %[[F:.*]]: f32, %[[O:.*]]: index, %[[BLOCKS:.*]]: index)
// CHECK: %[[DIM0:.*]] = memref.dim %[[A]], %c0
// CHECK-NEXT: %[[D0:.*]] = arith.index_cast %[[DIM0]] : index to i32
// CHECK-NEXT: %[[DIM1:.*]] = memref.dim %[[A]], %c1
// CHECK-NEXT: %[[D1:.*]] = arith.index_cast %[[DIM1]] : index to i32
// CHECK: %[[NARROW:.*]] = arith.index_cast %[[O]] : index to i32
// CHECK-NEXT: gpu.launch_func @kernels::@captured_0 blocks in (%[[BLOCKS]], %[[BLOCKS]], %c1) threads in (%c128, %c1, %c1) dynamic_shared_memory_size %c0_i32
// CHECK-SAME: args(%{{.*}} : !llvm.ptr<1>, %[[D0]] : i32, %[[D1]] : i32, %{{.*}} : !llvm.ptr<1>, %{{.*}} : i32, %{{.*}} : i32, %[[NARROW]] : i32, %[[F]] : f32)
func.func @captured(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %factor: f32, %first: index, %blocks: index) {
  "accel.launch"(%blocks, %blocks) ({
  ^bb0(%i: index, %j: index):
    %rows = arith.constant 4 : index
    %row = arith.muli %i, %rows : index
    %place = arith.addi %row, %first : index
    %columns = arith.constant 32 : index
    %column = arith.muli %j, %columns : index
    %none = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%place, %column], %none : memref<?x?xf32>, vector<4x32xf32>
    %every = vector.broadcast %factor : f32 to vector<4x32xf32>
    %r = arith.mulf %v, %every : vector<4x32xf32>
    vector.transfer_write %r, %y[%place, %column] : vector<4x32xf32>, memref<?x?xf32>
  }) {warps = 4 : i64} : (index, index) -> ()
  return
}

// -----

// Elements whose mask is true, in pairs, as 50 is even; the others are the padding, and are not stored. The mask has
// the layout of the tile, so that nothing goes through shared memory.
// CHECK-LABEL: llvm.func @masked_0(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>)
// CHECK-SAME: accel.shared_bytes = 0 : i32
// CHECK: %[[PAD:.*]] = arith.constant 7.000000e+00 : f32
// CHECK: %[[PLACE:.*]] = arith.muli %{{.*}}, %c4_i32
// CHECK: %[[MASK:.*]] = arith.cmpi ult, %[[PLACE]], %c50_i32
// CHECK-NOT: nvvm.barrier
// CHECK: %[[SAFE:.*]] = arith.select %[[MASK]], %{{.*}}, %arg0 : !llvm.ptr<1>
// CHECK-NEXT: %[[LOADED:.*]] = llvm.load %[[SAFE]] {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK: %[[ONE:.*]] = llvm.extractelement %[[LOADED]][%c1_i32 : i32] : vector<2xf32>
// CHECK: %[[VALUE:.*]] = arith.select %[[MASK]], %[[ONE]], %[[PAD]] : f32
// CHECK: %[[STORES:.*]] = arith.andi %[[MASK]], %{{.*}} : i1
// CHECK: scf.if %[[STORES]]
// CHECK-NEXT: llvm.getelementptr %arg1
// CHECK: %[[PAIR:.*]] = llvm.insertelement %[[VALUE]], %{{.*}}[%c1_i32 : i32] : vector<2xf32>
// CHECK-NEXT: llvm.store %[[PAIR]], %{{.*}} {alignment = 8 : i64} : vector<2xf32>
// CHECK: gpu.launch_func @kernels::@masked_0 {{.*}} dynamic_shared_memory_size %c0_i32
func.func @masked(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %none = arith.constant 7.0 : f32
    %steps = vector.step : vector<64xindex>
    %end = arith.constant dense<50> : vector<64xindex>
    %mask = arith.cmpi ult, %steps, %end : vector<64xindex>
    %v = vector.transfer_read %x[%c0], %none, %mask {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    vector.transfer_write %v, %y[%c0], %mask {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// A mask has the memory's order of dims, whatever the tile's is: columns below 3 of rows below 20. It is in the
// tile's layout.
// CHECK-LABEL: llvm.func @masked_columns_0(
// CHECK-SAME: accel.shared_bytes = 0 : i32
// CHECK-NOT: nvvm.barrier
// CHECK: %[[COLUMN:.*]] = arith.cmpi slt, %{{.*}}, %c3_i32
// CHECK: gpu.launch_func
func.func @masked_columns(%x: memref<32x4xf32>, %y: memref<32x4xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c20 = arith.constant 20 : index
    %none = arith.constant 7.0 : f32
    %mask = vector.create_mask %c20, %c3 : vector<32x4xi1>
    %v = vector.transfer_read %x[%c0, %c0], %none, %mask {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : memref<32x4xf32>, vector<4x32xf32>
    vector.transfer_write %v, %y[%c0, %c0], %mask {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : vector<4x32xf32>, memref<32x4xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// A row per warp: sums of 4 in each lane, then of the lanes; lane 0 stores.
// CHECK-LABEL: llvm.func @between_lanes_0(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>) attributes {accel.shared_bytes = 0 : i32,
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK-NEXT: %[[WARP:.*]] = arith.shrui %[[THREAD]], %c5_i32
// CHECK-NEXT: %[[LANE:.*]] = arith.andi %[[THREAD]], %c31_i32
// CHECK-NEXT: %[[COLUMN:.*]] = arith.muli %[[LANE]], %c4_i32
// CHECK-NEXT: %[[LINE:.*]] = arith.muli %[[WARP]], %c128_i32
// CHECK-NEXT: arith.addi %[[LINE]], %[[COLUMN]]
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: %[[A:.*]] = arith.addf
// CHECK-NEXT: %[[B:.*]] = arith.addf
// CHECK-NEXT: %[[S0:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: %[[O1:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[S0]], %c1_i32, %c31_i32
// CHECK-NEXT: %[[S1:.*]] = arith.addf %[[S0]], %[[O1]]
// CHECK-NEXT: %[[O2:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[S1]], %c2_i32, %c31_i32
// CHECK-NEXT: %[[S2:.*]] = arith.addf %[[S1]], %[[O2]]
// CHECK-NEXT: %[[O4:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[S2]], %c4_i32, %c31_i32
// CHECK-NEXT: %[[S4:.*]] = arith.addf %[[S2]], %[[O4]]
// CHECK-NEXT: %[[O8:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[S4]], %c8_i32, %c31_i32
// CHECK-NEXT: %[[S8:.*]] = arith.addf %[[S4]], %[[O8]]
// CHECK-NEXT: %[[O16:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[S8]], %c16_i32, %c31_i32
// CHECK-NEXT: %[[S16:.*]] = arith.addf %[[S8]], %[[O16]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[S16]], %cst
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[OUT:.*]] = llvm.getelementptr %[[Y]][%[[WARP]]]
// CHECK-NEXT: llvm.store %[[SUM]], %[[OUT]]
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
func.func @between_lanes(%x: memref<2x128xf32>, %y: memref<2xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f32
    %start = arith.constant dense<0.0> : vector<2xf32>
    %v = vector.transfer_read %x[%c0, %c0], %none {in_bounds = [true, true]} : memref<2x128xf32>, vector<2x128xf32>
    %sum = vector.multi_reduction <add>, %v, %start [1] : vector<2x128xf32> to vector<2xf32>
    vector.transfer_write %sum, %y[%c0] {in_bounds = [true]} : vector<2xf32>, memref<2xf32>
  }) {warps = 2 : i64} : (index) -> ()
  return
}

// -----

// Two warps share the row: each stores its maximum to shared memory, between barriers, at an offset that depends on
// the warp's index.
// CHECK-LABEL: llvm.func @between_warps_0(
// CHECK-SAME: accel.shared_bytes = 8 : i32
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @shared_memory
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c16_i32, %c31_i32
// CHECK-NEXT: %[[MOST:.*]] = arith.maximumf
// CHECK-NEXT: %[[WARPS:.*]] = arith.shrui %[[THREAD]], %c5_i32
// CHECK-NEXT: %[[WARP:.*]] = arith.andi %[[WARPS]], %c1_i32
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: %[[LANE:.*]] = arith.andi %[[THREAD]], %c31_i32
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[OWN:.*]] = llvm.getelementptr %[[SHARED]][%[[WARP]]]
// CHECK-NEXT: llvm.store %[[MOST]], %[[OWN]]
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: %[[A:.*]] = llvm.load %[[SHARED]]
// CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %[[SHARED]][1]
// CHECK-NEXT: %[[B:.*]] = llvm.load %[[PLACE]]
// CHECK-NEXT: %[[ALL:.*]] = arith.maximumf %[[A]], %[[B]]
// CHECK: llvm.store %[[ALL]], %arg1
func.func @between_warps(%x: memref<1x256xf32>, %y: memref<1xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %none = arith.constant 0.0 : f32
    %start = arith.constant dense<0xFF800000> : vector<1xf32>
    %v = vector.transfer_read %x[%c0, %c0], %none {in_bounds = [true, true]} : memref<1x256xf32>, vector<1x256xf32>
    %most = vector.multi_reduction <maximumf>, %v, %start [1] : vector<1x256xf32> to vector<1xf32>
    vector.transfer_write %most, %y[%c0] {in_bounds = [true]} : vector<1xf32>, memref<1xf32>
  }) {warps = 2 : i64} : (index) -> ()
  return
}

// -----

// A loop carries the registers of a tile, and counts in 32 bits. Half of the threads hold copies; elements out of
// bounds are not stored.
// CHECK-LABEL: llvm.func @loop_0(
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK-NEXT: %[[SUMS:.*]]:5 = scf.for %[[K:.*]] = %c0_i32 to %c64_i32 step %c1_i32
// CHECK-SAME: iter_args(%[[A:.*]] = %[[NONE:.*]], %[[B:.*]] = %[[NONE]], %[[C:.*]] = %[[NONE]], %[[D:.*]] = %[[NONE]], %[[COUNT:.*]] = %c0_i32)
// CHECK-SAME: -> (f32, f32, f32, f32, i32) : i32 {
// CHECK-NEXT: %[[NEW_A:.*]] = arith.addf %[[A]], %[[HALF:.*]] : f32
// CHECK-NEXT: %[[NEW_B:.*]] = arith.addf %[[B]], %[[HALF]] : f32
// CHECK-NEXT: %[[NEW_C:.*]] = arith.addf %[[C]], %[[HALF]] : f32
// CHECK-NEXT: %[[NEW_D:.*]] = arith.addf %[[D]], %[[HALF]] : f32
// CHECK-NEXT: %[[NEW_COUNT:.*]] = arith.addi %[[COUNT]], %[[K]] : i32
// CHECK-NEXT: scf.yield %[[NEW_A]], %[[NEW_B]], %[[NEW_C]], %[[NEW_D]], %[[NEW_COUNT]]
// CHECK: arith.andi %[[THREAD]], %c16_i32
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %c32_i32
// CHECK-NEXT: %[[STORES:.*]] = arith.andi %{{.*}}, %[[IN]]
// CHECK-NEXT: scf.if %[[STORES]] {
// CHECK: llvm.insertelement %[[SUMS]]#0,
// CHECK: llvm.insertelement %[[SUMS]]#3,
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
func.func @loop(%y: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %none = arith.constant 0.0 : f32
    %start = arith.constant dense<0.0> : vector<64xf32>
    %half = arith.constant dense<0.5> : vector<64xf32>
    %sums:2 = scf.for %k = %c0 to %c64 step %one iter_args(%old = %start, %count = %c0) -> (vector<64xf32>, index) {
      %new = arith.addf %old, %half : vector<64xf32>
      %next = arith.addi %count, %k : index
      scf.yield %new, %next : vector<64xf32>, index
    }
    vector.transfer_write %sums#0, %y[%c0] : vector<64xf32>, memref<32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Indices have 32 bits.
// CHECK-LABEL: llvm.func @largest_index_0(
// CHECK: nvvm.shfl.sync bfly {{.*}} : i32 -> i32
// CHECK-NEXT: arith.maxui %{{.*}} : i32
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<1>
func.func @largest_index(%y: memref<1xi32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %v = vector.step : vector<64xindex>
    %most = vector.multi_reduction <maxui>, %v, %i [0] : vector<64xindex> to index
    %narrow = arith.index_cast %most : index to i32
    %one = vector.broadcast %narrow : i32 to vector<1xi32>
    vector.transfer_write %one, %y[%c0] : vector<1xi32>, memref<1xi32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Powers of two that may be approximate are one instruction.
// CHECK-LABEL: llvm.func @powers_0
// CHECK: %[[ONE:.*]] = nvvm.ex2 %{{.*}} {ftz = true} : f32
// CHECK: math.exp2 %[[ONE]] : f32
func.func private @powers(%n: index, %x: memref<32xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%c0], %none {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
    %a = math.exp2 %v fastmath<afn> : vector<32xf32>
    %b = math.exp2 %a : vector<32xf32>
    vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Both halves of a product, for each of a thread's four elements.
// CHECK-LABEL: llvm.func @halves_0
// CHECK: %[[LOW:.*]], %[[HIGH:.*]] = arith.mului_extended %{{.*}}, %{{.*}} : i32
// CHECK-COUNT-3: arith.mului_extended %{{.*}}, %{{.*}} : i32
// CHECK: llvm.insertelement %[[LOW]]
// CHECK: llvm.insertelement %[[HIGH]]
func.func private @halves(%n: index, %x: memref<64xi32>, %low: memref<64xi32>, %high: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%c0], %none {in_bounds = [true]} : memref<64xi32>, vector<64xi32>
    %l, %h = arith.mului_extended %v, %v : vector<64xi32>
    vector.transfer_write %l, %low[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32>
    vector.transfer_write %h, %high[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}
