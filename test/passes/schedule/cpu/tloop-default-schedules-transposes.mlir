// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --tloop-default-schedules | filecheck %s

// Blocks of 64 x 64 for the threads, squares of 16 x 16 in registers.
// CHECK-LABEL: func.func private @whole
// CHECK: "tloop.schedule"() ({
// CHECK-NEXT: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-NEXT: %[[B:.*]]:2 = "tloop.tile"(%[[ROOT]]) {mode = "parallel", sizes = array<i64: 64, 64>}
// CHECK-NEXT: %[[P:.*]]:2 = "tloop.tile"(%[[B]]#0) {mode = "sequential", sizes = array<i64: 16>}
// CHECK-NEXT: %[[Q:.*]]:2 = "tloop.tile"(%[[P]]#0) {mode = "sequential", sizes = array<i64: 0, 16>}
// CHECK-NEXT: "tloop.vectorize"(%[[Q]]#0)
// CHECK-NEXT: }) {kernel = @whole}
module attributes {tloop.target = "x86-64-v4"} {
func.func private @whole(%x: tensor<512x256xf32>) -> tensor<256x512xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<512x256xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}
}

// -----

// What squares do not divide: the last ones begin within those before. A prime extent stays whole.
// CHECK-LABEL: func.func private @rests
// CHECK: %[[B:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 0, 50>}
// CHECK-NEXT: %[[P:.*]]:2 = "tloop.tile"(%[[B]]#0) {mode = "sequential", sizes = array<i64: 0, 16>}
// CHECK-NEXT: "tloop.shift_inwards"(%[[P]]#1)
// CHECK-NEXT: %[[Q:.*]]:2 = "tloop.tile"(%[[P]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 16>}
// CHECK-NEXT: "tloop.shift_inwards"(%[[Q]]#1)
// CHECK-NEXT: "tloop.vectorize"(%[[Q]]#0)
module attributes {tloop.target = "x86-64-v4"} {
func.func private @rests(%x: tensor<7x100x131xf32>) -> tensor<7x131x100xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<7x100x131xf32>) -> tensor<7x131x100xf32>
  return %0 : tensor<7x131x100xf32>
}
}

// -----

// Heads before tokens: contiguous elements stay contiguous, and there are no squares.
// CHECK-LABEL: func.func private @heads
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 1>}
// CHECK-NOT: tloop.vectorize
module attributes {tloop.target = "x86-64-v4"} {
func.func private @heads(%x: tensor<1x128x12x64xf32>) -> tensor<1x12x128x64xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x128x12x64xf32>) -> tensor<1x12x128x64xf32>
  return %0 : tensor<1x12x128x64xf32>
}
}

// -----

// Blocks of channels: what is read by quotients and remainders is contiguous within a block.
// CHECK-LABEL: func.func private @unpacked
// CHECK: %[[B:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 0, 32, 1, 0>}
// CHECK-NEXT: %[[P:.*]]:2 = "tloop.tile"(%[[B]]#0) {mode = "sequential", sizes = array<i64: 0, 16>}
// CHECK-NEXT: %[[Q:.*]]:2 = "tloop.tile"(%[[P]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 16>}
// CHECK-NEXT: "tloop.shift_inwards"(%[[Q]]#1)
// CHECK-NEXT: "tloop.vectorize"(%[[Q]]#0)
module attributes {tloop.target = "x86-64-v4"} {
func.func private @unpacked(%x: tensor<1x2x67x83x32xf32>) -> tensor<1x64x67x83xf32> attributes {tloop.kernel} {
  %0 = "graph.unpack"(%x) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 32>} : (tensor<1x2x67x83x32xf32>) -> tensor<1x64x67x83xf32>
  return %0 : tensor<1x64x67x83xf32>
}
}

// -----

// CHECK-LABEL: func.func private @packed
// CHECK: %[[B:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 0, 1, 1, 0, 0>}
// CHECK-NEXT: %[[P:.*]]:2 = "tloop.tile"(%[[B]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 16>}
// CHECK-NEXT: "tloop.shift_inwards"(%[[P]]#1)
// CHECK-NEXT: %[[Q:.*]]:2 = "tloop.tile"(%[[P]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 16>}
// CHECK-NEXT: "tloop.vectorize"(%[[Q]]#0)
module attributes {tloop.target = "x86-64-v4"} {
func.func private @packed(%x: tensor<1x64x?x?xf32>, %d: tensor<2xindex>) -> tensor<1x2x?x?x32xf32> attributes {tloop.kernel, tloop.dims = [["", "", "d0", "d1"], ["", "", "d0", "d1", ""]]} {
  %0 = "graph.pack"(%x) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 32>} : (tensor<1x64x?x?xf32>) -> tensor<1x2x?x?x32xf32>
  return %0 : tensor<1x2x?x?x32xf32>
}
}

// -----

// A long prime extent, and nothing else to share: blocks of which the last one is partial.
// CHECK-LABEL: func.func private @prime
// CHECK: %[[B:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 0, 64>}
// CHECK-NEXT: %[[P:.*]]:2 = "tloop.tile"(%[[B]]#0) {mode = "sequential", sizes = array<i64: 16>}
// CHECK-NEXT: %[[Q:.*]]:2 = "tloop.tile"(%[[P]]#0) {mode = "sequential", sizes = array<i64: 0, 16>}
// CHECK-NEXT: "tloop.shift_inwards"(%[[Q]]#1)
// CHECK-NEXT: "tloop.vectorize"(%[[Q]]#0)
module attributes {tloop.target = "x86-64-v4"} {
func.func private @prime(%x: tensor<100003x16xf32>) -> tensor<16x100003xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<100003x16xf32>) -> tensor<16x100003xf32>
  return %0 : tensor<16x100003xf32>
}
}
