// RUN: %roundtrip

#shared = #gpu.address_space<workgroup>

// A product, one tile of the result per block; the loop is a pipeline of three stages to be.
// CHECK-LABEL: func.func @product
// CHECK: "accel.launch"(%{{.*}}, %{{.*}}) ({
// CHECK-NEXT: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT: %[[A:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #gpu.address_space<workgroup>>
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<128x128xf32>)
// CHECK: %[[T:.*]] = "accel.copy"(%{{.*}}, %[[A]], %{{.*}}, %[[K]]) : (memref<?x?xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>, index, index) -> !accel.token
// CHECK: "accel.wait"(%[[T]], %{{.*}}) : (!accel.token, !accel.token) -> ()
// CHECK: %[[NEW:.*]] = "accel.mma"(%[[A]], %{{.*}}, %[[OLD]]) {precision = "exact", transpose_b}
// CHECK: scf.yield %[[NEW]] : vector<128x128xf32>
// CHECK-NEXT: } {accel.stages = 3 : i64}
// CHECK: }) {warps = 4 : i64} : (index, index) -> ()
func.func @product(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>, %m: index, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : vector<128x128xf32>
  %rows = arith.ceildivui %m, %c128 : index
  %columns = arith.ceildivui %n, %c128 : index
  "accel.launch"(%rows, %columns) ({
  ^bb0(%i: index, %j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %row = arith.muli %i, %c128 : index
    %column = arith.muli %j, %c128 : index
    %sum = scf.for %step = %c0 to %k step %c64 iter_args(%old = %zero) -> vector<128x128xf32> {
      %ta = "accel.copy"(%a, %as, %row, %step) : (memref<?x?xbf16>, memref<128x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %column, %step) : (memref<?x?xbf16>, memref<128x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact", transpose_b} : (memref<128x64xbf16, #shared>, memref<128x64xbf16, #shared>, vector<128x128xf32>) -> vector<128x128xf32>
      scf.yield %new : vector<128x128xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%row, %column] : vector<128x128xf32>, memref<?x?xf32>
  }) {warps = 4 : i64} : (index, index) -> ()
  return
}

// The forms that pipelining gives: groups of copies, or roles that meet at semaphores.
// CHECK-LABEL: func.func @groups
// CHECK: %[[S:.*]] = memref.subview
// CHECK: %[[T:.*]] = "accel.copy"(%{{.*}}, %[[S]], {{.*}} strided<[64, 1], offset: ?>
// CHECK-NEXT: "accel.commit"(%[[T]]) : (!accel.token) -> ()
// CHECK-NEXT: "accel.commit"() : () -> ()
// CHECK-NEXT: "accel.wait_groups"() {pending = 1 : i64} : () -> ()
func.func @groups(%a: memref<2x512x512xf16>, %stage: index) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 4 : i64, swizzle = 0 : i64} : () -> memref<4x32x64xf16, #shared>
    %tile = memref.subview %as[%stage, 0, 0] [1, 32, 64] [1, 1, 1] : memref<4x32x64xf16, #shared> to memref<32x64xf16, strided<[64, 1], offset: ?>, #shared>
    %t = "accel.copy"(%a, %tile, %c1, %i, %i) : (memref<2x512x512xf16>, memref<32x64xf16, strided<[64, 1], offset: ?>, #shared>, index, index, index) -> !accel.token
    "accel.commit"(%t) : (!accel.token) -> ()
    "accel.commit"() : () -> ()
    "accel.wait_groups"() {pending = 1 : i64} : () -> ()
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// A part of an image, every second pixel of it, as the rows of a matrix.
// CHECK-LABEL: func.func @box
// CHECK: "accel.copy"({{.*}}) {box = array<i64: 1, 4, 8, 64>, steps = array<i64: 1, 2, 2, 1>}
func.func @box(%x: memref<1x56x56x64xf16>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    %t = "accel.copy"(%x, %as, %i, %i, %i, %i) {box = array<i64: 1, 4, 8, 64>, steps = array<i64: 1, 2, 2, 1>}
        : (memref<1x56x56x64xf16>, memref<32x64xf16, #shared>, index, index, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// CHECK-LABEL: func.func @roles
// CHECK: %[[FULL:.*]] = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 4 : i64} : () -> !accel.semaphore
// CHECK: "accel.specialize"() ({
// CHECK: "accel.await"(%{{.*}}, %{{.*}}, %{{.*}}) : (!accel.semaphore, index, index) -> ()
// CHECK: "accel.notify"(%[[FULL]], %{{.*}}, %{{.*}}) : (!accel.semaphore, index, !accel.token) -> ()
// CHECK: }, {
// CHECK: "accel.await"(%[[FULL]]
// CHECK: "accel.notify"(%{{.*}}, %{{.*}}) : (!accel.semaphore, index) -> ()
// CHECK: }) {consumer_registers = 232 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, producer_warps = 4 : i64} : () -> ()
func.func @roles(%a: memref<512x512xf16>, %stage: index, %phase: index) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    %full = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 4 : i64} : () -> !accel.semaphore
    %empty = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 4 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      "accel.await"(%empty, %stage, %phase) : (!accel.semaphore, index, index) -> ()
      %t = "accel.copy"(%a, %as, %i, %i) : (memref<512x512xf16>, memref<32x64xf16, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %stage, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
      "accel.await"(%full, %stage, %phase) : (!accel.semaphore, index, index) -> ()
      "accel.notify"(%empty, %stage) : (!accel.semaphore, index) -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 8 : i64} : (index) -> ()
  return
}

// A tile that TMA stores, from the shared memory of another one.
// CHECK-LABEL: func.func @bulk
// CHECK: %[[M:.*]] = "accel.alloc"
// CHECK: %[[R:.*]] = "accel.reuse"(%[[M]]) {swizzle = 128 : i64} : (memref<32x64xf16, #gpu.address_space<workgroup>>) -> memref<32x32xf32, #gpu.address_space<workgroup>>
// CHECK: %[[T:.*]] = "accel.copy"(%[[R]], %{{.*}}, %{{.*}}, %{{.*}}) {bulk}
// CHECK: "accel.wait"(%[[T]]) {read} : (!accel.token) -> ()
func.func @bulk(%x: memref<512x512xf32>) {
  %c1 = arith.constant 1 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    %r = "accel.reuse"(%m) {swizzle = 128 : i64} : (memref<32x64xf16, #shared>) -> memref<32x32xf32, #shared>
    %t = "accel.copy"(%r, %x, %i, %i) {bulk} : (memref<32x32xf32, #shared>, memref<512x512xf32>, index, index) -> !accel.token
    "accel.wait"(%t) {read} : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// Blocks of a cluster, 2 down and 4 across: each gets the tile of its column from both of it.
// CHECK-LABEL: func.func @clusters
// CHECK: %[[T:.*]] = "accel.copy"({{.*}}) {multicast = 0 : i64}
// CHECK: "accel.notify"(%{{.*}}, %{{.*}}) {multicast = array<i64: 0, 1>} : (!accel.semaphore, index) -> ()
// CHECK: }) {cluster = array<i64: 2, 4>, warps = 4 : i64} : (index, index) -> ()
func.func @clusters(%a: memref<512x512xf16>, %stage: index) {
  %c8 = arith.constant 8 : index
  "accel.launch"(%c8, %c8) ({
  ^bb0(%i: index, %j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    %full = "accel.create_semaphore"() {arrivals = 1 : i64, stages = 4 : i64} : () -> !accel.semaphore
    %empty = "accel.create_semaphore"() {arrivals = 5 : i64, stages = 4 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      %t = "accel.copy"(%a, %as, %j, %j) {multicast = 0 : i64} : (memref<512x512xf16>, memref<32x64xf16, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %stage, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
      "accel.notify"(%empty, %stage) {multicast = array<i64: 0, 1>} : (!accel.semaphore, index) -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {cluster = array<i64: 2, 4>, warps = 4 : i64} : (index, index) -> ()
  return
}

// Groups of warps in ping-pong.
// CHECK-LABEL: func.func @turns
// CHECK: "accel.await_ping_pong"() {first} : () -> ()
// CHECK-NEXT: "accel.pass_ping_pong"() : () -> ()
// CHECK: "accel.await_ping_pong"() : () -> ()
// CHECK-NEXT: "accel.pass_ping_pong"() {last} : () -> ()
func.func @turns(%n: index) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    "accel.specialize"() ({
    ^bb0:
    }, {
      "accel.await_ping_pong"() {first} : () -> ()
      "accel.pass_ping_pong"() : () -> ()
      scf.for %at = %i to %n step %n {
        "accel.await_ping_pong"() : () -> ()
        "accel.pass_ping_pong"() {last} : () -> ()
      }
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 8 : i64} : (index) -> ()
  return
}
