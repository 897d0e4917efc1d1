// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-persist-blocks --split-input-file | filecheck %s
// A second run changes nothing.
// RUN: mlc-opt %s --tloop-set-target=target=cuda:sm_90a --accel-persist-blocks --accel-persist-blocks --split-input-file | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(tloop-set-target{target='name=cuda:sm_90a,cores=6'},accel-persist-blocks)" --split-input-file | filecheck %s --check-prefix=SIX

#shared = #gpu.address_space<workgroup>

// 200 tiles, and an H100's 132 multiprocessors. Buffers stay before the loop.
// CHECK-LABEL: func.func @tiles
// CHECK: "accel.launch"(%c132{{.*}}) ({
// CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: index):
// CHECK-NEXT: %[[AS:.*]] = "accel.alloc"
// CHECK-NEXT: %[[BS:.*]] = "accel.alloc"
// CHECK-NOT: "accel.alloc"
// CHECK: %[[TILES:.*]] = arith.constant 200 : index
// CHECK: %[[BLOCKS:.*]] = arith.constant 132 : index
// CHECK: scf.for %[[TILE:.*]] = %[[BLOCK]] to %[[TILES]] step %[[BLOCKS]] {
// CHECK: %[[COLUMN:.*]] = arith.muli %[[TILE]], %c128
// CHECK: scf.for
// CHECK: "accel.copy"(%arg1, %[[BS]], %{{.*}}, %[[COLUMN]])
// CHECK: } {accel.stages = 3 : i64}
// CHECK: vector.transfer_write %{{.*}}, %arg2[%c0, %[[COLUMN]]]
// CHECK-NEXT: }
// CHECK-NEXT: }) {warps = 8 : i64}
// SIX-LABEL: func.func @tiles
// SIX: "accel.launch"(%c6{{.*}}) ({
module attributes {tloop.target = "cuda:sm_90a"} {
func.func @tiles(%a: memref<128x512xbf16>, %b: memref<512x25600xbf16>, %c: memref<128x25600xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c200 = arith.constant 200 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<128x128xf32>
  "accel.launch"(%c200) ({
  ^bb0(%j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x128xbf16, #shared>
    %column = arith.muli %j, %c128 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<128x128xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<128x512xbf16>, memref<128x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %column) : (memref<512x25600xbf16>, memref<64x128xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<128x64xbf16, #shared>, memref<64x128xbf16, #shared>, vector<128x128xf32>) -> vector<128x128xf32>
      scf.yield %new : vector<128x128xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%c0, %column] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x25600xf32>
  }) {warps = 8 : i64} : (index) -> ()
  return
}
}

// -----

#shared = #gpu.address_space<workgroup>

// Two blocks of a cluster stay together: 66 clusters for 100 pairs of tiles.
// CHECK-LABEL: func.func @clusters
// CHECK: "accel.launch"(%c2, %c66{{.*}}) ({
// CHECK-NEXT: ^bb0(%[[INSIDE:.*]]: index, %[[CLUSTER:.*]]: index):
// CHECK: scf.for %[[PAIR:.*]] = %[[CLUSTER]] to
// CHECK: arith.muli %[[INSIDE]], %c128
// CHECK: arith.muli %[[PAIR]], %c128
// CHECK: }) {cluster = array<i64: 2, 1>, warps = 8 : i64}
// The cluster's dim is not that along which thread blocks loop: 8 thread blocks along it are four clusters.
// CHECK-LABEL: func.func @several
// CHECK: "accel.launch"(%c8, %c100)
// CHECK-NOT: step %c132
// SIX-LABEL: func.func @clusters
// SIX: "accel.launch"(%c2, %c3{{.*}}) ({
module attributes {tloop.target = "cuda:sm_90a"} {
func.func @clusters(%a: memref<256x512xbf16>, %b: memref<512x12800xbf16>, %c: memref<256x12800xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<128x128xf32>
  "accel.launch"(%c2, %c100) ({
  ^bb0(%i: index, %j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x128xbf16, #shared>
    %row = arith.muli %i, %c128 : index
    %column = arith.muli %j, %c128 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<128x128xf32> {
      %ta = "accel.copy"(%a, %as, %row, %k) : (memref<256x512xbf16>, memref<128x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %column) {multicast = 0 : i64} : (memref<512x12800xbf16>, memref<64x128xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<128x64xbf16, #shared>, memref<64x128xbf16, #shared>, vector<128x128xf32>) -> vector<128x128xf32>
      scf.yield %new : vector<128x128xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%row, %column] {in_bounds = [true, true]} : vector<128x128xf32>, memref<256x12800xf32>
  }) {cluster = array<i64: 2, 1>, warps = 8 : i64} : (index, index) -> ()
  return
}

func.func @several(%a: memref<1024x512xbf16>, %b: memref<512x12800xbf16>, %c: memref<1024x12800xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<128x128xf32>
  "accel.launch"(%c8, %c100) ({
  ^bb0(%i: index, %j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x128xbf16, #shared>
    %row = arith.muli %i, %c128 : index
    %column = arith.muli %j, %c128 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<128x128xf32> {
      %ta = "accel.copy"(%a, %as, %row, %k) : (memref<1024x512xbf16>, memref<128x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %column) : (memref<512x12800xbf16>, memref<64x128xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<128x64xbf16, #shared>, memref<64x128xbf16, #shared>, vector<128x128xf32>) -> vector<128x128xf32>
      scf.yield %new : vector<128x128xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%row, %column] {in_bounds = [true, true]} : vector<128x128xf32>, memref<1024x12800xf32>
  }) {cluster = array<i64: 2, 1>, warps = 8 : i64} : (index, index) -> ()
  return
}
}

// -----

#shared = #gpu.address_space<workgroup>

// 4 warps leave a multiprocessor room for other blocks.
// CHECK-LABEL: func.func @few_warps
// CHECK: "accel.launch"(%c200)
// CHECK: }) {warps = 4 : i64}
// Copies before the loop would be repeated for each tile, and not awaited.
// CHECK-LABEL: func.func @first_copy
// CHECK: "accel.launch"(%c200)
// SIX-LABEL: func.func @first_copy
// SIX: "accel.launch"(%c200)
module attributes {tloop.target = "cuda:sm_90a"} {
func.func @few_warps(%a: memref<64x512xbf16>, %b: memref<512x12800xbf16>, %c: memref<64x12800xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c200 = arith.constant 200 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<64x64xf32>
  "accel.launch"(%c200) ({
  ^bb0(%j: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %column = arith.muli %j, %c64 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<64x512xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %column) : (memref<512x12800xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%c0, %column] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x12800xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

func.func @first_copy(%q: memref<128x64xbf16>, %b: memref<512x25600xbf16>, %a: memref<128x512xbf16>, %c: memref<128x25600xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c200 = arith.constant 200 : index
  %c512 = arith.constant 512 : index
  %start = arith.constant dense<0.0> : vector<128x128xf32>
  "accel.launch"(%c200) ({
  ^bb0(%j: index):
    %qs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %tq = "accel.copy"(%q, %qs, %c0, %c0) : (memref<128x64xbf16>, memref<128x64xbf16, #shared>, index, index) -> !accel.token
    "accel.wait"(%tq) : (!accel.token) -> ()
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<128x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x128xbf16, #shared>
    %column = arith.muli %j, %c128 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<128x128xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<128x512xbf16>, memref<128x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %column) : (memref<512x25600xbf16>, memref<64x128xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<128x64xbf16, #shared>, memref<64x128xbf16, #shared>, vector<128x128xf32>) -> vector<128x128xf32>
      scf.yield %new : vector<128x128xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%c0, %column] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x25600xf32>
  }) {warps = 8 : i64} : (index) -> ()
  return
}
}
