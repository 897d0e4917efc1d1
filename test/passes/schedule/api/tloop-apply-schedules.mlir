// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --canonicalize --cse | filecheck %s

// A product with a bias: rows of the result in steps of four, the last two apart; the reduction in steps of two.
// CHECK-LABEL: func.func private @product
// CHECK-NOT: linalg.generic
// The bias is read once.
// CHECK: %[[BIAS:.*]] = vector.transfer_read %arg2
// The tile starts as a constant and runs through the reduction as a loop-carried value, not through memory.
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c8 step %c4 iter_args({{.*}}) -> (tensor<10x16xf32>)
// CHECK: %[[TILE:.*]] = scf.for %[[K:.*]] = %c0 to %c24 step %c2 iter_args(%{{.*}} = %cst_0) -> (vector<4x16xf32>)
// CHECK-NEXT: vector.transfer_read %arg0[%[[ROW]], %[[K]]]
// CHECK-SAME: vector<4x2xf32>
// CHECK-NEXT: vector.transfer_read %arg1[%[[K]], %c0]
// CHECK-SAME: vector<2x16xf32>
// Four rows times two steps of outer products.
// CHECK-NOT: vector.transfer_write
// CHECK-NOT: vector.contract
// CHECK: vector.fma
// CHECK: vector.fma
// CHECK: vector.fma
// CHECK: vector.fma
// CHECK: vector.fma
// CHECK: vector.fma
// CHECK: vector.fma
// CHECK: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.yield {{.*}} : vector<4x16xf32>
// The epilogue works on the tile, which is stored once.
// CHECK: %[[SUM:.*]] = arith.addf %[[TILE]], {{.*}} : vector<4x16xf32>
// CHECK-NEXT: vector.transfer_write %[[SUM]], {{.*}}[%[[ROW]], %c0]
// CHECK-NEXT: scf.yield {{.*}} : tensor<10x16xf32>
// The peeled rest has a separate static size.
// CHECK: scf.for {{.*}} = %c0 to %c24 step %c2 iter_args({{.*}} = %cst) -> (vector<2x16xf32>)
// CHECK: vector.transfer_write {{.*}}[%c8, %c0] {in_bounds = [true, true]} : vector<2x16xf32>
// CHECK-NOT: tloop.schedule
func.func private @product(%a: tensor<10x24xf32>, %b: tensor<24x16xf32>, %bias: tensor<16xf32>) -> tensor<10x16xf32> attributes {tloop.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10x16xf32>
  %init = linalg.generic {indexing_maps = [affine_map<(m, n) -> ()>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%zero : f32)
      outs(%e : tensor<10x16xf32>) attrs = {tloop.block = "init"} {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<10x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<10x24xf32>, tensor<24x16xf32>)
      outs(%init : tensor<10x16xf32>) attrs = {tloop.block = "anchor"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<10x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<10x16xf32>, tensor<16xf32>) outs(%e : tensor<10x16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<10x16xf32>
  return %r : tensor<10x16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %anchor = "tloop.get_block"() {block_name = "anchor"} : () -> !tloop.block
  %init = "tloop.get_block"() {block_name = "init"} : () -> !tloop.block
  %tiled, %rows = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  %anchor1 = "tloop.compute_at"(%anchor, %rows) : (!tloop.block, !tloop.loop) -> !tloop.block
  %init1 = "tloop.compute_at"(%init, %rows) : (!tloop.block, !tloop.loop) -> !tloop.block
  "tloop.peel"(%rows) : (!tloop.loop) -> ()
  %anchor2, %k = "tloop.tile"(%anchor1) {sizes = array<i64: 0, 0, 2>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.vectorize"(%init1, %anchor2, %tiled) : (!tloop.block, !tloop.block, !tloop.block) -> ()
}) {kernel = @product} : () -> ()

// -----

// The last tile of rows is whole: it begins two rows before the end of the one before.
// CHECK: #[[START:.*]] = affine_map<(d0) -> (6, d0)>
// CHECK-LABEL: func.func private @overlapping
// CHECK: scf.for %[[I:.*]] = %c0 to %c10 step %c4
// CHECK: %[[ROW:.*]] = affine.min #[[START]](%[[I]])
// CHECK: vector.transfer_read %arg0[%[[ROW]]], {{.*}} vector<4xf32>
// CHECK: vector.transfer_write {{.*}}[%[[ROW]]] {in_bounds = [true]} : vector<4xf32>, tensor<10xf32>
// CHECK-NOT: affine.min
func.func private @overlapping(%x: tensor<10xf32>) -> tensor<10xf32> attributes {tloop.kernel} {
  %e = tensor.empty() : tensor<10xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<10xf32>)
      outs(%e : tensor<10xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<10xf32>
  return %0 : tensor<10xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %tiled, %l = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.shift_inwards"(%l) : (!tloop.loop) -> ()
  "tloop.vectorize"(%tiled) : (!tloop.block) -> ()
}) {kernel = @overlapping} : () -> ()

// -----

// As few tiles as hold all rows, as equal as can be: a copy of the computation for each size that a tile may have.
// CHECK-LABEL: func.func private @open
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[N]], %c3
// CHECK: %[[SOME:.*]] = arith.maxui %[[TILES]], %c1
// CHECK: %[[SMALL:.*]] = arith.divui %[[N]], %[[SOME]]
// CHECK: %[[SMALLS:.*]] = arith.muli %[[SMALL]], %[[TILES]]
// CHECK: %[[LARGER:.*]] = arith.subi %[[N]], %[[SMALLS]]
// CHECK: %[[LARGE:.*]] = arith.addi %[[SMALL]], %c1
// CHECK: scf.for %[[T:.*]] = %c0 to %[[TILES]] step %c1 iter_args(%[[OUT:.*]] = %{{.*}})
// CHECK: %[[IS_LARGE:.*]] = arith.cmpi ult, %[[T]], %[[LARGER]]
// CHECK: %[[SKIPPED:.*]] = arith.muli %[[T]], %[[SMALL]]
// CHECK: %[[MORE:.*]] = arith.minui %[[T]], %[[LARGER]]
// CHECK: %[[AT:.*]] = arith.addi %[[SKIPPED]], %[[MORE]]
// CHECK: %[[SIZE:.*]] = arith.select %[[IS_LARGE]], %[[LARGE]], %[[SMALL]]
// CHECK: scf.index_switch %[[SIZE]]
// CHECK: case 3 {
// CHECK: vector.transfer_read %arg0[%[[AT]], %c0], {{.*}} vector<3x8xf32>
// CHECK: vector.transfer_write {{.*}}, %[[OUT]][%[[AT]], %c0]
// CHECK: case 2 {
// CHECK: vector.transfer_read %arg0[%[[AT]], %c0], {{.*}} vector<2x8xf32>
// CHECK: case 1 {
// CHECK: vector.transfer_read %arg0[%[[AT]], %c0], {{.*}} vector<8xf32>
// CHECK: default {
// CHECK-NEXT: scf.yield %[[OUT]]
func.func private @open(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %tiled, %l = "tloop.tile"(%root) {sizes = array<i64: 3>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.balance"(%l) : (!tloop.loop) -> ()
  "tloop.vectorize"(%tiled) : (!tloop.block) -> ()
}) {kernel = @open} : () -> ()

// -----

// Balanced tiles of a static extent have one of two sizes.
// CHECK-LABEL: func.func private @balanced
// CHECK: scf.for %[[T:.*]] = %c0 to %c3 step %c1
// CHECK: scf.index_switch
// CHECK: case 4 {
// CHECK-NOT: affine.min
// CHECK: vector.transfer_read {{.*}} vector<4x8xf32>
// CHECK: case 3 {
// CHECK-NOT: affine.min
// CHECK: vector.transfer_read {{.*}} vector<3x8xf32>
// CHECK-NOT: case
// CHECK: default
func.func private @balanced(%x: tensor<10x8xf32>) -> tensor<10x8xf32> {
  %e = tensor.empty() : tensor<10x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<10x8xf32>) outs(%e : tensor<10x8xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<10x8xf32>
  return %0 : tensor<10x8xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %tiled, %l = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.balance"(%l) : (!tloop.loop) -> ()
  "tloop.vectorize"(%tiled) : (!tloop.block) -> ()
}) {kernel = @balanced} : () -> ()

// -----

// Full tiles, then single points.
// CHECK-LABEL: func.func private @full
// CHECK: %[[FULL:.*]] = arith.divui %[[N:.*]], %c3
// CHECK: %[[REST:.*]] = arith.remui %[[N]], %c3
// CHECK: %[[TILES:.*]] = arith.addi %[[FULL]], %[[REST]]
// CHECK: %[[POINTS:.*]] = arith.subi %[[N]], %[[REST]]
// CHECK: scf.for %[[T:.*]] = %c0 to %[[TILES]] step %c1
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[T]], %[[FULL]]
// CHECK: %[[SIZE:.*]] = arith.select %[[IS]], %c3, %c1
// CHECK: scf.index_switch %[[SIZE]]
// CHECK: case 3 {
// CHECK-NOT: affine.min
// CHECK: vector.transfer_read {{.*}} vector<3x8xf32>
// CHECK: case 1 {
// CHECK-NOT: affine.min
// CHECK: vector.transfer_read {{.*}} vector<8xf32>
// CHECK-NOT: case
// CHECK: default
func.func private @full(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %tiled, %l = "tloop.tile"(%root) {sizes = array<i64: 3>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.balance"(%l) {full} : (!tloop.loop) -> ()
  "tloop.vectorize"(%tiled) : (!tloop.block) -> ()
}) {kernel = @full} : () -> ()

// -----

// Without peeling the last tile is smaller: sizes are dynamic. The producer is computed where it is read.
// CHECK-LABEL: func.func private @uneven
// CHECK: scf.for %[[I:.*]] = %c0 to %c10 step %c4
// CHECK: %[[SIZE:.*]] = affine.min #{{.*}}(%[[I]])
// CHECK: tensor.extract_slice %arg0[%[[I]]] [%[[SIZE]]] [1]
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: arith.negf
// CHECK: scf.yield
// CHECK-NOT: linalg.generic
func.func private @uneven(%x: tensor<10xf32>) -> tensor<10xf32> {
  %e = tensor.empty() : tensor<10xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<10xf32>)
      outs(%e : tensor<10xf32>) attrs = {tloop.block = "producer"} {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  } -> tensor<10xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%0 : tensor<10xf32>)
      outs(%e : tensor<10xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<10xf32>
  return %1 : tensor<10xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %producer = "tloop.get_block"() {block_name = "producer"} : () -> !tloop.block
  %tiled, %loop = "tloop.tile"(%root) {sizes = array<i64: 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  %moved = "tloop.compute_at"(%producer, %loop) : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @uneven} : () -> ()

// -----

// Parallel tiles of several dims are one scf.forall; reordering permutes the iteration space.
// CHECK: #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func private @parallel
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (4, 4)
// CHECK-DAG: %[[ROW:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK-DAG: %[[COLUMN:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK: tensor.extract_slice %arg0[%[[ROW]], %[[COLUMN]]] [2, 8] [1, 1]
// CHECK: linalg.generic {indexing_maps = [#[[SWAPPED]], #[[SWAPPED]]]
// CHECK: scf.forall.in_parallel
func.func private @parallel(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %swapped = "tloop.interchange"(%root) {permutation = array<i64: 1, 0>} : (!tloop.block) -> !tloop.block
  %tiled, %loop = "tloop.tile"(%swapped) {sizes = array<i64: 8, 2>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
}) {kernel = @parallel} : () -> ()

// -----

// CHECK-LABEL: func.func private @unrolled
// CHECK: scf.for {{.*}} = %c0 to %c16 step %c4
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: scf.yield
// CHECK-NOT: linalg.generic
// Only the kernel that the schedule names changes.
// CHECK-LABEL: func.func private @untouched
// CHECK-NOT: scf.for
// CHECK: return
func.func private @unrolled(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @untouched(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %tiled, %loop = "tloop.tile"(%root) {sizes = array<i64: 2>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.unroll"(%loop) {factor = 2} : (!tloop.loop) -> ()
}) {kernel = @unrolled} : () -> ()

// -----

// The columns -4 to 8 of a signal of 5: rows of the window that read zeros alone are left out.
// CHECK: #[[FIRST:.*]] = affine_map<(d0) -> (0, (-d0 + 3) ceildiv 3)>
// CHECK: #[[END:.*]] = affine_map<(d0) -> (3, (-d0 + 8) floordiv 3 + 1)>
// CHECK-LABEL: func.func private @padded
// CHECK: scf.for %[[TILE:.*]] = %c0 to %c8 step %c2
// CHECK-DAG: %[[FROM:.*]] = affine.max #[[FIRST]](%[[TILE]])
// CHECK-DAG: %[[TO:.*]] = affine.min #[[END]](%[[TILE]])
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1
func.func private @padded(%x: tensor<14xf32>, %w: tensor<3xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + 3 * k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<14xf32>, tensor<3xf32>) outs(%y : tensor<8xf32>) attrs = {tloop.block = "root", tloop.padding = array<i64: 4, 5>} {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %tiled, %i = "tloop.tile"(%root) {sizes = array<i64: 2, 0>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  %steps, %k = "tloop.tile"(%tiled) {sizes = array<i64: 0, 1>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.skip_padding"(%k) : (!tloop.loop) -> ()
}) {kernel = @padded} : () -> ()

// -----

// A partial tile is vectorised as a full one whose elements beyond the end are masked.
// CHECK-LABEL: func.func private @masked
// CHECK: scf.for %[[I:.*]] = %c0 to %c16 step %c5
// CHECK: %[[SIZE:.*]] = affine.min #{{.*}}(%[[I]])
// CHECK: %[[MASK:.*]] = vector.create_mask %[[SIZE]] : vector<5xi1>
// CHECK: %[[X:.*]] = vector.transfer_read {{.*}}, %[[MASK]] {{.*}} vector<5xf32>
// CHECK: %[[Y:.*]] = arith.negf %[[X]] : vector<5xf32>
// CHECK: vector.transfer_write %[[Y]], {{.*}}, %[[MASK]]
func.func private @masked(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>)
      outs(%e : tensor<16xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 5>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.vectorize"(%t) : (!tloop.block) -> ()
}) {kernel = @masked} : () -> ()

// -----

// The elements of a window are slices of one row, as long as the longest of them: the row is computed once.
// CHECK-LABEL: func.func private @once
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x9xf32>)
// CHECK: arith.negf
// CHECK-DAG: %[[EVEN:.*]] = tensor.extract_slice %[[ROW]][0, 0] [1, 7] [1, 1]
// CHECK-DAG: %[[NEXT:.*]] = tensor.extract_slice %[[ROW]][0, 0] [1, 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[EVEN]], %[[NEXT]], %[[ROW]] :
// CHECK-NOT: arith.negf
// CHECK: return
func.func private @once(%x: tensor<5x9xf32>) -> tensor<5x4xf32> attributes {tloop.kernel} {
  %e = tensor.empty() : tensor<5x9xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x9xf32>)
      outs(%e : tensor<5x9xf32>) attrs = {tloop.block = "rows"} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<5x9xf32>
  %f = tensor.empty() : tensor<5x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 2 * j)>, affine_map<(i, j) -> (i, 2 * j + 1)>, affine_map<(i, j) -> (i, 2 * j + 2)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%0, %0, %0 : tensor<5x9xf32>, tensor<5x9xf32>, tensor<5x9xf32>) outs(%f : tensor<5x4xf32>) attrs = {tloop.block = "root"} {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %v = arith.maximumf %a, %b : f32
    %w = arith.maximumf %v, %c : f32
    linalg.yield %w : f32
  } -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %rows = "tloop.get_block"() {block_name = "rows"} : () -> !tloop.block
  %tiled, %l = "tloop.tile"(%root) {sizes = array<i64: 1, 0>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  %moved = "tloop.compute_at"(%rows, %l) : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @once} : () -> ()
