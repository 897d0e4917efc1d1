// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --tloop-fuse-elementwise --canonicalize --cse --tloop-default-schedules | filecheck %s
// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --tloop-fuse-elementwise --canonicalize --cse --tloop-default-schedules --tloop-apply-schedules --canonicalize \
// RUN:   | filecheck %s --check-prefix=LOOPS
// RUN: mlc-opt %s --graph-to-linalg --canonicalize --cse --tloop-fuse-elementwise --canonicalize --cse --tloop-default-schedules --tloop-apply-schedules --canonicalize \
// RUN:   --eliminate-empty-tensors "--one-shot-bufferize=bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map" \
// RUN:   | filecheck %s --check-prefix=BUFFERS

// A head per iteration of the parallel loop; in it 32 queries at a time; the last 32 begin at 37.
// CHECK-LABEL: func.func private @patches
// CHECK: "tloop.schedule"
// CHECK: %[[HEAD:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 0, 1>}
// CHECK-NEXT: "tloop.compute_at"(%{{.*}}, %[[HEAD]]#1)
// CHECK: %[[BLOCK:.*]]:2 = "tloop.tile"(%[[HEAD]]#0) {mode = "sequential", sizes = array<i64: 32>}
// CHECK: "tloop.shift_inwards"(%[[BLOCK]]#1)
// CHECK-COUNT-2: "tloop.vectorize"

// LOOPS-LABEL: func.func private @patches
// LOOPS: scf.forall (%{{.*}}) in (3)
// LOOPS: scf.for %[[BLOCK:.*]] = %c0 to %c69 step %c32
// LOOPS: affine.min #{{.*}}(%[[BLOCK]])
// Squares of queries are transposed by shuffles.
// LOOPS-NOT: vector.transpose
// LOOPS: vector.shuffle
// Scores: 14 keys of 69 at a time, then 13.
// LOOPS: scf.for %{{.*}} = %c0 to %c56 step %c14
// LOOPS: scf.for %{{.*}} = %c0 to %c16 step %c2 iter_args(%{{.*}}) -> (vector<14x32xf32>)
// LOOPS: vector<13x32xf32>
// Maxima and exponentials, 4 keys at a time.
// LOOPS: scf.for %{{.*}} = %c0 to %c68 step %c4 iter_args(%{{.*}}) -> (vector<32xf32>)
// LOOPS-COUNT-4: arith.maximumf {{.*}} : vector<32xf32>
// LOOPS: math.exp {{.*}} : vector<4x32xf32>
// LOOPS: arith.addf {{.*}} : vector<32xf32>
// LOOPS: arith.divf {{.*}} vector<32xf32>
// Values: one quotient per query.
// LOOPS: scf.for %{{.*}} = %c0 to %c69 step %c3 iter_args(%{{.*}}) -> (vector<16x16xf32>)
// LOOPS-NOT: vector.multi_reduction

// Of the scores only a block's are in memory, and once: the exponentials are written over them.
// BUFFERS-LABEL: func.func private @patches
// BUFFERS: memref.alloc() {{.*}} : memref<69x3x16xf32>
// BUFFERS: scf.forall
// BUFFERS-DAG: memref.alloc() {{.*}} : memref<1x16x32xf32>
// BUFFERS-DAG: memref.alloc() {{.*}} : memref<1x69x32xf32>
// BUFFERS-DAG: memref.alloc() {{.*}} : memref<1x32xf32>
// BUFFERS-NOT: memref.alloc
// BUFFERS: return
func.func private @patches(%q: tensor<69x3x16xf32>, %k: tensor<69x3x16xf32>, %v: tensor<69x3x16xf32>) -> tensor<69x3x16xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%q) {permutation = array<i64: 1, 0, 2>} : (tensor<69x3x16xf32>) -> tensor<3x69x16xf32>
  %1 = "graph.transpose"(%k) {permutation = array<i64: 1, 0, 2>} : (tensor<69x3x16xf32>) -> tensor<3x69x16xf32>
  %2 = "graph.transpose"(%v) {permutation = array<i64: 1, 0, 2>} : (tensor<69x3x16xf32>) -> tensor<3x69x16xf32>
  %3 = "graph.attention"(%0, %1, %2) {scale = 0.25} : (tensor<3x69x16xf32>, tensor<3x69x16xf32>, tensor<3x69x16xf32>) -> tensor<3x69x16xf32>
  %4 = "graph.transpose"(%3) {permutation = array<i64: 1, 0, 2>} : (tensor<3x69x16xf32>) -> tensor<69x3x16xf32>
  return %4 : tensor<69x3x16xf32>
}

// One head: threads share its queries, in equal parts of whole blocks.
// LOOPS-LABEL: func.func private @one_head
// LOOPS: scf.forall (%{{.*}}) in (8)
// LOOPS: scf.for %[[BLOCK:.*]] = %c0 to %c125 step %c32
// LOOPS-NEXT: affine.min #{{.*}}(%[[BLOCK]])
// BUFFERS-LABEL: func.func private @one_head
// BUFFERS: memref.alloc() {{.*}} : memref<1x1000x16xf32>
// BUFFERS-DAG: memref.alloc() {{.*}} : memref<1x16x32xf32>
// BUFFERS-DAG: memref.alloc() {{.*}} : memref<1x2000x32xf32>
// BUFFERS-NOT: memref.alloc() {{.*}}x1000xf32>
// BUFFERS: return
func.func private @one_head(%q: tensor<1x1000x16xf32>, %k: tensor<1x2000x16xf32>, %v: tensor<1x2000x16xf32>) -> tensor<1x1000x16xf32> attributes {tloop.kernel} {
  %0 = "graph.attention"(%q, %k, %v) {scale = 0.25} : (tensor<1x1000x16xf32>, tensor<1x2000x16xf32>, tensor<1x2000x16xf32>) -> tensor<1x1000x16xf32>
  return %0 : tensor<1x1000x16xf32>
}

// Too little work for a second thread: nothing is parallel, and the buffers are of the block's size all the same.
// LOOPS-LABEL: func.func private @one_thread
// LOOPS-NOT: scf.forall
// BUFFERS-LABEL: func.func private @one_thread
// BUFFERS: memref.alloc() {{.*}} : memref<1x96x16xf32>
// BUFFERS-DAG: memref.alloc() {{.*}} : memref<1x16x32xf32>
// BUFFERS-DAG: memref.alloc() {{.*}} : memref<1x100x32xf32>
// BUFFERS-NOT: memref.alloc() {{.*}}x96xf32>
// BUFFERS: return
func.func private @one_thread(%q: tensor<1x96x16xf32>, %k: tensor<1x100x16xf32>, %v: tensor<1x100x16xf32>) -> tensor<1x96x16xf32> attributes {tloop.kernel} {
  %0 = "graph.attention"(%q, %k, %v) {scale = 0.25} : (tensor<1x96x16xf32>, tensor<1x100x16xf32>, tensor<1x100x16xf32>) -> tensor<1x96x16xf32>
  return %0 : tensor<1x96x16xf32>
}

// Values with a distance of 2 KB would share few sets of the caches: each head's are copied.
// CHECK-LABEL: func.func private @eight_heads
// CHECK: %[[HEAD:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 256, 1>}
// CHECK: "tloop.cache_read"(%{{.*}}, %[[HEAD]]#1) {block_name = "values_copy", operand = 1 : i64}
// LOOPS-LABEL: func.func private @eight_heads
// LOOPS: scf.forall (%{{.*}}, %{{.*}}) in (4, 8)
// BUFFERS-LABEL: func.func private @eight_heads
// BUFFERS: scf.forall
// BUFFERS: memref.alloc() {{.*}} : memref<1024x1x64xf32>
// BUFFERS: scf.for %{{.*}} = %c0 to %c256 step %c32
func.func private @eight_heads(%q: tensor<1024x8x64xf32>, %k: tensor<1024x8x64xf32>, %v: tensor<1024x8x64xf32>) -> tensor<1024x8x64xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%q) {permutation = array<i64: 1, 0, 2>} : (tensor<1024x8x64xf32>) -> tensor<8x1024x64xf32>
  %1 = "graph.transpose"(%k) {permutation = array<i64: 1, 0, 2>} : (tensor<1024x8x64xf32>) -> tensor<8x1024x64xf32>
  %2 = "graph.transpose"(%v) {permutation = array<i64: 1, 0, 2>} : (tensor<1024x8x64xf32>) -> tensor<8x1024x64xf32>
  %3 = "graph.attention"(%0, %1, %2) {scale = 0.25} : (tensor<8x1024x64xf32>, tensor<8x1024x64xf32>, tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32>
  %4 = "graph.transpose"(%3) {permutation = array<i64: 1, 0, 2>} : (tensor<8x1024x64xf32>) -> tensor<1024x8x64xf32>
  return %4 : tensor<1024x8x64xf32>
}

// Nothing scales or masks the scores: a copy drives their tiles until they are vectors, and then there is none.
// LOOPS-LABEL: func.func private @unscaled
// LOOPS: scf.for %{{.*}} = %c0 to %c16 step %c2 iter_args(%{{.*}}) -> (vector<14x32xf32>)
// LOOPS-NOT: linalg.generic
// BUFFERS-LABEL: func.func private @unscaled
// BUFFERS-COUNT-1: memref.alloc() {{.*}} : memref<1x67x32xf32>
// BUFFERS-NOT: memref.alloc() {{.*}} : memref<1x67x32xf32>
// BUFFERS: return
func.func private @unscaled(%q: tensor<2x37x16xf32>, %k: tensor<2x67x16xf32>, %v: tensor<2x67x16xf32>) -> tensor<2x37x16xf32> attributes {tloop.kernel} {
  %0 = "graph.attention"(%q, %k, %v) {scale = 1.0} : (tensor<2x37x16xf32>, tensor<2x67x16xf32>, tensor<2x67x16xf32>) -> tensor<2x37x16xf32>
  return %0 : tensor<2x37x16xf32>
}
