// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @f(%c: index) {
  // expected-error @below {{'accel.launch' op takes a grid of 1 to 3 numbers of blocks, but has 4}}
  "accel.launch"(%c, %c, %c, %c) ({
  ^bb0(%i: index, %j: index, %k: index, %l: index):
  }) {warps = 4 : i64} : (index, index, index, index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  // expected-error @below {{'accel.launch' op warps must be one of 1, 2, 4, 8, 16, but is 3}}
  "accel.launch"(%c) ({
  ^bb0(%i: index):
  }) {warps = 3 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  // expected-error @below {{'accel.launch' op warps is missing}}
  "accel.launch"(%c) ({
  ^bb0(%i: index):
  }) {} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  // expected-error @below {{'accel.launch' op cluster must be an array of positive i64, one for each of the 1 dims of the grid}}
  "accel.launch"(%c) ({
  ^bb0(%i: index):
  }) {warps = 4 : i64, cluster = 2 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  // expected-error @below {{'accel.launch' op cluster must be an array of positive i64, one for each of the 2 dims of the grid}}
  "accel.launch"(%c, %c) ({
  ^bb0(%i: index, %j: index):
  }) {warps = 4 : i64, cluster = array<i64: 2>} : (index, index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  // expected-error @below {{'accel.launch' op cluster must have at most 8 blocks, but has 16}}
  "accel.launch"(%c, %c) ({
  ^bb0(%i: index, %j: index):
  }) {warps = 4 : i64, cluster = array<i64: 4, 4>} : (index, index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  %c6 = arith.constant 6 : index
  // expected-error @below {{'accel.launch' op cluster has 4 blocks along dim 1, which do not divide the grid's 6}}
  "accel.launch"(%c, %c6) ({
  ^bb0(%i: index, %j: index):
  }) {warps = 4 : i64, cluster = array<i64: 1, 4>} : (index, index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  // expected-error @below {{'accel.launch' op must have a body of one block with an index argument for each of the 2 dims}}
  "accel.launch"(%c, %c) ({
  ^bb0(%i: index):
  }) {warps = 4 : i64} : (index, index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.launch' op must not be in another accel.launch}}
    "accel.launch"(%c) ({
    ^bb0(%j: index):
    }) {warps = 4 : i64} : (index) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f() {
    // expected-error @below {{'accel.specialize' op must be in an accel.launch}}
    "accel.specialize"() ({
    }, {
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.specialize' op roles have whole groups of 4 warps, but 2 produce and 4 consume}}
    "accel.specialize"() ({
    }, {
    }) {producer_warps = 2 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.specialize' op the launch's 4 warps consume, but consumer_warps is 8}}
    "accel.specialize"() ({
    }, {
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.specialize' op a block has up to 32 warps, but the roles have 36}}
    "accel.specialize"() ({
    }, {
    }) {producer_warps = 32 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.specialize' op producer_registers must be a multiple of 8 from 24 to 248, but is 20}}
    "accel.specialize"() ({
    }, {
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 20 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.specialize' op consumer_registers must be a multiple of 8 from 24 to 248, but is 256}}
    "accel.specialize"() ({
    }, {
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 256 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.specialize' op the producer's region must have one block without arguments}}
    "accel.specialize"() ({
    ^bb0(%x: index):
    }, {
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<64x32xf16>, %b: memref<64x32xf16, #shared>, %s: vector<64x64xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op a must be a matrix, a vector or a memref in #gpu.address_space<workgroup>, but is memref<64x32xf16>}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact", transpose_b} : (memref<64x32xf16>, memref<64x32xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index, %a: vector<64x32xf16>, %b: vector<32xf16>, %s: vector<64x64xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op b must be a matrix, a vector or a memref in #gpu.address_space<workgroup>, but is vector<32xf16>}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact"} : (vector<64x32xf16>, vector<32xf16>, vector<64x64xf32>) -> vector<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<64x32xf16, #shared>, %b: memref<64x32xf16, #shared>, %s: memref<64x64xf32, #shared>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op the accumulator must be a vector of 2 dims, but is memref<64x64xf32, #gpu.address_space<workgroup>>}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact", transpose_b} : (memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, memref<64x64xf32, #shared>) -> memref<64x64xf32, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<64x32xf16, #shared>, %b: memref<64x32xf16, #shared>, %s: vector<64x64xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op transpose_b must be a unit attribute}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact", transpose_b = 1 : i64} : (memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<64x32xf16, #shared>, %b: memref<64x32xf16, #shared>, %s: vector<64x64xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op multiplies 64x32 by 64x32, and adds to 64x64}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact"} : (memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<64x32xf16, #shared>, %b: memref<64x32xf16, #shared>, %s: vector<64x32xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op multiplies 64x32 by 32x64, and adds to 64x32}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact", transpose_b} : (memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, vector<64x32xf32>) -> vector<64x32xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<64x32xf16, #shared>, %b: memref<64x32xbf16, #shared>, %s: vector<64x64xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op cannot multiply f16 by bf16}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact", transpose_b} : (memref<64x32xf16, #shared>, memref<64x32xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index, %a: vector<64x32xbf16>, %b: vector<64x32xbf16>, %s: vector<64x64xbf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op cannot sum products of bf16 in bf16; it can bf16 in f32, f8E4M3FN in f32, f8E5M2 in f32, f16 in f16 or f32, f32 in f32, f64 in f64, i8 in i32}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact", transpose_b} : (vector<64x32xbf16>, vector<64x32xbf16>, vector<64x64xbf16>) -> vector<64x64xbf16>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index, %a: vector<64x32xi32>, %b: vector<64x32xi32>, %s: vector<64x64xi32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op cannot sum products of i32 in i32; it can bf16 in f32, f8E4M3FN in f32, f8E5M2 in f32, f16 in f16 or f32, f32 in f32, f64 in f64, i8 in i32}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact", transpose_b} : (vector<64x32xi32>, vector<64x32xi32>, vector<64x64xi32>) -> vector<64x64xi32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<64x32xf16, #shared>, %b: memref<64x32xf16, #shared>, %s: vector<64x64xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op precision must be 'exact', or 'tf32' for operands of f32, but is 'tf32' for f16}}
    %r = "accel.mma"(%a, %b, %s) {precision = "tf32", transpose_b} : (memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<64x32xf16, #shared>, %b: memref<64x32xf16, #shared>, %s: vector<64x64xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op unsigned_b is for operands of i8, not of f16}}
    %r = "accel.mma"(%a, %b, %s) {precision = "exact", transpose_b, unsigned_b} : (memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index, %a: vector<64x32xf32>, %b: vector<64x32xf32>, %s: vector<64x64xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.mma' op precision must be 'exact', or 'tf32' for operands of f32, but is 'fast' for f32}}
    %r = "accel.mma"(%a, %b, %s) {precision = "fast", transpose_b} : (vector<64x32xf32>, vector<64x32xf32>, vector<64x64xf32>) -> vector<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.create_semaphore' op needs a stage and an arrival at least, but has 0 stages of 1 arrivals}}
    %s = "accel.create_semaphore"() {stages = 0 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    scf.for %k = %i to %c step %c {
      // expected-error @below {{'accel.create_semaphore' op must be at the top of an accel.launch: a block has it from its start to its end}}
      %s = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    }
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{expected base type 'accel.semaphore' but got 'builtin.index'}}
    "accel.notify"(%c, %c) : (index, index) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c, %c) ({
  ^bb0(%i: index, %j: index):
    %s = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    // expected-error @below {{'accel.notify' op multicast must be along dims of the grid in which clusters have several blocks}}
    "accel.notify"(%s, %i) {multicast = array<i64: 0, 1>} : (!accel.semaphore, index) -> ()
  }) {warps = 4 : i64, cluster = array<i64: 1, 2>} : (index, index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %s = "accel.create_semaphore"() {stages = 1 : i64, arrivals = 1 : i64} : () -> !accel.semaphore
    // expected-error @below {{'accel.notify' op multicast must be an array of dims of the grid, but is 0 : i64}}
    "accel.notify"(%s, %i) {multicast = 0 : i64} : (!accel.semaphore, index) -> ()
  }) {warps = 4 : i64, cluster = array<i64: 2>} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.await_ping_pong' op must be in the consumers' region of an accel.specialize}}
    "accel.await_ping_pong"() : () -> ()
  }) {warps = 8 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    "accel.specialize"() ({
      scf.for %at = %i to %c step %c {
        // expected-error @below {{'accel.pass_ping_pong' op must be in the consumers' region of an accel.specialize}}
        "accel.pass_ping_pong"() : () -> ()
      }
    }, {
    ^bb0:
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 8 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    "accel.specialize"() ({
    ^bb0:
    }, {
      // expected-error @below {{'accel.await_ping_pong' op first must be a unit attribute}}
      "accel.await_ping_pong"() {first = true} : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 8 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    "accel.specialize"() ({
    ^bb0:
    }, {
      // expected-error @below {{'accel.pass_ping_pong' op last must be a unit attribute}}
      "accel.pass_ping_pong"() {last = 1 : i64} : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64} : () -> ()
  }) {warps = 8 : i64} : (index) -> ()
  return
}
