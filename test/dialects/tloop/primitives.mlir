// RUN: %roundtrip

// Every primitive, those of ops.mlir apart.
func.func private @kernel(%x: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {tloop.kernel} {
  return %x : tensor<8x16xf32>
}

// CHECK: "tloop.schedule"() ({
// CHECK-NEXT: %[[B:.*]] = "tloop.get_block"() {block_name = "b"} : () -> !tloop.block
// CHECK-NEXT: %[[L:.*]]:2 = "tloop.get_loops"(%[[B]]) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
// CHECK-NEXT: %[[F:.*]]:2 = "tloop.sample_perfect_tile"(%[[L]]#0) {decision = array<i64: 2, 4>, dim = 0 : i64, largest = 8 : i64} : (!tloop.loop) -> (!tloop.value, !tloop.value)
// CHECK-NEXT: %[[C:.*]] = "tloop.sample_categorical"() {candidates = array<i64: 1, 2>, probabilities = array<f64: 2.500000e-01, 7.500000e-01>} : () -> !tloop.value
// CHECK-NEXT: %[[S:.*]]:2 = "tloop.split"(%[[L]]#0, %[[F]]#0, %[[F]]#1) {factors = array<i64: -2, -2>, tail = "exact"} : (!tloop.loop, !tloop.value, !tloop.value) -> (!tloop.loop, !tloop.loop)
// CHECK-NEXT: %[[U:.*]] = "tloop.fuse"(%[[S]]#0, %[[S]]#1) : (!tloop.loop, !tloop.loop) -> !tloop.loop
// CHECK-NEXT: "tloop.reorder"(%[[L]]#1, %[[U]]) : (!tloop.loop, !tloop.loop) -> ()
// CHECK-NEXT: "tloop.parallel"(%[[L]]#1) : (!tloop.loop) -> ()
// CHECK-NEXT: "tloop.bind"(%[[U]]) {axis = "thread.y"} : (!tloop.loop) -> ()
// CHECK-NEXT: "tloop.annotate"(%[[B]]) {key = "k", value = [1, "x"]} : (!tloop.block) -> ()
// CHECK-NEXT: %[[P:.*]] = "tloop.compute_at"(%[[B]], %[[U]]) {rolling} : (!tloop.block, !tloop.loop) -> !tloop.block
// CHECK-NEXT: %[[R:.*]] = "tloop.reverse_compute_at"(%[[P]], %[[U]]) : (!tloop.block, !tloop.loop) -> !tloop.block
// CHECK-NEXT: %[[D:.*]] = "tloop.decompose_reduction"(%[[R]], %[[U]]) : (!tloop.block, !tloop.loop) -> !tloop.block
// CHECK-NEXT: %[[CR:.*]] = "tloop.cache_read"(%[[D]], %[[U]]) {block_name = "r", operand = 1 : i64} : (!tloop.block, !tloop.loop) -> !tloop.block
// CHECK-NEXT: %[[CW:.*]] = "tloop.cache_write"(%[[D]], %[[U]]) {block_name = "w"} : (!tloop.block, !tloop.loop) -> !tloop.block
// CHECK-NEXT: "tloop.prefetch"(%[[D]], %[[U]]) {distance = 4 : i64, operand = 0 : i64} : (!tloop.block, !tloop.loop) -> ()
// CHECK-NEXT: "tloop.compute_inline"(%[[CR]]) : (!tloop.block) -> ()
// CHECK-NEXT: %[[PK:.*]] = "tloop.pack"(%[[D]]) {sizes = array<i64: 0, 16>} : (!tloop.block) -> !tloop.block
// CHECK-NEXT: %[[RF:.*]]:2 = "tloop.rfactor"(%[[PK]]) {factor = 4 : i64} : (!tloop.block) -> (!tloop.block, !tloop.block)
// CHECK-NEXT: %[[T:.*]]:2 = "tloop.tile"(%[[RF]]#0, %[[C]]) {mode = "sequential", sizes = array<i64: -2, 8>} : (!tloop.block, !tloop.value) -> (!tloop.block, !tloop.loop)
// CHECK-NEXT: "tloop.tensorize"(%[[T]]#0) {intrinsic = @dot} : (!tloop.block) -> ()
// CHECK-NEXT: "tloop.vectorize"(%[[U]]) : (!tloop.loop) -> ()
// CHECK-NEXT: "tloop.unroll"(%[[U]]) {factor = 0 : i64} : (!tloop.loop) -> ()
// CHECK-NEXT: }) {kernel = @kernel} : () -> ()
"tloop.schedule"() ({
  %b = "tloop.get_block"() {block_name = "b"} : () -> !tloop.block
  %l:2 = "tloop.get_loops"(%b) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %f:2 = "tloop.sample_perfect_tile"(%l#0) {dim = 0, largest = 8, decision = array<i64: 2, 4>} : (!tloop.loop) -> (!tloop.value, !tloop.value)
  %c = "tloop.sample_categorical"() {candidates = array<i64: 1, 2>, probabilities = array<f64: 0.25, 0.75>} : () -> !tloop.value
  %s:2 = "tloop.split"(%l#0, %f#0, %f#1) {factors = array<i64: -2, -2>, tail = "exact"} : (!tloop.loop, !tloop.value, !tloop.value) -> (!tloop.loop, !tloop.loop)
  %u = "tloop.fuse"(%s#0, %s#1) : (!tloop.loop, !tloop.loop) -> !tloop.loop
  "tloop.reorder"(%l#1, %u) : (!tloop.loop, !tloop.loop) -> ()
  "tloop.parallel"(%l#1) : (!tloop.loop) -> ()
  "tloop.bind"(%u) {axis = "thread.y"} : (!tloop.loop) -> ()
  "tloop.annotate"(%b) {key = "k", value = [1, "x"]} : (!tloop.block) -> ()
  %p = "tloop.compute_at"(%b, %u) {rolling} : (!tloop.block, !tloop.loop) -> !tloop.block
  %r = "tloop.reverse_compute_at"(%p, %u) : (!tloop.block, !tloop.loop) -> !tloop.block
  %d = "tloop.decompose_reduction"(%r, %u) : (!tloop.block, !tloop.loop) -> !tloop.block
  %cr = "tloop.cache_read"(%d, %u) {operand = 1, block_name = "r"} : (!tloop.block, !tloop.loop) -> !tloop.block
  %cw = "tloop.cache_write"(%d, %u) {block_name = "w"} : (!tloop.block, !tloop.loop) -> !tloop.block
  "tloop.prefetch"(%d, %u) {operand = 0, distance = 4} : (!tloop.block, !tloop.loop) -> ()
  "tloop.compute_inline"(%cr) : (!tloop.block) -> ()
  %pk = "tloop.pack"(%d) {sizes = array<i64: 0, 16>} : (!tloop.block) -> !tloop.block
  %rf:2 = "tloop.rfactor"(%pk) {factor = 4} : (!tloop.block) -> (!tloop.block, !tloop.block)
  %t, %tl = "tloop.tile"(%rf#0, %c) {sizes = array<i64: -2, 8>, mode = "sequential"} : (!tloop.block, !tloop.value) -> (!tloop.block, !tloop.loop)
  "tloop.tensorize"(%t) {intrinsic = @dot} : (!tloop.block) -> ()
  "tloop.vectorize"(%u) : (!tloop.loop) -> ()
  "tloop.unroll"(%u) {factor = 0} : (!tloop.loop) -> ()
}) {kernel = @kernel} : () -> ()
