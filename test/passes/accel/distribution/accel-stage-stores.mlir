// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-stage-stores --canonicalize --cse --split-input-file | filecheck %s
// A second run changes nothing.
// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-stage-stores --accel-stage-stores --canonicalize --cse --split-input-file | filecheck %s

#shared = #gpu.address_space<workgroup>

// The consumers write the tile where the left operands were: the smaller of the rings in which it fits. They all wait
// until it has been read.
// CHECK-LABEL: func.func @roles
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<256x128xbf16>)
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: %[[AS:.*]] = "accel.alloc"() {stages = 2 : i64, swizzle = 128 : i64} : () -> memref<2x64x64xbf16
// CHECK-NEXT: "accel.alloc"
// CHECK-NOT: "accel.alloc"
// CHECK: "accel.specialize"() ({
// CHECK: }, {
// CHECK: scf.for
// CHECK: %[[NARROW:.*]] = arith.truncf %{{.*}} : vector<64x128xf32> to vector<64x128xbf16>
// CHECK-NEXT: %[[TILE:.*]] = "accel.reuse"(%[[AS]]) {swizzle = 128 : i64} : (memref<2x64x64xbf16, #gpu.address_space<workgroup>>) -> memref<64x128xbf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: vector.transfer_write %[[NARROW]], %[[TILE]][%c0, %c0] {in_bounds = [true, true]}
// CHECK-NEXT: %[[TOKEN:.*]] = "accel.copy"(%[[TILE]], %[[C]], %[[ROW:.*]], %c0) {box = array<i64: 64, 128>, bulk}
// CHECK-NEXT: "accel.wait"(%[[TOKEN]]) {read}
// CHECK-NEXT: }) {consumer_registers
func.func @roles(%a: memref<256x512xbf16>, %b: memref<512x128xbf16>, %c: memref<256x128xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<64x128xf32>
  "accel.launch"(%c2) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 2 : i64, swizzle = 128 : i64} : () -> memref<2x64x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 2 : i64, swizzle = 128 : i64} : () -> memref<2x64x128xbf16, #shared>
    %full = "accel.create_semaphore"() {stages = 2 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    %empty = "accel.create_semaphore"() {stages = 2 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    %row = arith.muli %i, %c64 : index
    "accel.specialize"() ({
      %end:2 = scf.for %k = %c0 to %c512 step %c64 iter_args(%stage = %c0, %phase = %c1) -> (index, index) {
        "accel.await"(%empty, %stage, %phase) : (!accel.semaphore, index, index) -> ()
        %a_here = memref.subview %as[%stage, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xbf16, #shared> to memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>
        %b_here = memref.subview %bs[%stage, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xbf16, #shared> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #shared>
        %ta = "accel.copy"(%a, %a_here, %row, %k) : (memref<256x512xbf16>, memref<64x64xbf16, strided<[64, 1], offset: ?>, #shared>, index, index) -> !accel.token
        %tb = "accel.copy"(%b, %b_here, %k, %c0) : (memref<512x128xbf16>, memref<64x128xbf16, strided<[128, 1], offset: ?>, #shared>, index, index) -> !accel.token
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
        "accel.notify"(%empty, %stage) : (!accel.semaphore, index) -> ()
        %next = arith.xori %stage, %c1 : index
        %wraps = arith.cmpi eq, %next, %c0 : index
        %other = arith.xori %phase, %c1 : index
        %after = arith.select %wraps, %other, %phase : index
        scf.yield %new, %next, %after : vector<64x128xf32>, index, index
      }
      %narrow = arith.truncf %sum#0 : vector<64x128xf32> to vector<64x128xbf16>
      vector.transfer_write %narrow, %c[%row, %c0] : vector<64x128xbf16>, memref<256x128xbf16>
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Tiles of products without roles. No operand's buffer has room for one of f32.
// CHECK-LABEL: func.func @own_buffer
// CHECK: ^bb0
// CHECK-NEXT: %[[TILE:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf32
// CHECK: "accel.mma"
// CHECK-NEXT: vector.transfer_write %{{.*}}, %[[TILE]]
// CHECK-NEXT: "accel.copy"(%[[TILE]], %{{.*}}, %c0, %c0) {box = array<i64: 64, 64>, bulk}
// In a loop other ops follow: memory that they use is not free.
// CHECK-LABEL: func.func @in_a_loop
// CHECK: ^bb0
// CHECK-NEXT: %[[TILE:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16
// CHECK: scf.for
// CHECK: vector.transfer_write %{{.*}}, %[[TILE]]
// 64 rows of a matrix are 8 lines of 8 pixels.
// CHECK-LABEL: func.func @pixels
// CHECK: %[[LINES:.*]] = vector.shape_cast %{{.*}} : vector<64x64xf16> to vector<8x8x64xf16>
// CHECK: "accel.copy"(%{{.*}}, %{{.*}}, %c0, %c8, %c8, %c0) {box = array<i64: 1, 8, 8, 64>, bulk} : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<1x28x28x64xf16>
// Dims in another order are turned in registers.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[TURNED:.*]] = vector.transpose %{{.*}}, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
// CHECK: vector.transfer_write %[[TURNED]], %{{.*}} : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK: "accel.copy"
func.func @own_buffer(%n: index, %a: memref<64x32xf16>, %b: memref<64x32xf16>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xf16, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x32xf16>, memref<64x32xf16, #shared>, index, index) -> !accel.token
    %tb = "accel.copy"(%b, %bs, %c0, %c0) : (memref<64x32xf16>, memref<64x32xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact", transpose_b} : (memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @in_a_loop(%n: index, %a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x512xf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    scf.for %k = %c0 to %c512 step %c64 {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %c0, %k) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %sum = "accel.mma"(%as, %bs, %start) {precision = "exact", transpose_b} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      %narrow = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
      vector.transfer_write %narrow, %c[%c0, %k] : vector<64x64xf16>, memref<64x512xf16>
    }
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @pixels(%n: index, %a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<1x28x28x64xf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    %tb = "accel.copy"(%b, %bs, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact", transpose_b} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    %narrow = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
    %lines = vector.shape_cast %narrow : vector<64x64xf16> to vector<8x8x64xf16>
    %positive = math.absf %lines : vector<8x8x64xf16>
    vector.transfer_write %positive, %c[%c0, %c8, %c8, %c0] : vector<8x8x64xf16>, memref<1x28x28x64xf16>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @transposed(%n: index, %a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    %tb = "accel.copy"(%b, %bs, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact", transpose_b} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    vector.transfer_write %sum, %c[%c0, %c0] {permutation_map = affine_map<(m, n) -> (n, m)>} : vector<64x64xf32>, memref<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Rows of 150 bytes, rows that nobody knows, masks, a memory that is read again, a product that is not by groups of
// warps: threads store their elements.
// CHECK-LABEL: func.func @odd_rows
// CHECK-NOT: bulk
// CHECK: vector.transfer_write %{{.*}}, %{{.*}} : vector<64x64xf16>, memref<70x75xf16>
// CHECK-NOT: bulk
// CHECK-LABEL: func.func @dynamic
// CHECK: vector.transfer_write %{{.*}}, %{{.*}} : vector<64x64xf32>, memref<?x64xf32>
// CHECK-NOT: bulk
// CHECK-LABEL: func.func @masked
// CHECK: vector.transfer_write %{{.*}}, %{{.*}}, %{{.*}} : vector<64x64xf32>, memref<64x64xf32>
// CHECK-NOT: bulk
// CHECK-LABEL: func.func @read_again
// CHECK: vector.transfer_write %{{.*}}, %{{.*}} : vector<64x64xf32>, memref<64x64xf32>
// CHECK-NOT: bulk
// CHECK-LABEL: func.func @of_warps
// CHECK: vector.transfer_write %{{.*}}, %{{.*}} : vector<32x64xf32>, memref<64x64xf32>
// CHECK-NOT: bulk
// CHECK: return
func.func @odd_rows(%n: index, %a: memref<64x64xf16>, %c: memref<70x75xf16>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta) : (!accel.token) -> ()
    %sum = "accel.mma"(%as, %as, %start) {precision = "exact"} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    %narrow = arith.truncf %sum : vector<64x64xf32> to vector<64x64xf16>
    vector.transfer_write %narrow, %c[%c0, %c0] : vector<64x64xf16>, memref<70x75xf16>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @dynamic(%n: index, %a: memref<64x64xf16>, %c: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta) : (!accel.token) -> ()
    %sum = "accel.mma"(%as, %as, %start) {precision = "exact"} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    vector.transfer_write %sum, %c[%c0, %c0] : vector<64x64xf32>, memref<?x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @masked(%n: index, %a: memref<64x64xf16>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta) : (!accel.token) -> ()
    %sum = "accel.mma"(%as, %as, %start) {precision = "exact"} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    %mask = vector.create_mask %i, %i : vector<64x64xi1>
    vector.transfer_write %sum, %c[%c0, %c0], %mask : vector<64x64xf32>, memref<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @read_again(%n: index, %a: memref<64x64xf16>, %c: memref<64x64xf32>, %d: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta) : (!accel.token) -> ()
    %sum = "accel.mma"(%as, %as, %start) {precision = "exact"} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    vector.transfer_write %sum, %c[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
    gpu.barrier
    %row = vector.transfer_read %c[%i, %c0], %none : memref<64x64xf32>, vector<64xf32>
    vector.transfer_write %row, %d[%c0] : vector<64xf32>, memref<64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @of_warps(%n: index, %a: memref<64x64xf16>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.0> : vector<32x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xf16, #shared>
    %ta = "accel.copy"(%a, %as, %c0, %c0) : (memref<64x64xf16>, memref<32x64xf16, #shared>, index, index) -> !accel.token
    %tb = "accel.copy"(%a, %bs, %c0, %c0) : (memref<64x64xf16>, memref<64x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact"} : (memref<32x64xf16, #shared>, memref<64x64xf16, #shared>, vector<32x64xf32>) -> vector<32x64xf32>
    vector.transfer_write %sum, %c[%c0, %c0] : vector<32x64xf32>, memref<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}
