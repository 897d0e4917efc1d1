// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-multicast-copies --split-input-file | filecheck %s

#shared = #gpu.address_space<workgroup>

// Blocks along dim 0 have other rows and the same columns: they share the right operand, those along dim 1 the left
// one.
// CHECK-LABEL: func.func @both
// CHECK: "accel.copy"(%arg0, {{.*}}) {multicast = 1 : i64}
// CHECK: "accel.copy"(%arg1, {{.*}}) {multicast = 0 : i64}
// CHECK: }) {cluster = array<i64: 2, 4, 1>, warps = 4 : i64}
// Along dim 1 alone, only the left one.
// CHECK-LABEL: func.func @one
// CHECK: "accel.copy"(%arg0, {{.*}}) {multicast = 1 : i64}
// CHECK: "accel.copy"(%arg1, %{{[^)]*}}) :
// CHECK: }) {cluster = array<i64: 1, 2, 1>, warps = 4 : i64}
func.func @both(%a: memref<4x512x512xbf16>, %b: memref<4x512x512xbf16>, %c: memref<4x512x512xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%c8, %c8, %c4) ({
  ^bb0(%i: index, %j: index, %n: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %row = arith.muli %i, %c64 : index
    %column = arith.muli %j, %c64 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %n, %row, %k) : (memref<4x512x512xbf16>, memref<64x64xbf16, #shared>, index, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %n, %k, %column) : (memref<4x512x512xbf16>, memref<64x64xbf16, #shared>, index, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%n, %row, %column] : vector<64x64xf32>, memref<4x512x512xf32>
  }) {cluster = array<i64: 2, 4, 1>, warps = 4 : i64} : (index, index, index) -> ()
  return
}

func.func @one(%a: memref<4x512x512xbf16>, %b: memref<4x512x512xbf16>, %c: memref<4x512x512xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%c8, %c8, %c4) ({
  ^bb0(%i: index, %j: index, %n: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %row = arith.muli %i, %c64 : index
    %column = arith.muli %j, %c64 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %n, %row, %k) : (memref<4x512x512xbf16>, memref<64x64xbf16, #shared>, index, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %n, %k, %column) : (memref<4x512x512xbf16>, memref<64x64xbf16, #shared>, index, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%n, %row, %column] : vector<64x64xf32>, memref<4x512x512xf32>
  }) {cluster = array<i64: 1, 2, 1>, warps = 4 : i64} : (index, index, index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Blocks of a cluster whose loops run differently often cannot wait for each other. Nothing is shared then, and the
// launch is no longer in clusters.
// CHECK-LABEL: func.func @other_bounds
// CHECK-NOT: multicast
// CHECK: }) {warps = 4 : i64}
func.func @other_bounds(%a: memref<512x512xbf16>, %b: memref<512x512xbf16>, %c: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  "accel.launch"(%c8) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %row = arith.muli %i, %c64 : index
    %sum = scf.for %k = %c0 to %row step %c64 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %row, %k) : (memref<512x512xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %c0) : (memref<512x512xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%row, %c0] : vector<64x64xf32>, memref<512x512xf32>
  }) {cluster = array<i64: 2>, warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// Exact products of f32 get no roles, so that nobody multicasts.
// CHECK-LABEL: func.func @no_roles
// CHECK-NOT: multicast
// CHECK: }) {warps = 4 : i64}
func.func @no_roles(%a: memref<64x512xf32>, %b: memref<64x512xf32>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%c4) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x32xf32, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x32xf32, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %sum = scf.for %k = %c0 to %c512 step %c32 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<64x512xf32>, memref<64x32xf32, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %c0, %k) {multicast = 0 : i64} : (memref<64x512xf32>, memref<64x32xf32, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact", transpose_b} : (memref<64x32xf32, #shared>, memref<64x32xf32, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
  }) {cluster = array<i64: 4>, warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

// 8 rows have no 2 parts of 8 swizzled rows, but 64 columns of f32 are two panels of 128 bytes: only they are shared.
// CHECK-LABEL: func.func @parts
// CHECK: "accel.copy"(%arg0, %{{[^)]*}}) :
// CHECK: "accel.copy"(%arg1, {{.*}}) {multicast = 0 : i64}
// CHECK: }) {cluster = array<i64: 2>, warps = 4 : i64}
func.func @parts(%x: memref<8x512xf32>, %y: memref<8x512xf32>, %z: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c4) ({
  ^bb0(%i: index):
    %xs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<8x32xf32, #shared>
    %ys = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<8x64xf32, #shared>
    %start = arith.constant dense<0.0> : vector<8x64xf32>
    %sum = scf.for %k = %c0 to %c256 step %c32 iter_args(%old = %start) -> vector<8x64xf32> {
      %tx = "accel.copy"(%x, %xs, %c0, %k) : (memref<8x512xf32>, memref<8x32xf32, #shared>, index, index) -> !accel.token
      %ty = "accel.copy"(%y, %ys, %c0, %k) : (memref<8x512xf32>, memref<8x64xf32, #shared>, index, index) -> !accel.token
      "accel.wait"(%tx, %ty) : (!accel.token, !accel.token) -> ()
      %v = vector.transfer_read %ys[%c0, %c0], %none : memref<8x64xf32, #shared>, vector<8x64xf32>
      %new = arith.addf %old, %v : vector<8x64xf32>
      scf.yield %new : vector<8x64xf32>
    } {accel.stages = 2 : i64}
    vector.transfer_write %sum, %z[%c0, %c0] : vector<8x64xf32>, memref<8x64xf32>
  }) {cluster = array<i64: 2>, warps = 4 : i64} : (index) -> ()
  return
}
