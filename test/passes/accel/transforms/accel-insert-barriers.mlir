// RUN: mlc-opt %s --accel-insert-barriers | filecheck %s
// A second run changes nothing.
// RUN: mlc-opt %s --accel-insert-barriers --accel-insert-barriers | filecheck %s

#shared = #gpu.address_space<workgroup>

// Warps read what other warps wrote.
// CHECK-LABEL: func.func @write_then_read
// CHECK: vector.transfer_write
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: vector.transfer_read
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @write_then_read(%n: index) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %v = arith.constant dense<1.0> : vector<64xf32>
    vector.transfer_write %v, %m[%c0] : vector<64xf32>, memref<64xf32, #shared>
    %r = vector.transfer_read %m[%c0], %none : memref<64xf32, #shared>, vector<64xf32>
    %again = vector.transfer_read %m[%c0], %none : memref<64xf32, #shared>, vector<64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// A view is its buffer.
// CHECK-LABEL: func.func @read_then_write
// CHECK: "accel.wait"
// CHECK-NOT: gpu.barrier
// CHECK: vector.transfer_read
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: vector.transfer_write
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: vector.transfer_write
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @read_then_write(%n: index, %x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %v = arith.constant dense<1.0> : vector<32xf32>
    %half = memref.subview %m[0] [32] [1] : memref<64xf32, #shared> to memref<32xf32, strided<[1]>, #shared>
    %t = "accel.copy"(%x, %m, %c0) : (memref<64xf32>, memref<64xf32, #shared>, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
    %r = vector.transfer_read %m[%c0], %none : memref<64xf32, #shared>, vector<64xf32>
    vector.transfer_write %v, %half[%c0] : vector<32xf32>, memref<32xf32, strided<[1]>, #shared>
    vector.transfer_write %v, %m[%c0] : vector<32xf32>, memref<64xf32, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// A copy writes what the product of the iteration before reads; the first copy of an iteration waits for all.
// CHECK-LABEL: func.func @back_edge
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "accel.copy"
// CHECK-NEXT: "accel.copy"
// CHECK-NEXT: "accel.wait"
// CHECK-NEXT: "accel.mma"
// CHECK-NEXT: scf.yield
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @back_edge(%n: index, %a: memref<64x512xbf16>, %b: memref<512x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %sum = scf.for %k = %c0 to %c512 step %c32 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<64x512xbf16>, memref<64x32xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %c0) : (memref<512x64xbf16>, memref<32x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    }
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// A wait is a barrier between the reads of an iteration and the copies of the next; copies in flight are no writes.
// CHECK-LABEL: func.func @wait_is_a_barrier
// CHECK: "accel.launch"
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @wait_is_a_barrier(%n: index, %a: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 2 : i64, swizzle = 0 : i64} : () -> memref<2x64xf32, #shared>
    %one = memref.subview %m[0, 0] [1, 64] [1, 1] : memref<2x64xf32, #shared> to memref<64xf32, strided<[1]>, #shared>
    %two = memref.subview %m[1, 0] [1, 64] [1, 1] : memref<2x64xf32, #shared> to memref<64xf32, strided<[1], offset: 64>, #shared>
    scf.for %k = %c0 to %c512 step %c64 {
      "accel.wait_groups"() {pending = 0 : i64} : () -> ()
      %t = "accel.copy"(%a, %one, %k) : (memref<512xf32>, memref<64xf32, strided<[1]>, #shared>, index) -> !accel.token
      "accel.commit"(%t) : (!accel.token) -> ()
      %r = vector.transfer_read %two[%c0], %none : memref<64xf32, strided<[1], offset: 64>, #shared>, vector<64xf32>
    }
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// Whichever branch was taken.
// CHECK-LABEL: func.func @branches
// CHECK: scf.if
// CHECK-NEXT: vector.transfer_write
// CHECK-NEXT: } else {
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: vector.transfer_read
// CHECK: return
func.func @branches(%n: index, %flag: i1) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %v = arith.constant dense<1.0> : vector<64xf32>
    scf.if %flag {
      vector.transfer_write %v, %m[%c0] : vector<64xf32>, memref<64xf32, #shared>
    } else {
      gpu.barrier
    }
    %r = vector.transfer_read %m[%c0], %none : memref<64xf32, #shared>, vector<64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// Other buffers, and global memory, which no other block's threads share.
// CHECK-LABEL: func.func @nothing_shared
// CHECK: "accel.launch"
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @nothing_shared(%n: index, %x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %one = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %two = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %r = vector.transfer_read %one[%c0], %none : memref<64xf32, #shared>, vector<64xf32>
    vector.transfer_write %r, %two[%c0] : vector<64xf32>, memref<64xf32, #shared>
    vector.transfer_write %r, %x[%c0] : vector<64xf32>, memref<64xf32>
    %back = vector.transfer_read %x[%c0], %none : memref<64xf32>, vector<64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// A buffer in the memory of another one: mma must have read their operands, and the tile must be complete when it is
// stored. The wait is the barrier after it.
// CHECK-LABEL: func.func @memory_once_more
// CHECK: "accel.mma"
// CHECK-NEXT: "accel.reuse"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: vector.transfer_write
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "accel.copy"
// CHECK-NEXT: "accel.wait"
// CHECK-NEXT: vector.transfer_write
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @memory_once_more(%n: index, %x: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x128xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact"} : (memref<64x128xbf16, #shared>, memref<128x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
    %tile = "accel.reuse"(%as) {swizzle = 128 : i64} : (memref<64x128xbf16, #shared>) -> memref<64x64xf32, #shared>
    vector.transfer_write %sum, %tile[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32, #shared>
    %t = "accel.copy"(%tile, %x, %c0, %c0) {bulk} : (memref<64x64xf32, #shared>, memref<64x64xf32>, index, index) -> !accel.token
    "accel.wait"(%t) {read} : (!accel.token) -> ()
    vector.transfer_write %sum, %tile[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}
