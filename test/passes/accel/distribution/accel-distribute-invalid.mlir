// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --accel-distribute --split-input-file --verify-diagnostics

func.func @clusters(%n: index) {
  // expected-error @below {{only blocks of sm_90a can be in clusters}}
  "accel.launch"(%n) ({
  ^bb0(%i: index):
  }) {cluster = array<i64: 2>, warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @floats_of_8_bits(%n: index, %x: memref<64xf8E4M3FN>) {
  %none = arith.constant 0.0 : f8E4M3FN
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%i], %none : memref<64xf8E4M3FN>, vector<64xf8E4M3FN>
    // expected-error @below {{cannot distribute 'arith.addf' on floats of 8 bits: extend them first}}
    %s = arith.addf %v, %v : vector<64xf8E4M3FN>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @floats_of_64_bits_as_8(%n: index, %x: memref<64xf64>, %y: memref<64xf8E5M2>) {
  %none = arith.constant 0.0 : f64
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%i], %none : memref<64xf64>, vector<64xf64>
    // expected-error @below {{cannot distribute a conversion of f64 to 8 bits, which rounds twice}}
    %s = arith.truncf %v : vector<64xf64> to vector<64xf8E5M2>
    vector.transfer_write %s, %y[%i] : vector<64xf8E5M2>, memref<64xf8E5M2>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @no_power_of_two(%n: index, %x: memref<64xf32>) {
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{a tile's extents must be powers of two, not vector<48xf32>}}
    %v = vector.transfer_read %x[%i], %none : memref<64xf32>, vector<48xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @captured_vector(%n: index, %x: memref<64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %every = vector.broadcast %v : f32 to vector<64xf32>
  // expected-error @below {{a launch cannot take a vector<64xf32> from around it}}
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    vector.transfer_write %every, %x[%c0] : vector<64xf32>, memref<64xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @strided(%n: index, %x: memref<64x64xf32, strided<[128, 1]>>) {
  %none = arith.constant 0.0 : f32
  // expected-error @below {{a launch takes dense memrefs from around it, not memref<64x64xf32, strided<[128, 1]>>}}
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%i, %i], %none : memref<64x64xf32, strided<[128, 1]>>, vector<64xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @part_of_a_swizzled_tile(%n: index) {
  %c8 = arith.constant 8 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<16x32xf32, #shared>
    // expected-error @below {{cannot distribute a part of a swizzled tile to threads}}
    %part = memref.subview %m[8, 0] [8, 32] [1, 1] : memref<16x32xf32, #shared> to memref<8x32xf32, strided<[32, 1], offset: 256>, #shared>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @row_of_a_swizzled_tile(%n: index) {
  %c8 = arith.constant 8 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<16x32xf32, #shared>
    // expected-error @below {{cannot distribute an access of parts of a swizzled buffer to threads}}
    %down = vector.transfer_read %m[%c8, %c8], %none {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<16x32xf32, #shared>, vector<16xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @elements_that_differ(%n: index) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{cannot distribute a constant whose elements differ}}
    %v = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @unknown_op(%n: index) {
  %v = arith.constant dense<1.0> : vector<8xf32>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{cannot distribute 'vector.shuffle' to threads}}
    %w = vector.shuffle %v, %v [0, 8] : vector<8xf32>, vector<8xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @roles(%n: index) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{cannot distribute 'accel.create_semaphore' to threads}}
    %s = "accel.create_semaphore"() {stages = 2 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
  }) {warps = 4 : i64} : (index) -> ()
  return
}
