// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_80 --accel-distribute --split-input-file --verify-diagnostics

// Types that threads do not hold, in registers and in memory.
func.func @types(%n: index, %x: memref<64xi7>) {
  %none = arith.constant 0 : i7
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{threads hold no elements of type i7}}
    %v = vector.transfer_read %x[%i], %none : memref<64xi7>, vector<64xi7>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @indices_in_memory(%n: index, %x: memref<64xindex>) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{threads read no memory of index}}
    %v = vector.transfer_read %x[%i], %i : memref<64xindex>, vector<64xindex>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @no_dims(%n: index, %x: memref<64xf32>) {
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{a tile has dims of known extents, but this is a vector<f32>}}
    %v = vector.transfer_read %x[%i], %none : memref<64xf32>, vector<f32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @copied_tiles(%n: index, %x: memref<48x12xf16>) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<48x16xf16, #shared>
    // expected-error @below {{a tile's extents must be powers of two, not memref<48x16xf16, #gpu.address_space<workgroup>>}}
    %t = "accel.copy"(%x, %as, %i, %i) : (memref<48x12xf16>, memref<48x16xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @multiplied_tiles(%n: index) {
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16x3xf32, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<3x16xf32, #shared>
    %start = arith.constant dense<0.0> : vector<16x16xf32>
    // expected-error @below {{a tile's extents must be powers of two, not memref<16x3xf32, #gpu.address_space<workgroup>>}}
    %sum = "accel.mma"(%as, %bs, %start) {precision = "exact"} : (memref<16x3xf32, #shared>, memref<3x16xf32, #shared>, vector<16x16xf32>) -> vector<16x16xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @large_tiles(%n: index, %x: memref<1048576xf32>) {
  %none = arith.constant 0.0 : f32
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    // expected-error @below {{a block of 32 threads cannot hold a vector<1048576xf32>}}
    %v = vector.transfer_read %x[%i], %none : memref<1048576xf32>, vector<1048576xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @large_memory(%n: index, %x: memref<2147483648xf32>) {
  %none = arith.constant 0.0 : f32
  // expected-error @below {{threads compute offsets in 32 bits, too few for a memref<2147483648xf32>}}
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%i], %none : memref<2147483648xf32>, vector<32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

func.func @tensors(%n: index, %x: tensor<8xf32>) {
  // expected-error @below {{a launch cannot take a tensor<8xf32> from around it}}
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = tensor.extract %x[%i] : tensor<8xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

%n = arith.constant 4 : index
// expected-error @below {{a launch must be in a function}}
"accel.launch"(%n) ({
^bb0(%i: index):
}) {warps = 1 : i64} : (index) -> ()

// -----

// Each warp has other columns.
func.func @part(%x: memref<1x256xf32>, %y: memref<1x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%c0, %c0], %none {in_bounds = [true, true]} : memref<1x256xf32>, vector<1x256xf32>
    // expected-error @below {{cannot distribute 'vector.extract_strided_slice', of which threads have different parts}}
    %w = vector.extract_strided_slice %v {offsets = [0, 128], sizes = [1, 128], strides = [1, 1]} : vector<1x256xf32> to vector<1x128xf32>
    vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<1x128xf32>, memref<1x128xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

// Elements 32 to 95 are parts of two such parts.
func.func @between(%x: memref<64x128xf32>, %y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%c0, %c0], %none {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x128xf32>
    // expected-error @below {{cannot distribute 'vector.extract_strided_slice', of which threads have different parts}}
    %w = vector.extract_strided_slice %v {offsets = [0, 32], sizes = [64, 64], strides = [1, 1]} : vector<64x128xf32> to vector<64x64xf32>
    vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}
