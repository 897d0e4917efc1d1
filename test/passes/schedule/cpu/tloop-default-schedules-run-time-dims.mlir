// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules | filecheck %s
// RUN: mlc-opt %s --split-input-file --graph-to-linalg --canonicalize --cse --linalg-fuse-elementwise-ops --canonicalize --cse --tloop-default-schedules \
// RUN:   --tloop-apply-schedules --canonicalize --cse \
// RUN:   | filecheck %s --check-prefix=LOOPS

// Threads share the panels; a dynamic number of rows goes to balanced register tiles.
// CHECK-LABEL: func.func private @product
// CHECK: "tloop.schedule"
// CHECK: %[[PANEL:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 0, 1>}
// CHECK: %[[ROWS:.*]]:2 = "tloop.tile"(%[[PANEL]]#0) {mode = "sequential", sizes = array<i64: 12>}
// CHECK: "tloop.balance"(%[[ROWS]]#1)
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 0, 2>}
// CHECK: "tloop.vectorize"
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @product(%a: tensor<?x768xf32>, %b: tensor<24x768x32xf32>, %c: tensor<1x24x32xf32>, %dims: tensor<1xindex>) -> tensor<?x24x32xf32>
    attributes {tloop.kernel, tloop.dims = [["d0", ""], ["", "", ""], ["", "", ""], ["d0", "", ""]]} {
  %0 = "graph.matmul_packed"(%a, %b) : (tensor<?x768xf32>, tensor<24x768x32xf32>) -> tensor<?x24x32xf32>
  %1 = "graph.add"(%0, %c) : (tensor<?x24x32xf32>, tensor<1x24x32xf32>) -> tensor<?x24x32xf32>
  return %1 : tensor<?x24x32xf32>
}
}

// -----

// A reduction of dynamic extent goes step by step.
// CHECK-LABEL: func.func private @inner
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 10>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 0, 1>}
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @inner(%a: tensor<20x?xf32>, %b: tensor<?x32xf32>, %dims: tensor<1xindex>) -> tensor<20x32xf32>
    attributes {tloop.kernel, tloop.dims = [["", "d0"], ["d0", ""], ["", ""]]} {
  %0 = "graph.matmul"(%a, %b) : (tensor<20x?xf32>, tensor<?x32xf32>) -> tensor<20x32xf32>
  return %0 : tensor<20x32xf32>
}
}

// -----

// Threads share heads and blocks of queries. A block is padded, and takes block after block of keys: the scores of one are in a
// buffer of its size. The sums so far are rescaled; buffers that are kept have the queries of a full block.
// CHECK-LABEL: func.func private @attention
// CHECK: %[[SHARE:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 128>}
// CHECK: %[[BLOCK:.*]]:2 = "tloop.tile"(%[[SHARE]]#0) {mode = "sequential", sizes = array<i64: 0, 32>}
// CHECK: "tloop.stream_keys"(%[[BLOCK]]#1) {keys = 512 : i64, queries = 32 : i64}
// CHECK: %[[SCORES:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 12>}
// CHECK: "tloop.balance"(%[[SCORES]]#1)
// LOOPS-LABEL: func.func private @attention
// LOOPS: linalg.fill {{.*}} tensor<1x32x16xf32>
// LOOPS: scf.forall (%[[HEAD:.*]], %{{.*}}) in (3, %{{.*}})
// LOOPS: scf.for %{{.*}} = %c0 to %{{.*}} step %c32
// LOOPS: %[[QUERIES:.*]] = affine.min
// LOOPS: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [1, %[[QUERIES]], 16]
// LOOPS: scf.for %[[KEY:.*]] = %c0 to %{{.*}} step %c512
// LOOPS-SAME: iter_args(%[[TOP:.*]] = %{{.*}}, %[[TOTAL:.*]] = %{{.*}}, %[[VALUES:.*]] = %{{.*}}) -> (tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32x16xf32>)
// LOOPS-NEXT: %[[KEYS:.*]] = affine.min #{{.*}}(%[[KEY]])
// LOOPS: scf.index_switch
// LOOPS: case 12 {
// LOOPS: arith.maximumf
// The largest score so far, unless all are masked.
// LOOPS: arith.cmpf oeq
// LOOPS: scf.yield {{.*}} : tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32x16xf32>
// LOOPS: arith.divf
// LOOPS: scf.for %{{.*}} = %c0 to %[[QUERIES]] step %c1
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @attention(%q: tensor<3x?x16xf32>, %k: tensor<3x?x16xf32>, %v: tensor<3x?x16xf32>, %dims: tensor<2xindex>) -> tensor<3x?x16xf32>
    attributes {tloop.kernel, tloop.dims = [["", "d0", ""], ["", "d1", ""], ["", "d1", ""], ["", "d0", ""]]} {
  %0 = "graph.attention"(%q, %k, %v) {scale = 0.25, causal = false, safe = false} : (tensor<3x?x16xf32>, tensor<3x?x16xf32>, tensor<3x?x16xf32>) -> tensor<3x?x16xf32>
  return %0 : tensor<3x?x16xf32>
}
}

// -----

// A dynamic number of rows: 65536 points, in 86 rows of 768, are worth a thread.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: tloop.least_iterations = 86 : i64
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1>}
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @rows(%a: tensor<?x768xf32>, %dims: tensor<1xindex>) -> tensor<?x768xf32>
    attributes {tloop.kernel, tloop.dims = [["d0", ""], ["d0", ""]]} {
  %0 = "graph.softmax"(%a) {axis = 1 : i64} : (tensor<?x768xf32>) -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}
}

// -----

// There may be one batch only: threads share batches and columns.
// CHECK-LABEL: func.func private @batches
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 0, 32>}
// CHECK: "tloop.tile"(%{{.*}}) {mode = "sequential", sizes = array<i64: 0, 12>}
// CHECK: "tloop.balance"
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @batches(%a: tensor<?x?x768xf32>, %b: tensor<768x3072xf32>, %dims: tensor<2xindex>) -> tensor<?x?x3072xf32>
    attributes {tloop.kernel, tloop.dims = [["d0", "d1", ""], ["", ""], ["d0", "d1", ""]]} {
  %0 = "graph.matmul"(%a, %b) : (tensor<?x?x768xf32>, tensor<768x3072xf32>) -> tensor<?x?x3072xf32>
  return %0 : tensor<?x?x3072xf32>
}
}

// -----

// Dynamic columns, too: a tile has all of its columns, since the last one begins within the one before. Extents below
// a tile have tiles of a quarter, or of a column.
// CHECK-LABEL: func.func private @columns
// CHECK: %[[BATCH:.*]]:2 = "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1>}
// CHECK: %[[COLUMNS:.*]]:2 = "tloop.tile"(%[[BATCH]]#0) {mode = "sequential", sizes = array<i64: 0, 0, 32>}
// CHECK: %[[ROWS:.*]]:2 = "tloop.tile"(%[[COLUMNS]]#0) {mode = "sequential", sizes = array<i64: 0, 6>}
// CHECK: "tloop.balance"(%[[ROWS]]#1)
// CHECK-NEXT: "tloop.shift_inwards"(%[[COLUMNS]]#1)
// CHECK: "tloop.vectorize"
// LOOPS-LABEL: func.func private @columns
// LOOPS: %[[QUARTER:.*]] = arith.cmpi uge, %[[N:.*]], %c8
// LOOPS-NEXT: %[[SMALL:.*]] = arith.select %[[QUARTER]], %c8, %c1
// LOOPS: %[[FULL:.*]] = arith.cmpi uge, %[[N]], %c32
// LOOPS-NEXT: %[[SIZE:.*]] = arith.select %[[FULL]], %c32, %[[SMALL]]
// LOOPS: %[[LAST:.*]] = arith.subi %[[N]], %[[SIZE]]
// LOOPS: scf.forall (%{{.*}}) in (2)
// LOOPS: %[[TILES:.*]] = arith.ceildivui %[[N]], %[[SIZE]]
// LOOPS: scf.for %[[TILE:.*]] = %c0 to %[[TILES]] step %c1
// LOOPS: %[[AT:.*]] = arith.muli %[[TILE]], %[[SIZE]]
// LOOPS: arith.minui %[[AT]], %[[LAST]]
// LOOPS: scf.index_switch %[[SIZE]]
// LOOPS: case 32
// LOOPS: vector<32xf32>
// LOOPS: case 8
// LOOPS: vector<8xf32>
// LOOPS: case 1
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @columns(%a: tensor<2x?x64xf32>, %b: tensor<2x64x?xf32>, %c: tensor<?xf32>, %dims: tensor<2xindex>) -> tensor<2x?x?xf32>
    attributes {tloop.kernel, tloop.dims = [["", "d0", ""], ["", "", "d1"], ["d1"], ["", "d0", "d1"]]} {
  %0 = "graph.matmul"(%a, %b) : (tensor<2x?x64xf32>, tensor<2x64x?xf32>) -> tensor<2x?x?xf32>
  %1 = "graph.add"(%0, %c) : (tensor<2x?x?xf32>, tensor<?xf32>) -> tensor<2x?x?xf32>
  return %1 : tensor<2x?x?xf32>
}
}

// -----

// Where only the batch is dynamic, attention has the schedule of static sizes: all keys at once.
// CHECK-LABEL: func.func private @batches
// CHECK: "tloop.tile"(%{{.*}}) {mode = "parallel", sizes = array<i64: 1, 1>}
// CHECK-NOT: "tloop.stream_keys"
// LOOPS-LABEL: func.func private @batches
// LOOPS: scf.forall {{.*}} in (%{{.*}}, 2)
// LOOPS-NOT: affine.min
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @batches(%q: tensor<?x2x17x16xf32>, %k: tensor<?x2x17x16xf32>, %v: tensor<?x2x17x16xf32>, %dims: tensor<1xindex>)
    -> tensor<?x2x17x16xf32>
    attributes {tloop.kernel, tloop.dims = [["d0", "", "", ""], ["d0", "", "", ""], ["d0", "", "", ""], ["d0", "", "", ""]]} {
  %0 = "graph.attention"(%q, %k, %v) {causal = false, safe = false, scale = 0.25 : f64}
    : (tensor<?x2x17x16xf32>, tensor<?x2x17x16xf32>, tensor<?x2x17x16xf32>) -> tensor<?x2x17x16xf32>
  return %0 : tensor<?x2x17x16xf32>
}
}

// -----

// A static number of keys is divided into balanced tiles, like a dynamic one.
// CHECK-LABEL: func.func private @static_keys
// LOOPS-LABEL: func.func private @static_keys
// LOOPS: scf.index_switch
// LOOPS: case 9 {
// LOOPS-NOT: affine.min
// LOOPS: case 8 {
// LOOPS-NOT: case
// LOOPS: default
module attributes {tloop.target = "name=x86-64-v4,l2=1048576"} {
func.func private @static_keys(%q: tensor<2x?x16xf32>, %k: tensor<2x17x16xf32>, %v: tensor<2x17x16xf32>, %dims: tensor<1xindex>)
    -> tensor<2x?x16xf32>
    attributes {tloop.kernel, tloop.dims = [["", "d0", ""], ["", "", ""], ["", "", ""], ["", "d0", ""]]} {
  %0 = "graph.attention"(%q, %k, %v) {causal = false, safe = false, scale = 0.25 : f64}
    : (tensor<2x?x16xf32>, tensor<2x17x16xf32>, tensor<2x17x16xf32>) -> tensor<2x?x16xf32>
  return %0 : tensor<2x?x16xf32>
}
}
