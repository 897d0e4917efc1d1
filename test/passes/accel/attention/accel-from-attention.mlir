// RUN: mlc-opt %s --accel-from-attention --canonicalize --cse --split-input-file | filecheck %s

// A thread block has 64 queries of one of 4 heads, the last ones first, as they see most of the 256 keys. Query s
// sees keys up to s + 128: the loop ends after those of the last query, and tiles that reach beyond the first query's
// are masked. Scale and logarithm are one factor.
// CHECK-LABEL: func.func private @causal(
// CHECK-SAME: %[[Q:.*]]: memref<4x128x64xbf16>, %[[K:.*]]: memref<4x256x64xbf16>, %[[V:.*]]: memref<4x256x64xbf16>, %[[R:.*]]: memref<4x128x64xbf16>) attributes {tloop.kernel}
// CHECK: %[[FACTOR:.*]] = arith.constant dense<0.180336878> : vector<64x64xf32>
// CHECK: %[[NONE:.*]] = arith.constant dense<0xFF800000> : vector<64xf32>
// CHECK: "accel.launch"(%c8) ({
// CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: index):
// CHECK-NEXT: %[[REST:.*]] = arith.remui %[[BLOCK]], %c2
// CHECK-NEXT: %[[HEAD:.*]] = arith.divui %[[BLOCK]], %c2
// CHECK-NEXT: %[[TILE:.*]] = arith.subi %c1, %[[REST]]
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[TILE]], %c64
// CHECK-NEXT: %[[KEYS:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16,
// CHECK-NEXT: %[[VALUES:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16,
// CHECK: %[[QUERIES:.*]] = vector.transfer_read %[[Q]][%[[HEAD]], %[[FIRST]], %c0]
// CHECK: %[[COMMON:.*]] = arith.addi %[[FIRST]], %c129
// CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[FIRST]], %c192
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[BEHIND]], %c256
// CHECK-NEXT: %[[LOOP:.*]]:3 = scf.for %[[AT:.*]] = %c0 to %[[END]] step %c64
// CHECK-SAME: iter_args(%[[TOP:.*]] = %[[NONE]], %[[TOTAL:.*]] = %{{.*}}, %[[RESULT:.*]] = %{{.*}}) -> (vector<64xf32>, vector<64x8xf32>, vector<64x64xf32>)
// CHECK-NEXT: %[[TOKEN:.*]] = "accel.copy"(%[[K]], %[[KEYS]], %[[HEAD]], %[[AT]], %c0) {box = array<i64: 1, 64, 64>}
// CHECK-NEXT: %[[TOKEN2:.*]] = "accel.copy"(%[[V]], %[[VALUES]], %[[HEAD]], %[[AT]], %c0) {box = array<i64: 1, 64, 64>}
// CHECK-NEXT: "accel.wait"(%[[TOKEN]], %[[TOKEN2]])
// CHECK-NEXT: %[[RAW:.*]] = "accel.mma"(%[[QUERIES]], %[[KEYS]], %{{.*}}) {precision = "exact", transpose_b}
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[AT]], %c64
// CHECK-NEXT: %[[REACHES:.*]] = arith.cmpi sgt, %[[NEXT]], %[[COMMON]]
// CHECK-NEXT: %[[SCORES:.*]] = scf.if %[[REACHES]]
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c128
// CHECK: %[[LATER:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : vector<64x64xindex>
// CHECK-NEXT: arith.select %[[LATER]], %{{.*}}, %[[RAW]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[RAW]]
// CHECK: %[[NEW_TOP:.*]] = vector.multi_reduction <maximumf>, %[[SCORES]], %[[TOP]] [1]
// CHECK-NEXT: %[[NOTHING:.*]] = arith.cmpf oeq, %[[NEW_TOP]], %[[NONE]]
// CHECK-NEXT: %[[REFERENCE:.*]] = arith.select %[[NOTHING]], %{{.*}}, %[[NEW_TOP]]
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[REFERENCE]], %{{.*}}
// CHECK-NEXT: %[[OLD_PRODUCT:.*]] = arith.mulf %[[TOP]], %{{.*}}
// CHECK-NEXT: %[[CHANGE:.*]] = arith.subf %[[OLD_PRODUCT]], %[[PRODUCT]]
// CHECK-NEXT: %[[CORRECTION:.*]] = math.exp2 %[[CHANGE]] fastmath<afn> : vector<64xf32>
// CHECK-NEXT: %[[BIAS:.*]] = arith.negf %[[PRODUCT]]
// CHECK: %[[EXPONENTS:.*]] = math.fma %[[SCORES]], %[[FACTOR]], %{{.*}} : vector<64x64xf32>
// CHECK-NEXT: %[[WEIGHTS:.*]] = math.exp2 %[[EXPONENTS]] fastmath<afn> : vector<64x64xf32>
// CHECK: %[[OLD_TOTAL:.*]] = arith.mulf %[[TOTAL]], %{{.*}} : vector<64x8xf32>
// CHECK-NEXT: %[[PIECES:.*]] = vector.shape_cast %[[WEIGHTS]] : vector<64x64xf32> to vector<64x8x8xf32>
// CHECK-NEXT: %[[NEW_TOTAL:.*]] = vector.multi_reduction <add>, %[[PIECES]], %[[OLD_TOTAL]] [1]
// CHECK: %[[OLD:.*]] = arith.mulf %[[RESULT]], %{{.*}} : vector<64x64xf32>
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[WEIGHTS]] : vector<64x64xf32> to vector<64x64xbf16>
// CHECK-NEXT: %[[NEW:.*]] = "accel.mma"(%[[NARROW]], %[[VALUES]], %[[OLD]]) {precision = "exact"}
// CHECK-NEXT: scf.yield %[[NEW_TOP]], %[[NEW_TOTAL]], %[[NEW]]
// CHECK-NEXT: } {accel.stages = 2 : i64}
// CHECK-NEXT: %[[SUM:.*]] = vector.multi_reduction <add>, %[[LOOP]]#1, %{{.*}} [1] : vector<64x8xf32> to vector<64xf32>
// CHECK-NEXT: %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[SUM]]
// CHECK: arith.mulf %[[LOOP]]#2, %{{.*}} : vector<64x64xf32>
// CHECK: vector.transfer_write %{{.*}}, %[[R]][%[[HEAD]], %[[FIRST]], %c0] {in_bounds = [true, true]} : vector<64x64xbf16>
// CHECK: }) {warps = 4 : i64}
func.func private @causal(%q: tensor<4x128x64xbf16>, %k: tensor<4x256x64xbf16>, %v: tensor<4x256x64xbf16>) -> tensor<4x128x64xbf16> attributes {tloop.kernel} {
  %r = "graph.attention"(%q, %k, %v) {scale = 0.125 : f64, causal = true} : (tensor<4x128x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>) -> tensor<4x128x64xbf16>
  return %r : tensor<4x128x64xbf16>
}

// -----

// Heads are read in their layout, 2 of queries with one of keys; exact f32: queries and weights in shared memory. A
// mask is added to scaled scores. One tile of keys, which reaches beyond the last one.
// CHECK-LABEL: func.func private @grouped(
// CHECK-SAME: %[[Q:.*]]: memref<1x20x4x16xf32>, %[[K:.*]]: memref<1x40x2x16xf32>, %{{.*}}: memref<1x40x2x16xf32>, %[[MASK:.*]]: memref<1x1x1x40xf32>, %[[R:.*]]: memref<1x20x4x16xf32>)
// CHECK-DAG: %[[LOG:.*]] = arith.constant dense<1.44269502> : vector<32x64xf32>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<2.500000e-01> : vector<32x64xf32>
// CHECK: %[[WEIGHTS:.*]] = "accel.alloc"() {{.*}} -> memref<32x64xf32,
// CHECK: %[[QUERIES:.*]] = "accel.alloc"() {{.*}} -> memref<32x16xf32,
// CHECK: "accel.copy"(%[[Q]], %[[QUERIES]], %c0, %{{.*}}, %[[HEAD:.*]], %c0) {box = array<i64: 1, 32, 1, 16>}
// CHECK: "accel.wait"
// CHECK: %[[GROUP:.*]] = arith.divui %[[HEAD]], %c2
// CHECK: "accel.copy"(%[[K]], %{{.*}}, %c0, %c0, %[[GROUP]], %c0) {box = array<i64: 1, 64, 1, 16>}
// CHECK: %[[RAW:.*]] = "accel.mma"(%[[QUERIES]], %{{.*}}, %{{.*}}) {precision = "exact", transpose_b}
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[RAW]], %[[SCALE]]
// CHECK-NEXT: %[[ADDED:.*]] = vector.transfer_read %[[MASK]][%c0, %c0, %c0, %{{.*}}], %{{.*}} {in_bounds = [true, false], permutation_map = #{{.*}}} : memref<1x1x1x40xf32>, vector<32x64xf32>
// CHECK-NEXT: %[[MASKED:.*]] = arith.addf %[[SCALED]], %[[ADDED]]
// CHECK: arith.cmpi sge, %{{.*}} : vector<32x64xindex>
// CHECK: arith.mulf %{{.*}}, %[[LOG]]
// CHECK: vector.transfer_write %{{.*}}, %[[WEIGHTS]][%c0, %c0] {in_bounds = [true, true]}
// CHECK-NEXT: "accel.mma"(%[[WEIGHTS]], %{{.*}}, %{{.*}}) {precision = "exact"}
// CHECK: %[[SOME:.*]] = arith.cmpf ogt, %{{.*}} : vector<32xf32>
// CHECK: arith.select %{{.*}} : vector<32x16xi1>, vector<32x16xf32>
// CHECK: vector.transfer_write %{{.*}}, %[[R]][%c0, %{{.*}}, %[[HEAD]], %c0] {in_bounds = [false, true], permutation_map = #{{.*}}} : vector<32x16xf32>
func.func private @grouped(%q: tensor<1x20x4x16xf32>, %k: tensor<1x40x2x16xf32>, %v: tensor<1x40x2x16xf32>, %mask: tensor<1x1x1x40xf32>) -> tensor<1x20x4x16xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%q) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x20x4x16xf32>) -> tensor<1x4x20x16xf32>
  %1 = "graph.transpose"(%k) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x40x2x16xf32>) -> tensor<1x2x40x16xf32>
  %2 = "graph.transpose"(%v) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x40x2x16xf32>) -> tensor<1x2x40x16xf32>
  %3 = "graph.attention"(%0, %1, %2, %mask) {scale = 0.25 : f64, safe = true} : (tensor<1x4x20x16xf32>, tensor<1x2x40x16xf32>, tensor<1x2x40x16xf32>, tensor<1x1x1x40xf32>) -> tensor<1x4x20x16xf32>
  %4 = "graph.transpose"(%3) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x4x20x16xf32>) -> tensor<1x20x4x16xf32>
  return %4 : tensor<1x20x4x16xf32>
}

// -----

// All 20 keys are masked for the first 110 of 130 queries: their tiles see all keys, with the lowest finite value
// added.
// CHECK-LABEL: func.func private @more_queries(
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant dense<-3.40282347E+38> : vector<64x32xf32>
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c20
// CHECK-NEXT: %[[LAST:.*]] = arith.addi %{{.*}}, %c-110
// CHECK-NEXT: %[[NO_KEY:.*]] = arith.cmpi slt, %[[LAST]], %c0
// CHECK-NEXT: %[[UPPER:.*]] = arith.select %[[NO_KEY]], %c20, %[[END]]
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[UPPER]] step %c32
// CHECK: %[[LOW:.*]] = arith.addf %{{.*}}, %[[LOWEST]]
// CHECK: arith.select %{{.*}}, %[[LOW]], %{{.*}}
func.func private @more_queries(%q: tensor<4x130x16xf16>, %k: tensor<4x20x16xf16>) -> tensor<4x130x16xf16> attributes {tloop.kernel} {
  %r = "graph.attention"(%q, %k, %k) {scale = 0.25 : f64, causal = true} : (tensor<4x130x16xf16>, tensor<4x20x16xf16>, tensor<4x20x16xf16>) -> tensor<4x130x16xf16>
  return %r : tensor<4x130x16xf16>
}

// -----

// For sm_90a 64 queries in shared memory meet 128 keys at a time.
// CHECK-LABEL: func.func private @groups(
// CHECK: "accel.alloc"() {{.*}} -> memref<128x64xbf16,
// CHECK: "accel.alloc"() {{.*}} -> memref<128x64xbf16,
// CHECK: %[[QUERIES:.*]] = "accel.alloc"() {{.*}} -> memref<64x64xbf16,
// CHECK: %[[TOKEN:.*]] = "accel.copy"(%{{.*}}, %[[QUERIES]]
// CHECK-NEXT: "accel.wait"(%[[TOKEN]])
// CHECK: scf.for %{{.*}} step %c128
// CHECK: } {accel.overlap, accel.stages = 4 : i64}
// CHECK: }) {warps = 4 : i64}
module attributes {tloop.target = "cuda:sm_90a"} {
  func.func private @groups(%q: tensor<4x128x64xbf16>, %k: tensor<4x256x64xbf16>) -> tensor<4x128x64xbf16> attributes {tloop.kernel} {
    %r = "graph.attention"(%q, %k, %k) {scale = 0.125 : f64, causal = true} : (tensor<4x128x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>) -> tensor<4x128x64xbf16>
    return %r : tensor<4x128x64xbf16>
  }
}

// -----

// Two warp groups of 64 queries each ping-pong, but not with long heads, whose softmax is short. Two tiles of queries
// that use the same keys are computed by a cluster. Heads have two tiles each, selected by the first dim of the grid.
// CHECK-LABEL: func.func private @two_groups(
// CHECK: "accel.launch"(%c2, %c64) ({
// CHECK-NEXT: ^bb0(%[[TILE:.*]]: index, %[[HEAD:.*]]: index):
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %c128
// CHECK: "accel.copy"(%{{.*}}, %{{.*}}, %[[HEAD]], %[[FIRST]], %c0)
// CHECK: } {accel.overlap, accel.ping_pong, accel.stages = 3 : i64}
// CHECK: }) {cluster = array<i64: 2, 1>, warps = 8 : i64}
// CHECK-LABEL: func.func private @causal(
// CHECK: }) {warps = 8 : i64}
// CHECK-LABEL: func.func private @long_heads(
// CHECK: scf.for {{.*}} step %c64 
// CHECK: } {accel.overlap, accel.stages = 2 : i64}
// CHECK: }) {cluster = array<i64: 2, 1>, warps = 8 : i64}
module attributes {tloop.target = "cuda:sm_90a"} {
  func.func private @two_groups(%q: tensor<64x256x128xbf16>) -> tensor<64x256x128xbf16> attributes {tloop.kernel} {
    %r = "graph.attention"(%q, %q, %q) {scale = 0.125 : f64} : (tensor<64x256x128xbf16>, tensor<64x256x128xbf16>, tensor<64x256x128xbf16>) -> tensor<64x256x128xbf16>
    return %r : tensor<64x256x128xbf16>
  }
  func.func private @causal(%q: tensor<64x256x128xbf16>) -> tensor<64x256x128xbf16> attributes {tloop.kernel} {
    %r = "graph.attention"(%q, %q, %q) {scale = 0.125 : f64, causal = true} : (tensor<64x256x128xbf16>, tensor<64x256x128xbf16>, tensor<64x256x128xbf16>) -> tensor<64x256x128xbf16>
    return %r : tensor<64x256x128xbf16>
  }
  func.func private @long_heads(%q: tensor<64x256x256xbf16>) -> tensor<64x256x256xbf16> attributes {tloop.kernel} {
    %r = "graph.attention"(%q, %q, %q) {scale = 0.125 : f64} : (tensor<64x256x256xbf16>, tensor<64x256x256xbf16>, tensor<64x256x256xbf16>) -> tensor<64x256x256xbf16>
    return %r : tensor<64x256x256xbf16>
  }
}

// -----

// Other kernels stay.
// CHECK-LABEL: func.func private @other
// CHECK-NEXT: graph.relu
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  %r = "graph.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
