// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.alloc' op makes a dense memref of static shape in #gpu.address_space<workgroup>, not a memref<64x32xf16>}}
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.alloc' op makes a dense memref of static shape in #gpu.address_space<workgroup>, not a memref<64x?xf16, #gpu.address_space<workgroup>>}}
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x?xf16, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.alloc' op makes a dense memref of static shape in #gpu.address_space<workgroup>, not a memref<64x32xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>}}
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, strided<[64, 1]>, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.alloc' op has 3 stages, which must be the first dim of its memref<64x32xf16, #gpu.address_space<workgroup>>}}
    %m = "accel.alloc"() {stages = 3 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.alloc' op has 0 stages, which must be the first dim of its memref<64x32xf16, #gpu.address_space<workgroup>>}}
    %m = "accel.alloc"() {stages = 0 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.alloc' op swizzle must be one of 0, 32, 64, 128, but is 16}}
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 16 : i64} : () -> memref<64x32xf16, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    scf.for %k = %i to %c step %c {
    // expected-error @below {{'accel.alloc' op must be at the top of an accel.launch: a block has it from its start to its end}}
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    }
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f() {
    // expected-error @below {{'accel.alloc' op must be at the top of an accel.launch: a block has it from its start to its end}}
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
  return
}

// -----

func.func @f(%c: index, %a: memref<512x512xf16>, %b: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.copy' op goes between global memory and #gpu.address_space<workgroup>, not from memref<512x512xf16> to memref<512x512xf16>}}
    %t = "accel.copy"(%a, %b, %c, %c) : (memref<512x512xf16>, memref<512x512xf16>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf32>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op cannot make f16 of f32}}
    %t = "accel.copy"(%a, %m, %c, %c) : (memref<512x512xf32>, memref<64x32xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op takes a tile of static shape with at most the 1 dims of memref<512xf16>, not memref<64x32xf16, #gpu.address_space<workgroup>>}}
    %t = "accel.copy"(%a, %m, %c) : (memref<512xf16>, memref<64x32xf16, #shared>, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op takes an offset for each of the 2 dims of memref<512x512xf16>, but has 1}}
    %t = "accel.copy"(%a, %m, %c) : (memref<512x512xf16>, memref<64x32xf16, #shared>, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op has a token that nobody waits for: accel.wait, accel.commit and accel.notify take it}}
    %t = "accel.copy"(%a, %m, %c, %c) : (memref<512x512xf16>, memref<64x32xf16, #shared>, index, index) -> !accel.token
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op has a token that 2 ops take (accel.commit, accel.wait), but a copy ends once}}
    %t = "accel.copy"(%a, %m, %c, %c) : (memref<512x512xf16>, memref<64x32xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
    "accel.commit"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.wait' op takes the tokens of at least one copy}}
    "accel.wait"() : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.wait_groups' op pending must not be negative, but is -1}}
    "accel.wait_groups"() {pending = -1 : i64} : () -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op has a box of 1024 elements for the 2048 of memref<64x32xf16, #gpu.address_space<workgroup>>}}
    %t = "accel.copy"(%a, %m, %c, %c) {box = array<i64: 32, 32>} : (memref<512x512xf16>, memref<64x32xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op box must be an array of positive i64, one for each of the 2 dims of memref<512x512xf16>}}
    %t = "accel.copy"(%a, %m, %c, %c) {box = array<i64: 64, 32, 1>} : (memref<512x512xf16>, memref<64x32xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op steps must be an array of positive i64, one for each of the 2 dims of memref<512x512xf16>}}
    %t = "accel.copy"(%a, %m, %c, %c) {steps = array<i64: 0, 1>} : (memref<512x512xf16>, memref<64x32xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    // expected-error @below {{'accel.copy' op bulk must be a unit attribute}}
    %t = "accel.copy"(%m, %a, %c, %c) {bulk = true} : (memref<32x64xf16, #shared>, memref<512x512xf16>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    // expected-error @below {{'accel.copy' op bulk is for copies to global memory}}
    %t = "accel.copy"(%a, %m, %c, %c) {bulk} : (memref<512x512xf16>, memref<32x64xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    // expected-error @below {{'accel.copy' op has bulk, and a token that is not for accel.wait}}
    %t = "accel.copy"(%m, %a, %c, %c) {bulk} : (memref<32x64xf16, #shared>, memref<512x512xf16>, index, index) -> !accel.token
    "accel.commit"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    %t = "accel.copy"(%m, %a, %c, %c) {} : (memref<32x64xf16, #shared>, memref<512x512xf16>, index, index) -> !accel.token
    // expected-error @below {{'accel.wait' op read must be a unit attribute}}
    "accel.wait"(%t) {read = 1 : i64} : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    %t = "accel.copy"(%a, %m, %c, %c) {} : (memref<512x512xf16>, memref<32x64xf16, #shared>, index, index) -> !accel.token
    // expected-error @below {{'accel.wait' op has read, which is for copies to global memory}}
    "accel.wait"(%t) {read} : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %x: memref<32x64xf16, #shared>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.reuse' op takes the memory of an accel.alloc}}
    %r = "accel.reuse"(%x) {swizzle = 128 : i64} : (memref<32x64xf16, #shared>) -> memref<32x64xf16, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    // expected-error @below {{'accel.reuse' op makes a dense memref of static shape in #gpu.address_space<workgroup>, not a memref<32x64xf16>}}
    %r = "accel.reuse"(%m) {swizzle = 128 : i64} : (memref<32x64xf16, #shared>) -> memref<32x64xf16>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    // expected-error @below {{'accel.reuse' op needs 8192 bytes, but the buffer has 4096}}
    %r = "accel.reuse"(%m) {swizzle = 128 : i64} : (memref<32x64xf16, #shared>) -> memref<32x64xf32, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<32x64xf16, #shared>
    // expected-error @below {{'accel.reuse' op makes a swizzled buffer of one that is not}}
    %r = "accel.reuse"(%m) {swizzle = 128 : i64} : (memref<32x64xf16, #shared>) -> memref<32x32xf32, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xf16, #shared>
    // expected-error @below {{'accel.reuse' op has rows of 64 bytes, which pieces of 128 must divide}}
    %r = "accel.reuse"(%m) {swizzle = 128 : i64} : (memref<32x64xf16, #shared>) -> memref<32x16xf32, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op multicast must be along dims of the grid in which clusters have several blocks}}
    %t = "accel.copy"(%a, %m, %i, %i) {multicast = 0 : i64} : (memref<512x512xf16>, memref<64x32xf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index, %a: memref<512x512xf16>) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64x32xf16, #shared>
    // expected-error @below {{'accel.copy' op multicast must be a dim of the grid, of a copy into #gpu.address_space<workgroup>}}
    %t = "accel.copy"(%m, %a, %i, %i) {multicast = 0 : i64} : (memref<64x32xf16, #shared>, memref<512x512xf16>, index, index) -> !accel.token
    "accel.wait"(%t) : (!accel.token) -> ()
  }) {warps = 4 : i64, cluster = array<i64: 2>} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @f(%c: index) {
  "accel.launch"(%c) ({
  ^bb0(%i: index):
    // expected-error @below {{'accel.alloc' op holds integers or floats, not complex<f32>}}
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xcomplex<f32>, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}
