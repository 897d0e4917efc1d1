// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-distribute --canonicalize --cse | filecheck %s
// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --accel-distribute --canonicalize --cse | filecheck %s --check-prefix=SM80

#shared = #gpu.address_space<workgroup>

// The threads' writes are fenced before the barriers. Of 64 columns of 16 bits one instruction writes 16: a lane
// supplies the address of row 0 to 15 of its warp, whose chunks of 16 bytes are permuted by the row's index. The
// first thread stores the tile, and waits until it has been read; nothing follows, so that no other thread waits for
// it.
// CHECK-LABEL: llvm.func @halves_0(
// CHECK-SAME: %[[MAP:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) attributes {accel.shared_bytes = 8192 : i32,
// CHECK-SAME: accel.tensor_maps = [{box = array<i64: 64, 64>, dims = array<i64: 136, 100>, dtype = "float16", l2_promotion = 128 : i64, parameter = 2 : i64,
// CHECK-SAME: pointer = 1 : i64, steps = array<i64: 1, 1>, strides = array<i64: 272>, swizzle = 128 : i64}]
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @shared_memory
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[BLOCK]], %c64_i32
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.barrier{{$}}
// CHECK: %[[OWN:.*]] = arith.andi %[[THREAD]], %c15_i32
// CHECK-NEXT: %[[WARP:.*]] = arith.shrui %[[THREAD]], %c5_i32
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[WARP]], %c16_i32
// CHECK-NEXT: %[[LINE:.*]] = arith.addi %[[OWN]], %[[FIRST]]
// CHECK: %[[NUMBER:.*]] = arith.andi %[[LINE]], %c7_i32
// CHECK-NEXT: %[[TURN:.*]] = arith.muli %[[NUMBER]], %c16_i32
// CHECK-NEXT: %[[INNER:.*]] = arith.xori %{{.*}}, %[[TURN]]
// CHECK: %[[PLACE:.*]] = arith.addi %{{.*}}, %[[INNER]]
// CHECK-NEXT: %[[TO:.*]] = llvm.getelementptr %[[SHARED]][%[[PLACE]]]
// CHECK-NEXT: nvvm.stmatrix %[[TO]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK-COUNT-3: nvvm.stmatrix
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.barrier{{$}}
// CHECK-NEXT: %[[LEADS:.*]] = arith.cmpi eq, %[[THREAD]], %c0_i32
// CHECK-NEXT: scf.if %[[LEADS]] {
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %[[SHARED]], box[%c64_i32, %[[ROW]]] : !llvm.ptr, <3>
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %[[LEADS]] {
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT: }
// CHECK-NEXT: llvm.return

// Pairs of 32 bits: threads of odd rows begin with the other half of a row. Two panels of 32 columns; TMA's writes
// are complete after the wait.
// CHECK-LABEL: llvm.func @words_1(
// CHECK-SAME: box = array<i64: 32, 64, 1>, dims = array<i64: 72, 100, 3>, dtype = "float32"
// CHECK: %[[ODD:.*]] = arith.andi %[[THREAD:.*]], %c4_i32
// CHECK-NEXT: %[[HALF:.*]] = arith.muli %[[ODD]], %c16_i32
// CHECK-NEXT: %[[SWAPS:.*]] = arith.cmpi ne, %[[ODD]], %c0_i32
// CHECK: %[[NEAR:.*]] = arith.xori %{{.*}}, %[[HALF]]
// CHECK-NEXT: %[[FAR:.*]] = arith.xori %[[NEAR]], %c64_i32
// CHECK-NEXT: arith.select %[[SWAPS]], %[[B0:.*]], %[[A0:.*]] : f32
// CHECK-NEXT: arith.select %[[SWAPS]], %[[B1:.*]], %[[A1:.*]] : f32
// CHECK-NEXT: llvm.getelementptr %[[TILE:.*]][%[[NEAR]]]
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NEXT: arith.select %[[SWAPS]], %[[A0]], %[[B0]] : f32
// CHECK-NEXT: arith.select %[[SWAPS]], %[[A1]], %[[B1]] : f32
// CHECK-NEXT: llvm.getelementptr %[[TILE]][%[[FAR]]]
// CHECK-COUNT-15: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: scf.if
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %[[TILE]], box[%c0_i32, %c0_i32, %[[I:.*]]] :
// CHECK-NEXT: %[[SECOND:.*]] = llvm.getelementptr %[[TILE]][8192]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %[[SECOND]], box[%c32_i32, %c0_i32, %[[I]]] :
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.fence.proxy
// CHECK-NEXT: nvvm.barrier{{$}}

// Columns that become rows are turned by the instruction.
// CHECK-LABEL: llvm.func @columns_2(
// CHECK-COUNT-4: nvvm.stmatrix {{.*}}layout = #nvvm.mma_layout<col>

// Without TMA threads store the tile, 16 bytes at a time.
// SM80-LABEL: llvm.func @halves_0(
// SM80-NOT: accel.tensor_maps
// SM80-NOT: bulk
// SM80: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// SM80: scf.if
// SM80: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
func.func @halves(%n: index, %a: memref<64x64xf16>, %c: memref<100x136xf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %row = arith.muli %i, %c64 : index
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta) : (!accel.token) -> ()
    %sum = "accel.mma"(%as, %as, %start) {precision = "exact"} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    %narrow = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
    %tile = "accel.reuse"(%as) {swizzle = 128 : i64} : (memref<64x64xf16, #shared>) -> memref<64x64xf16, #shared>
    gpu.barrier
    vector.transfer_write %narrow, %tile[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16, #shared>
    gpu.barrier
    %t = "accel.copy"(%tile, %c, %row, %c64) {bulk} : (memref<64x64xf16, #shared>, memref<100x136xf16>, index, index) -> !accel.token
    "accel.wait"(%t) {read} : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @words(%n: index, %a: memref<64x64xf16>, %c: memref<3x100x72xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %tile = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf32, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta) : (!accel.token) -> ()
    %sum = "accel.mma"(%as, %as, %start) {precision = "exact"} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    vector.transfer_write %sum, %tile[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32, #shared>
    gpu.barrier
    %t = "accel.copy"(%tile, %c, %i, %c0, %c0) {bulk} : (memref<64x64xf32, #shared>, memref<3x100x72xf32>, index, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
    gpu.barrier
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @columns(%n: index, %a: memref<64x64xf16>, %c: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %tile = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta) : (!accel.token) -> ()
    %sum = "accel.mma"(%as, %as, %start) {precision = "exact"} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    %narrow = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
    %turned = vector.transpose %narrow, [1, 0] : vector<64x64xf16> to vector<64x64xf16>
    vector.transfer_write %turned, %tile[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16, #shared>
    gpu.barrier
    %t = "accel.copy"(%tile, %c, %c0, %c0) {bulk} : (memref<64x64xf16, #shared>, memref<64x64xf16>, index, index) -> !accel.token
    "accel.wait"(%t) {read} : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}
