// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-distribute --split-input-file --verify-diagnostics

#shared = #gpu.address_space<workgroup>

func.func @odd_rows(%n: index, %x: memref<64x75xbf16>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xbf16, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      // expected-error @below {{TMA needs rows of a multiple of 16 bytes, not of 150}}
      %t = "accel.copy"(%x, %m, %i, %c0) : (memref<64x75xbf16>, memref<64xbf16, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @long_tile(%n: index, %x: memref<64x512xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<512xf32, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      // expected-error @below {{TMA copies up to 256 elements along a dim, not 512}}
      %t = "accel.copy"(%x, %m, %i, %c0) : (memref<64x512xf32>, memref<512xf32, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @every_second_column(%n: index, %x: memref<64x512xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      // expected-error @below {{TMA copies whole rows of tiles, in steps up to 8 along other dims}}
      %t = "accel.copy"(%x, %m, %i, %c0) {steps = array<i64: 1, 2>} : (memref<64x512xf32>, memref<64xf32, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @small_tile(%n: index, %x: memref<64x512xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<8xf32, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      // expected-error @below {{TMA needs tiles of a multiple of 128 bytes with rows of 16, not memref<8xf32, #gpu.address_space<workgroup>>}}
      %t = "accel.copy"(%x, %m, %i, %c0) : (memref<64x512xf32>, memref<8xf32, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @few_swizzled_rows(%n: index, %x: memref<64x512xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<4x32xf32, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      // expected-error @below {{TMA needs swizzled tiles of a multiple of 8 rows, not memref<4x32xf32, #gpu.address_space<workgroup>>}}
      %t = "accel.copy"(%x, %m, %i, %c0) : (memref<64x512xf32>, memref<4x32xf32, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @dynamic_shape(%n: index, %x: memref<?x512xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      // expected-error @below {{TMA copies dense memrefs of static shape with 1 to 5 dims, not memref<?x512xf32>}}
      %t = "accel.copy"(%x, %m, %i, %c0) : (memref<?x512xf32>, memref<64xf32, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @back_to_global_memory(%n: index, %x: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      // expected-error @below {{only copies into shared memory end at semaphores}}
      %t = "accel.copy"(%m, %x, %i) : (memref<64xf32, #shared>, memref<512xf32>, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @producers_compute(%n: index, %x: memref<512xf32>) {
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    "accel.specialize"() ({
      // expected-error @below {{producers copy to semaphores and compute indices, and have no 'vector.transfer_read'}}
      %v = vector.transfer_read %x[%i], %none : memref<512xf32>, vector<64xf32>
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @tiles_beside_roles(%n: index, %x: memref<512xf32>) {
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{beside roles of warps only indices are computed}}
    %v = vector.transfer_read %x[%i], %none : memref<512xf32>, vector<64xf32>
    "accel.specialize"() ({
    ^bb0:
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @both_notify(%n: index) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{a semaphore is notified by one of the roles}}
    %s = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 2 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      "accel.notify"(%s, %c0) : (!accel.semaphore, index) -> ()
    }, {
      "accel.notify"(%s, %c0) : (!accel.semaphore, index) -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @no_role(%n: index) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %s = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    // expected-error @below {{'accel.await' is for roles of warps, in an accel.specialize}}
    "accel.await"(%s, %c0, %c0) : (!accel.semaphore, index, index) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @consumers_copy(%n: index, %x: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
    ^bb0:
    }, {
      %t = "accel.copy"(%x, %m, %i) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      // expected-error @below {{copies to semaphores are for producers}}
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @bulk_of_odd_rows(%n: index, %x: memref<64x75xbf16>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xbf16, #shared>
    // expected-error @below {{TMA needs rows of a multiple of 16 bytes, not of 150}}
    %t = "accel.copy"(%m, %x, %i, %c0) {bulk} : (memref<64xbf16, #shared>, memref<64x75xbf16>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @bulk_in_steps(%n: index, %x: memref<64x64xbf16>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<8x64xbf16, #shared>
    // expected-error @below {{TMA stores neighbours, without steps between them}}
    %t = "accel.copy"(%m, %x, %i, %c0) {bulk, steps = array<i64: 2, 1>} : (memref<8x64xbf16, #shared>, memref<64x64xbf16>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @no_equal_parts(%n: index, %x: memref<64x512xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<3x64xf32, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    "accel.specialize"() ({
      // expected-error @below {{blocks of a cluster copy equal parts of a tile, which memref<3x64xf32, #gpu.address_space<workgroup>> has not}}
      %t = "accel.copy"(%x, %m, %c0, %c0) {multicast = 0 : i64} : (memref<64x512xf32>, memref<3x64xf32, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {cluster = array<i64: 2>, warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @other_rows(%n: index, %x: memref<64x512xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<4x64xf32, #shared>
    %full = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    %row = arith.muli %i, %c8 : index
    "accel.specialize"() ({
      // expected-error @below {{a multicast copy must not depend on the block's index along its dim}}
      %t = "accel.copy"(%x, %m, %row, %c0) {multicast = 0 : i64} : (memref<64x512xf32>, memref<4x64xf32, #shared>, index, index) -> !accel.token
      "accel.notify"(%full, %c0, %t) : (!accel.semaphore, index, !accel.token) -> ()
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {cluster = array<i64: 2>, warps = 4 : i64} : (index) -> ()
  return
}
