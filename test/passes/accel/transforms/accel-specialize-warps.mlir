// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-specialize-warps --canonicalize --cse --split-input-file | filecheck %s

#shared = #gpu.address_space<workgroup>

// Producers wait until a stage is empty, whose phase 1 has ended before they begin; consumers until it is full. The
// phase changes where the ring wraps around. An mma is in flight when the previous stage is released. Ops after the
// loop are the consumers'.
// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[N:.*]]: index, %[[A:.*]]: memref<512x512xbf16>, %[[B:.*]]: memref<512x512xbf16>,
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: %[[AS:.*]] = "accel.alloc"() {stages = 3 : i64, swizzle = 64 : i64} : () -> memref<3x64x32xbf16,
// CHECK-NEXT: %[[BS:.*]] = "accel.alloc"() {stages = 3 : i64, swizzle = 128 : i64} : () -> memref<3x32x64xbf16,
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[I]], %c64
// CHECK-NEXT: %[[FULL:.*]] = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 3 : i64}
// CHECK-NEXT: %[[EMPTY:.*]] = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 3 : i64}
// CHECK-NEXT: "accel.specialize"() ({
// CHECK-NEXT: %{{.*}}:2 = scf.for %[[K:.*]] = %c0 to %c512 step %c32 iter_args(%[[STAGE:.*]] = %c0, %[[PHASE:.*]] = %c1)
// CHECK-NEXT: "accel.await"(%[[EMPTY]], %[[STAGE]], %[[PHASE]])
// CHECK-NEXT: %[[A_HERE:.*]] = memref.subview %[[AS]][%[[STAGE]], 0, 0] [1, 64, 32]
// CHECK-NEXT: %[[TA:.*]] = "accel.copy"(%[[A]], %[[A_HERE]], %[[ROW]], %[[K]])
// CHECK-NEXT: %[[B_HERE:.*]] = memref.subview %[[BS]][%[[STAGE]], 0, 0] [1, 32, 64]
// CHECK-NEXT: %[[TB:.*]] = "accel.copy"(%[[B]], %[[B_HERE]], %[[K]], %c0)
// CHECK-NEXT: "accel.notify"(%[[FULL]], %[[STAGE]], %[[TA]], %[[TB]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[STAGE]], %c1
// CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %c3
// CHECK-NEXT: %[[AFTER:.*]] = arith.select %[[WRAPS]], %c0, %[[NEXT]]
// CHECK-NEXT: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1
// CHECK-NEXT: %[[PHASE_AFTER:.*]] = arith.select %[[WRAPS]], %[[OTHER]], %[[PHASE]]
// CHECK-NEXT: scf.yield %[[AFTER]], %[[PHASE_AFTER]]
// CHECK-NEXT: }
// CHECK-NEXT: }, {
// CHECK-NEXT: %[[RESULT:.*]]:4 = scf.for %{{.*}} = %c0 to %c512 step %c32 iter_args(%[[OLD:.*]] = %{{.*}}, %[[S:.*]] = %c0, %[[P:.*]] = %c0, %[[BEFORE:.*]] = %c3)
// CHECK-NEXT: "accel.await"(%[[FULL]], %[[S]], %[[P]])
// CHECK-NEXT: %[[A_NOW:.*]] = memref.subview %[[AS]][%[[S]], 0, 0] [1, 64, 32]
// CHECK-NEXT: %[[B_NOW:.*]] = memref.subview %[[BS]][%[[S]], 0, 0] [1, 32, 64]
// CHECK-NEXT: %[[NEW:.*]] = "accel.mma"(%[[A_NOW]], %[[B_NOW]], %[[OLD]])
// CHECK-NEXT: %[[COMES:.*]] = arith.cmpi ne, %[[BEFORE]], %c3
// CHECK-NEXT: scf.if %[[COMES]] {
// CHECK-NEXT: "accel.notify"(%[[EMPTY]], %[[BEFORE]]) {pending = 1 : i64}
// CHECK-NEXT: }
// CHECK: scf.yield %[[NEW]], %{{.*}}, %{{.*}}, %[[S]] : vector<64x64xf32>, index, index, index
// CHECK-NEXT: }
// CHECK-NEXT: vector.transfer_write %[[RESULT]]#0
// CHECK-NEXT: }) {consumer_registers = 248 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, producer_warps = 4 : i64}
func.func @product(%n: index, %a: memref<512x512xbf16>, %b: memref<512x512xbf16>, %c: memref<512x64xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %row = arith.muli %i, %c64 : index
    %sum = scf.for %k = %c0 to %c512 step %c32 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %row, %k) : (memref<512x512xbf16>, memref<64x32xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %c0) : (memref<512x512xbf16>, memref<32x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%row, %c0] : vector<64x64xf32>, memref<512x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Sums go round the loop in another shape, which nobody else reads.
// CHECK-LABEL: func.func @sums_in_another_shape
// CHECK: "accel.mma"
// CHECK: "accel.notify"(%{{.*}}, %{{.*}}) {pending = 1 : i64}
// Here the sums are rounded in each iteration.
// CHECK-LABEL: func.func @rounded_sums
// CHECK: "accel.mma"
// CHECK-NOT: pending
// CHECK: return
func.func @sums_in_another_shape(%n: index, %a: memref<64x512xbf16>, %b: memref<512x64xbf16>, %c: memref<4x16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<4x16x64xf32>
    %sum = scf.for %k = %c0 to %n step %c32 iter_args(%old = %start) -> vector<4x16x64xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<64x512xbf16>, memref<64x32xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %c0) : (memref<512x64xbf16>, memref<32x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %flat = vector.shape_cast %old : vector<4x16x64xf32> to vector<64x64xf32>
      %more = "accel.mma"(%as, %bs, %flat) {precision = "exact"} : (memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      %new = vector.shape_cast %more : vector<64x64xf32> to vector<4x16x64xf32>
      scf.yield %new : vector<4x16x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%c0, %c0, %c0] : vector<4x16x64xf32>, memref<4x16x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @rounded_sums(%n: index, %a: memref<64x512xbf16>, %b: memref<512x64xbf16>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %sum = scf.for %k = %c0 to %n step %c32 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<64x512xbf16>, memref<64x32xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %c0) : (memref<512x64xbf16>, memref<32x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %more = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      %new = math.round %more : vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// An outer loop: producers run it too, and the stage is carried through it. Tiles that are read before the loop are
// the consumers'. 12 warps share the registers: 168 each, of which producers release 128.
// CHECK-LABEL: func.func @nest
// CHECK: "accel.create_semaphore"
// CHECK-NEXT: %[[EMPTY:.*]] = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64}
// CHECK-NEXT: "accel.specialize"() ({
// CHECK-NEXT: %{{.*}}:2 = scf.for %[[T:.*]] = %c0 to %c3 step %c1 iter_args(%[[S:.*]] = %c0, %[[P:.*]] = %c1)
// CHECK-NEXT: %[[LINE:.*]] = arith.addi %{{.*}}, %[[T]]
// CHECK-NEXT: %[[INNER:.*]]:2 = scf.for %[[K:.*]] = %c0 to %[[LINE]] step %c64 iter_args(%[[S2:.*]] = %[[S]], %[[P2:.*]] = %[[P]])
// CHECK-NEXT: "accel.await"(%[[EMPTY]], %[[S2]], %[[P2]])
// CHECK: "accel.copy"(%{{.*}}, %{{.*}}, %[[LINE]], %[[K]])
// CHECK-NEXT: "accel.notify"
// CHECK: scf.yield %[[INNER]]#0, %[[INNER]]#1
// CHECK: }, {
// CHECK-NEXT: %[[FIRST:.*]] = vector.transfer_read
// CHECK-NEXT: %[[OUT:.*]]:3 = scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%[[V:.*]] = %[[FIRST]], %[[CS:.*]] = %c0, %[[CP:.*]] = %c0)
// CHECK: %[[IN:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %[[V]], %{{.*}} = %[[CS]], %{{.*}} = %[[CP]])
// CHECK: scf.yield %[[IN]]#0, %[[IN]]#1, %[[IN]]#2
// CHECK: vector.transfer_write %[[OUT]]#0
// CHECK: }) {consumer_registers = 232 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, producer_warps = 4 : i64}
func.func @nest(%n: index, %x: memref<64x512xf32>, %y: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %first = vector.transfer_read %y[%c0], %none : memref<512xf32>, vector<64xf32>
    %all = scf.for %t = %c0 to %c3 step %c1 iter_args(%outer = %first) -> vector<64xf32> {
      %line = arith.addi %i, %t : index
      %part = scf.for %k = %c0 to %line step %c64 iter_args(%old = %outer) -> vector<64xf32> {
        %token = "accel.copy"(%x, %m, %line, %k) : (memref<64x512xf32>, memref<64xf32, #shared>, index, index) -> !accel.token
        "accel.wait"(%token) : (!accel.token) -> ()
        %v = vector.transfer_read %m[%c0], %none : memref<64xf32, #shared>, vector<64xf32>
        %new = arith.addf %old, %v : vector<64xf32>
        scf.yield %new : vector<64xf32>
      } {accel.stages = 2 : i64}
      scf.yield %part : vector<64xf32>
    }
    vector.transfer_write %all, %y[%c0] : vector<64xf32>, memref<512xf32>
  }) {warps = 8 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Rows of 150 bytes are not for TMA: the loop stays for accel-pipeline-loops.
// CHECK-LABEL: func.func @odd_rows
// CHECK-NOT: accel.specialize
// CHECK: accel.stages = 2
func.func @odd_rows(%n: index, %x: memref<64x75xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xbf16, #shared>
    scf.for %k = %c0 to %n step %c64 {
      %token = "accel.copy"(%x, %m, %i, %k) : (memref<64x75xbf16>, memref<64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%token) : (!accel.token) -> ()
    } {accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Where the copy begins depends on what the loop carries.
// CHECK-LABEL: func.func @carried_place
// CHECK-NOT: accel.specialize
// CHECK: accel.stages = 2
func.func @carried_place(%n: index, %x: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %end = scf.for %k = %c0 to %c512 step %c64 iter_args(%at = %i) -> index {
      %token = "accel.copy"(%x, %m, %at) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      "accel.wait"(%token) : (!accel.token) -> ()
      %next = arith.addi %at, %k : index
      scf.yield %next : index
    } {accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Offsets that are loaded from memory are not for the producers.
// CHECK-LABEL: func.func @place_from_memory
// CHECK-NOT: accel.specialize
// CHECK: accel.stages = 2
func.func @place_from_memory(%n: index, %x: memref<512xf32>, %places: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %first = memref.load %places[%i] : memref<8xindex>
    scf.for %k = %c0 to %c512 step %c64 {
      %at = arith.addi %first, %k : index
      %token = "accel.copy"(%x, %m, %at) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      "accel.wait"(%token) : (!accel.token) -> ()
    } {accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Roles have groups of 4 warps.
// CHECK-LABEL: func.func @two_warps
// CHECK-NOT: accel.specialize
// CHECK: accel.stages = 2
func.func @two_warps(%n: index, %x: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    scf.for %k = %c0 to %c512 step %c64 {
      %token = "accel.copy"(%x, %m, %k) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      "accel.wait"(%token) : (!accel.token) -> ()
    } {accel.stages = 2 : i64}
  }) {warps = 2 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Exact products of f32 are multiply-adds of all threads.
// CHECK-LABEL: func.func @multiply_adds
// CHECK-NOT: accel.specialize
// CHECK: accel.stages = 3
func.func @multiply_adds(%n: index, %a: memref<64x512xf32>, %b: memref<64x512xf32>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x32xf32, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x32xf32, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %sum = scf.for %k = %c0 to %n step %c32 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<64x512xf32>, memref<64x32xf32, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %c0, %k) : (memref<64x512xf32>, memref<64x32xf32, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact", transpose_b} : (memref<64x32xf32, #shared>, memref<64x32xf32, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// In clusters of 2x4, 1 + 1 + 3 blocks write to the buffers of each, and hear when these are empty.
// CHECK-LABEL: func.func @clusters
// CHECK: "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64}
// CHECK-NEXT: %[[EMPTY:.*]] = "accel.create_semaphore"() {arrivals = 5 : i64, stages = 2 : i64}
// CHECK: "accel.copy"({{.*}}) {multicast = 1 : i64}
// CHECK: "accel.copy"({{.*}}) {multicast = 0 : i64}
// CHECK: "accel.notify"(%[[EMPTY]], %{{.*}}) {multicast = array<i64: 0, 1>, pending = 1 : i64}
func.func @clusters(%a: memref<512x512xbf16>, %b: memref<512x512xbf16>, %c: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%c8, %c8) ({
  ^bb0(%i: index, %j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %row = arith.muli %i, %c64 : index
    %column = arith.muli %j, %c64 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %row, %k) {multicast = 1 : i64} : (memref<512x512xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %column) {multicast = 0 : i64} : (memref<512x512xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 2 : i64}
    vector.transfer_write %sum, %c[%row, %column] : vector<64x64xf32>, memref<512x512xf32>
  }) {cluster = array<i64: 2, 4>, warps = 4 : i64} : (index, index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Copies before the loop have a separate semaphore; producers begin with them. The attributes stay on the consumers'
// loop.
// CHECK-LABEL: func.func @first_copies
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8x64xf32>
// CHECK: %[[ROW:.*]] = "accel.alloc"() {stages = 1
// CHECK: "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64}
// CHECK-NEXT: "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64}
// CHECK-NEXT: %[[THERE:.*]] = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 1 : i64}
// CHECK-NEXT: "accel.specialize"() ({
// CHECK-NEXT: %[[TOKEN:.*]] = "accel.copy"(%[[X]], %[[ROW]], %{{.*}}, %c0)
// CHECK-NEXT: "accel.notify"(%[[THERE]], %c0, %[[TOKEN]])
// CHECK-NEXT: scf.for
// CHECK: }, {
// CHECK: "accel.await"(%[[THERE]], %c0, %c0)
// CHECK-NEXT: %[[FIRST:.*]] = vector.transfer_read %[[ROW]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]],
// CHECK: } {accel.overlap, accel.ping_pong}
func.func @first_copies(%n: index, %x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %row = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %place = arith.addi %i, %c1 : index
    %there = "accel.copy"(%x, %row, %place, %c0) : (memref<8x64xf32>, memref<64xf32, #shared>, index, index) -> !accel.token
    "accel.wait"(%there) : (!accel.token) -> ()
    %first = vector.transfer_read %row[%c0], %none : memref<64xf32, #shared>, vector<64xf32>
    %all = scf.for %k = %c0 to %c8 step %c1 iter_args(%old = %first) -> vector<64xf32> {
      %token = "accel.copy"(%x, %m, %k, %c0) : (memref<8x64xf32>, memref<64xf32, #shared>, index, index) -> !accel.token
      "accel.wait"(%token) : (!accel.token) -> ()
      %v = vector.transfer_read %m[%c0], %none : memref<64xf32, #shared>, vector<64xf32>
      %new = arith.addf %old, %v : vector<64xf32>
      scf.yield %new : vector<64xf32>
    } {accel.stages = 2 : i64, accel.overlap, accel.ping_pong}
    vector.transfer_write %all, %y[%i, %c0] : vector<64xf32>, memref<8x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Two mma that overlap; the operands of each arrive separately, in the same stages and phases: they are awaited
// before the mma, and released after it.
// CHECK-LABEL: func.func @products_overlap
// CHECK: %[[FULL:.*]] = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64}
// CHECK-NEXT: %[[EMPTY:.*]] = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64}
// CHECK-NEXT: %[[FULL_V:.*]] = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64}
// CHECK-NEXT: %[[EMPTY_V:.*]] = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 2 : i64}
// CHECK: scf.for {{.*}} iter_args(%[[TO:.*]] = %c0, %[[OLD:.*]] = %c1)
// CHECK-NEXT: "accel.await"(%[[EMPTY]], %[[TO]], %[[OLD]])
// CHECK: %[[KEYS:.*]] = "accel.copy"
// CHECK-NEXT: "accel.notify"(%[[FULL]], %[[TO]], %[[KEYS]])
// CHECK-NEXT: "accel.await"(%[[EMPTY_V]], %[[TO]], %[[OLD]])
// CHECK: %[[VALUES:.*]] = "accel.copy"
// CHECK-NEXT: "accel.notify"(%[[FULL_V]], %[[TO]], %[[VALUES]])
// CHECK: }, {
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[STAGE:.*]] = %c0, %[[PHASE:.*]] = %c0)
// CHECK-NEXT: %[[K:.*]] = memref.subview {{.*}}[%[[STAGE]], 0, 0]
// CHECK-NEXT: %[[V:.*]] = memref.subview {{.*}}[%[[STAGE]], 0, 0]
// CHECK-NEXT: "accel.await"(%[[FULL]], %[[STAGE]], %[[PHASE]])
// CHECK-NEXT: "accel.mma"(%{{.*}}, %[[K]], %{{.*}})
// CHECK-NEXT: "accel.notify"(%[[EMPTY]], %[[STAGE]])
// CHECK: "accel.await"(%[[FULL_V]], %[[STAGE]], %[[PHASE]])
// CHECK-NEXT: "accel.mma"(%{{.*}}, %[[V]], %{{.*}})
// CHECK-NEXT: "accel.notify"(%[[EMPTY_V]], %[[STAGE]])
// CHECK: } {accel.overlap}
func.func @products_overlap(%n: index, %x: memref<512x64xbf16>, %y: memref<512x64xbf16>, %r: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %q = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %k = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %v = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %all = scf.for %at = %c0 to %c512 step %c64 iter_args(%sums = %zero) -> (vector<64x64xf32>) {
      %keys = "accel.copy"(%x, %k, %at, %c0) : (memref<512x64xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      %values = "accel.copy"(%y, %v, %at, %c0) : (memref<512x64xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%keys, %values) : (!accel.token, !accel.token) -> ()
      %raw = "accel.mma"(%q, %k, %zero) {precision = "exact", transpose_b} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      %weights = arith.truncf %raw : vector<64x64xf32> to vector<64x64xbf16>
      %new = "accel.mma"(%weights, %v, %sums) {precision = "exact"} : (vector<64x64xbf16>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 2 : i64, accel.overlap}
    vector.transfer_write %all, %r[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}
