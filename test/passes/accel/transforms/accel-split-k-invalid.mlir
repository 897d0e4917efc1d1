// RUN: mlc-opt %s --accel-split-k --split-input-file --verify-diagnostics

func.func @too_many_parts(%x: memref<4x32xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %start = arith.constant dense<0.0> : vector<32xf32>
    // expected-error @below {{4 steps cannot be split into 5 parts}}
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%old = %start) -> vector<32xf32> {
      %line = vector.transfer_read %x[%k, %c0], %none {in_bounds = [true]} : memref<4x32xf32>, vector<32xf32>
      %new = arith.addf %old, %line : vector<32xf32>
      scf.yield %new : vector<32xf32>
    } {accel.split_k = 5 : i64}
    vector.transfer_write %sum, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @too_many_blocks(%x: memref<4x32xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %start = arith.constant dense<0.0> : vector<32xf32>
    // expected-error @below {{1 tiles of 4 steps are not enough for 5 blocks}}
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%old = %start) -> vector<32xf32> {
      %line = vector.transfer_read %x[%k, %c0], %none {in_bounds = [true]} : memref<4x32xf32>, vector<32xf32>
      %new = arith.addf %old, %line : vector<32xf32>
      scf.yield %new : vector<32xf32>
    } {accel.stream_k = 5 : i64}
    vector.transfer_write %sum, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Not only a sum: what was there is scaled.
func.func @scaled(%x: memref<4x32xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %start = arith.constant dense<0.0> : vector<32xf32>
    // expected-error @below {{blocks share loops that carry one tile, to which they only add}}
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%old = %start) -> vector<32xf32> {
      %line = vector.transfer_read %x[%k, %c0], %none {in_bounds = [true]} : memref<4x32xf32>, vector<32xf32>
      %less = arith.mulf %old, %line : vector<32xf32>
      %new = arith.addf %less, %line : vector<32xf32>
      scf.yield %new : vector<32xf32>
    } {accel.split_k = 2 : i64}
    vector.transfer_write %sum, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// Each step reads what those before it have summed up.
func.func @read_sums(%x: memref<4x32xf32>, %y: memref<4x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %start = arith.constant dense<0.0> : vector<32xf32>
    // expected-error @below {{blocks share loops that carry one tile, to which they only add}}
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%old = %start) -> vector<32xf32> {
      %line = vector.transfer_read %x[%k, %c0], %none {in_bounds = [true]} : memref<4x32xf32>, vector<32xf32>
      %new = arith.addf %old, %line : vector<32xf32>
      vector.transfer_write %new, %y[%k, %c0] {in_bounds = [true]} : vector<32xf32>, memref<4x32xf32>
      scf.yield %new : vector<32xf32>
    } {accel.split_k = 2 : i64}
    vector.transfer_write %sum, %y[%c0, %c0] {in_bounds = [true]} : vector<32xf32>, memref<4x32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @unknown_steps(%n: index, %x: memref<4x32xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %start = arith.constant dense<0.0> : vector<32xf32>
    // expected-error @below {{blocks share loops whose bounds and grid are constants}}
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%old = %start) -> vector<32xf32> {
      %line = vector.transfer_read %x[%k, %c0], %none {in_bounds = [true]} : memref<4x32xf32>, vector<32xf32>
      %new = arith.addf %old, %line : vector<32xf32>
      scf.yield %new : vector<32xf32>
    } {accel.split_k = 2 : i64}
    vector.transfer_write %sum, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @without_launch(%x: memref<4x32xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{blocks share the steps of a loop at the top of an accel.launch, of one dim without clusters}}
  scf.for %k = %c0 to %c4 step %c1 {
  } {accel.split_k = 2 : i64}
  return
}
