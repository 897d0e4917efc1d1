// RUN: mlc-opt %s --accel-pipeline-loops --split-input-file --verify-diagnostics

#shared = #gpu.address_space<workgroup>

func.func @no_copy(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{a loop with accel.stages copies into shared memory and waits once, but this one has 0 copies and 0 waits}}
    scf.for %k = %c0 to %n step %c1 {
    } {accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @two_waits(%n: index, %x: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %o = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    // expected-error @below {{a loop with accel.stages copies into shared memory and waits once, but this one has 2 copies and 2 waits}}
    scf.for %k = %c0 to %n step %c64 {
      %t = "accel.copy"(%x, %m, %k) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      "accel.wait"(%t) : (!accel.token) -> ()
      %u = "accel.copy"(%x, %o, %k) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      "accel.wait"(%u) : (!accel.token) -> ()
    } {accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @waits_for_one(%n: index, %x: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %o = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    scf.for %k = %c0 to %n step %c64 {
      %t = "accel.copy"(%x, %m, %k) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      %u = "accel.copy"(%x, %o, %k) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      // expected-error @below {{a loop with accel.stages waits for all of its copies at once}}
      "accel.wait"(%t) : (!accel.token) -> ()
      "accel.commit"(%u) : (!accel.token) -> ()
    } {accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @part_of_a_buffer(%n: index, %x: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    %half = memref.subview %m[0] [32] [1] : memref<64xf32, #shared> to memref<32xf32, strided<[1]>, #shared>
    scf.for %k = %c0 to %n step %c64 {
      // expected-error @below {{a pipelined copy writes a whole buffer of one stage}}
      %t = "accel.copy"(%x, %half, %k) : (memref<512xf32>, memref<32xf32, strided<[1]>, #shared>, index) -> !accel.token
      "accel.wait"(%t) : (!accel.token) -> ()
    } {accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @buffer_used_behind_the_loop(%n: index, %x: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    scf.for %k = %c0 to %n step %c64 {
      // expected-error @below {{a pipelined copy writes a buffer that no other copy writes and only its loop uses}}
      %t = "accel.copy"(%x, %m, %k) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      "accel.wait"(%t) : (!accel.token) -> ()
    } {accel.stages = 2 : i64}
    %v = vector.transfer_read %m[%c0], %none : memref<64xf32, #shared>, vector<64xf32>
    vector.transfer_write %v, %x[%c0] : vector<64xf32>, memref<512xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @two_copies_into_one(%n: index, %x: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    scf.for %k = %c0 to %n step %c64 {
      // expected-error @below {{a pipelined copy writes a buffer that no other copy writes and only its loop uses}}
      %t = "accel.copy"(%x, %m, %k) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      %u = "accel.copy"(%x, %m, %k) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      "accel.wait"(%t, %u) : (!accel.token, !accel.token) -> ()
    } {accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @stages(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{accel.stages must be an integer from 1 to 64, but is "two"}}
    scf.for %j = %c0 to %n step %c1 {
    } {accel.stages = "two"}
  }) {warps = 4 : i64} : (index) -> ()
  return
}
