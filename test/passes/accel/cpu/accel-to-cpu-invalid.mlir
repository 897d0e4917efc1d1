// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(accel-to-cpu))' --verify-diagnostics --split-input-file

func.func @roles(%n: index) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.specialize' op has no lowering to the CPU: lower the program before roles are given}}
    "accel.specialize"() ({
      "accel.commit"() : () -> ()
    }, {
      "accel.commit"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @semaphore(%n: index) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.create_semaphore' op has no lowering to the CPU: lower the program before roles are given}}
    %s = "accel.create_semaphore"() {stages = 2 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @unknown(%n: index, %x: memref<?xf32>) {
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%i], %none : memref<?xf32>, vector<8xf32>
    // expected-error @below {{'vector.shuffle' op on tiles has no lowering to the CPU}}
    %w = vector.shuffle %v, %v [0, 8] : vector<8xf32>, vector<8xf32>
    vector.transfer_write %w, %x[%i] : vector<2xf32>, memref<?xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @token(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<8xf32, #shared>
    %first = "accel.copy"(%x, %m, %c0) : (memref<?xf32>, memref<8xf32, #shared>, index) -> !accel.token
    // expected-error @below {{'scf.for' op takes the token of a copy, which only accel.wait and accel.commit may here}}
    %last = scf.for %k = %c0 to %n step %n iter_args(%old = %first) -> !accel.token {
      "accel.wait"(%old) : (!accel.token) -> ()
      %new = "accel.copy"(%x, %m, %k) : (memref<?xf32>, memref<8xf32, #shared>, index) -> !accel.token
      scf.yield %new : !accel.token
    }
    "accel.wait"(%last) : (!accel.token) -> ()
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// expected-error @below {{a function with launches cannot take a vector<8xf32>}}
func.func @argument(%n: index, %v: vector<8xf32>) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// expected-error @below {{launches must be in a function of one block}}
func.func @blocks(%n: index) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
  }) {warps = 1 : i64} : (index) -> ()
  cf.br ^end
^end:
  return
}
