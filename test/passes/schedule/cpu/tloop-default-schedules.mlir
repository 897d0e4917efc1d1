// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --tloop-default-schedules | filecheck %s

// Panels run on threads; rows in register tiles; the reduction in steps of two or more; the bias is part of the tile's epilogue.
// CHECK-LABEL: func.func private @product
// CHECK-NOT: tloop.one_thread
// CHECK: linalg.generic {{.*}} {tloop.block = "init"}
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%arg0, %arg1 {{.*}} {tloop.block = "anchor"}
// CHECK: linalg.generic {{.*}} ins({{.*}}, %arg2 {{.*}} {tloop.block = "root"}
// CHECK: "tloop.schedule"() ({
// CHECK-NEXT: %[[ROOT:.*]] = "tloop.get_block"() {block_name = "root"}
// CHECK-NEXT: %[[ANCHOR:.*]] = "tloop.get_block"() {block_name = "anchor"}
// CHECK-NEXT: %[[INIT:.*]] = "tloop.get_block"() {block_name = "init"}
// CHECK-NEXT: %[[P:.*]]:2 = "tloop.tile"(%[[ROOT]]) {mode = "parallel", sizes = array<i64: 0, 1>}
// CHECK-NEXT: %[[ANCHOR1:.*]] = "tloop.compute_at"(%[[ANCHOR]], %[[P]]#1)
// CHECK-NEXT: %[[INIT1:.*]] = "tloop.compute_at"(%[[INIT]], %[[P]]#1)
// CHECK-NEXT: %[[R:.*]]:2 = "tloop.tile"(%[[P]]#0) {mode = "sequential", sizes = array<i64: 10>}
// CHECK-NEXT: %[[ANCHOR2:.*]] = "tloop.compute_at"(%[[ANCHOR1]], %[[R]]#1)
// CHECK-NEXT: %[[INIT2:.*]] = "tloop.compute_at"(%[[INIT1]], %[[R]]#1)
// CHECK-NEXT: %[[K:.*]]:2 = "tloop.tile"(%[[ANCHOR2]]) {mode = "sequential", sizes = array<i64: 0, 0, 0, 2>}
// CHECK-NEXT: "tloop.vectorize"(%[[INIT2]], %[[K]]#0, %[[R]]#0)
// CHECK-NEXT: }) {kernel = @product}
func.func private @product(%a: tensor<160x64xf32>, %b: tensor<2x64x32xf32>, %c: tensor<2x32xf32>) -> tensor<160x2x32xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<160x64xf32>, tensor<2x64x32xf32>) -> tensor<160x2x32xf32>
  %1 = "graph.add"(%0, %c) : (tensor<160x2x32xf32>, tensor<2x32xf32>) -> tensor<160x2x32xf32>
  return %1 : tensor<160x2x32xf32>
}

// -----

// Without an epilogue a copy drives the tiles; a small kernel runs on one thread.
// CHECK-LABEL: func.func private @alone
// CHECK-SAME: tloop.one_thread
// CHECK: %[[P:.*]] = linalg.generic {{.*}}tloop.block = "anchor"
// CHECK: linalg.generic {{.*}} ins(%[[P]] : {{.*}}tloop.block = "root"
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[IN]]
// CHECK: "tloop.schedule"
// CHECK: "tloop.vectorize"
// CHECK: kernel = @alone
func.func private @alone(%a: tensor<5x64xf32>, %b: tensor<64x48xf32>) -> tensor<5x48xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) : (tensor<5x64xf32>, tensor<64x48xf32>) -> tensor<5x48xf32>
  return %0 : tensor<5x48xf32>
}

// -----

// All computations of a row are done together, consumers moved before producers; LLVM vectorises the loops.
// CHECK-LABEL: func.func private @softmax
// CHECK: "tloop.schedule"
// CHECK: %[[ROW:.*]]:2 = "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 1>}
// CHECK-NEXT: block_name = "producer4"
// CHECK-NEXT: "tloop.compute_at"({{.*}}, %[[ROW]]#1)
// CHECK-NEXT: block_name = "producer3"
// CHECK-NEXT: "tloop.compute_at"({{.*}}, %[[ROW]]#1)
// CHECK-NEXT: block_name = "producer2"
// CHECK-NEXT: "tloop.compute_at"({{.*}}, %[[ROW]]#1)
// CHECK-NEXT: block_name = "producer1"
// CHECK-NEXT: "tloop.compute_at"({{.*}}, %[[ROW]]#1)
// CHECK-NEXT: block_name = "producer0"
// CHECK-NEXT: "tloop.compute_at"({{.*}}, %[[ROW]]#1)
// CHECK-NOT: "tloop.vectorize"
// CHECK: kernel = @softmax
func.func private @softmax(%a: tensor<128x64xf32>) -> tensor<128x64xf32> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%a) {axis = 1} : (tensor<128x64xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// -----

// One outer iteration has at least 2048 elements.
// CHECK-LABEL: func.func private @elementwise
// CHECK: "tloop.schedule"
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 1>}
// CHECK-NEXT: }) {kernel = @elementwise}
func.func private @elementwise(%a: tensor<64x32x128xf32>) -> tensor<64x32x128xf32> attributes {tloop.kernel} {
  %0 = "graph.exp"(%a) : (tensor<64x32x128xf32>) -> tensor<64x32x128xf32>
  return %0 : tensor<64x32x128xf32>
}

// -----

// Plain loops do.
// CHECK-LABEL: func.func private @small
// CHECK-NOT: tloop.schedule
// CHECK: return
func.func private @small(%a: tensor<8xf32>) -> tensor<8xf32> attributes {tloop.kernel} {
  %0 = "graph.exp"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Output blocks and rows are parallel; the reductions over input blocks and the window go one by one, outermost first.
// CHECK-LABEL: func.func private @conv
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 0, 1, 1>}
// CHECK: %[[A:.*]]:2 = "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[B:.*]]:2 = "tloop.tile"(%[[A]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[C:.*]]:2 = "tloop.tile"(%[[B]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[D:.*]]:2 = "tloop.tile"(%[[C]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 4>}
// CHECK-NEXT: "tloop.vectorize"({{.*}}, %[[D]]#0, {{.*}})
func.func private @conv(%x: tensor<1x2x10x10x16xf32>, %w: tensor<3x2x3x3x16x32xf32>) -> tensor<1x3x8x8x32xf32> attributes {tloop.kernel} {
  %0 = "graph.conv"(%x, %w) {dilations = array<i64: 1, 1>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x2x10x10x16xf32>, tensor<3x2x3x3x16x32xf32>) -> tensor<1x3x8x8x32xf32>
  return %0 : tensor<1x3x8x8x32xf32>
}

// -----

// Pooling is scheduled like a convolution: a register tile per row of the result.
// CHECK-LABEL: func.func private @pool
// CHECK: "tloop.tile"({{.*}}) {mode = "parallel", sizes = array<i64: 0, 1, 1>}
// CHECK: "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 1>}
// CHECK: "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 0, 0, 0, 1>}
// CHECK: "tloop.vectorize"
func.func private @pool(%x: tensor<1x2x9x9x16xf32>) -> tensor<1x2x4x4x16xf32> attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
      : (tensor<1x2x9x9x16xf32>) -> tensor<1x2x4x4x16xf32>
  return %0 : tensor<1x2x4x4x16xf32>
}

// -----

// Nothing to run in rows.
// CHECK-LABEL: func.func private @total
// CHECK-NOT: tloop.schedule
// CHECK: return
func.func private @total(%x: tensor<8x8xf32>) -> tensor<f32> attributes {tloop.kernel} {
  %0 = "graph.reduce_sum"(%x) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<8x8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Sixteen registers of eight lanes hold six rows of two vectors; what does not divide is peeled.
// CHECK-LABEL: func.func private @narrow
// CHECK: %[[N:.*]]:2 = "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 0, 16>}
// CHECK: %[[M:.*]]:2 = "tloop.tile"({{.*}}) {mode = "sequential", sizes = array<i64: 6>}
// CHECK: "tloop.peel"(%[[N]]#1)
// CHECK: "tloop.peel"(%[[M]]#1)
// CHECK: "tloop.vectorize"
module attributes {tloop.target = "x86-64-v3"} {
  func.func private @narrow(%a: tensor<41x64xf32>, %b: tensor<64x100xf32>) -> tensor<41x100xf32> attributes {tloop.kernel} {
    %0 = "graph.matmul"(%a, %b) : (tensor<41x64xf32>, tensor<64x100xf32>) -> tensor<41x100xf32>
    return %0 : tensor<41x100xf32>
  }
}

// -----

// A function that is no kernel has no schedule.
// CHECK-LABEL: func.func private @no_kernel
// CHECK-NOT: tloop.schedule
func.func private @no_kernel(%a: tensor<41x64xf32>) -> tensor<41x64xf32> {
  return %a : tensor<41x64xf32>
}

// -----

// A vector of booleans is packed bits, a tensor of them has bytes: such sums are plain loops.
// CHECK-LABEL: func.func private @columns_of_bits
// CHECK: "tloop.schedule"
// CHECK-NOT: tloop.vectorize
func.func private @columns_of_bits(%x: tensor<30x40x50xi1>) -> tensor<30x50xi1> attributes {tloop.kernel} {
  %true = arith.constant true
  %0 = tensor.empty() : tensor<30x50xi1>
  %1 = linalg.fill ins(%true : i1) outs(%0 : tensor<30x50xi1>) -> tensor<30x50xi1>
  %2 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, c, b)>, affine_map<(a, b, c) -> (a, b)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<30x40x50xi1>) outs(%1 : tensor<30x50xi1>) {
  ^bb0(%in: i1, %out: i1):
    %3 = arith.minui %in, %out : i1
    linalg.yield %3 : i1
  } -> tensor<30x50xi1>
  return %2 : tensor<30x50xi1>
}

// -----

// Rows across memory go 64 at a time, and step by step of the reduction, so that vectors run along them.
// CHECK-LABEL: func.func private @across
// CHECK: %[[T:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 0, 64>}
// CHECK: %[[S:.*]] = "tloop.compute_at"(%{{.*}}, %[[T]]#1)
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 1>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 1>}
// CHECK-NOT: tloop.vectorize
module attributes {tloop.target = "x86-64-v4"} {
func.func private @across(%x: tensor<2x21x16384xf32>) -> tensor<2x21x16384xf32> attributes {tloop.kernel} {
  %0 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<2x21x16384xf32>) -> tensor<2x21x16384xf32>
  return %0 : tensor<2x21x16384xf32>
}
}

// -----

// What is reduced is contiguous: rows one after the other, none side by side.
// CHECK-LABEL: func.func private @along
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1>}
// CHECK-NOT: "tloop.tile"
func.func private @along(%x: tensor<3000x89xf32>) -> tensor<3000xf32> attributes {tloop.kernel} {
  %0 = "graph.reduce_mean"(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<3000x89xf32>) -> tensor<3000xf32>
  return %0 : tensor<3000xf32>
}

// -----

// The rows of a pool move into the loop over rows of its result, if it is not computed by rows altogether.
// CHECK-LABEL: func.func private @pool_of_rows
// CHECK: %[[T:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 0, 1, 1>}
// CHECK: %[[B:.*]] = "tloop.get_block"() {block_name = "producer0"}
// CHECK: "tloop.compute_at"(%[[B]], %[[T]]#1)
func.func private @pool_of_rows(%x: tensor<1x2x201x4001xf64>) -> tensor<1x2x100x2000xf64> attributes {tloop.kernel} {
  %0 = "graph.max_pool"(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x2x201x4001xf64>) -> tensor<1x2x100x2000xf64>
  return %0 : tensor<1x2x100x2000xf64>
}

// -----

// Three parts of the result are computed, none from another.
// CHECK-LABEL: func.func private @padded
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: tloop.schedule
func.func private @padded(%x: tensor<8x64xf32>) -> tensor<8x68xf32> attributes {tloop.kernel} {
  %0 = "graph.pad"(%x) {low = array<i64: 0, 2>, high = array<i64: 0, 2>, mode = "reflect"} : (tensor<8x64xf32>) -> tensor<8x68xf32>
  return %0 : tensor<8x68xf32>
}

// -----

// Loops read the casts, of which no tile of the result is computed.
// CHECK-LABEL: func.func private @between_loops
// CHECK: scf.for
// CHECK-NOT: tloop.schedule
func.func private @between_loops(%x: tensor<2x2x2xbf16>) -> tensor<2xbf16> attributes {tloop.kernel} {
  %0 = "graph.det"(%x) : (tensor<2x2x2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
