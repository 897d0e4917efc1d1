// RUN: mlc-opt %s --accel-split-k --canonicalize --cse --split-input-file | filecheck %s

#shared = #gpu.address_space<workgroup>

// Two parts of 4 steps of each of 6 tiles; thread block 7 has part 1 of tile 1. The epilogue runs where the parts are
// added, first to last, by a warp for each 256 accumulators.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[A:.*]]: memref<384x512xbf16>, %[[B:.*]]: memref<512x64xbf16>, %[[BIAS:.*]]: memref<64xf32>, %[[C:.*]]: memref<384x64xf32>)
// CHECK: %[[PARTS:.*]] = memref.alloc() {tloop.workspace} : memref<12x64x64xf32>
// CHECK: "accel.launch"(%c12)
// CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: index):
// CHECK-NEXT: %[[TILE:.*]] = arith.remui %[[BLOCK]], %c6
// CHECK-NEXT: %[[PART:.*]] = arith.divui %[[BLOCK]], %c6
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[PART]], %c1
// CHECK-DAG: %[[FROM:.*]] = arith.muli %[[PART]], %c256
// CHECK-DAG: %[[TO:.*]] = arith.muli %[[NEXT]], %c256
// CHECK: %[[ROW:.*]] = arith.muli %[[TILE]], %c64
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %[[FROM]] to %[[TO]] step %c64 iter_args(%{{.*}} = %{{.*}})
// CHECK-NEXT: "accel.copy"(%[[A]], %{{.*}}, %[[ROW]], %[[K]])
// CHECK: } {accel.stages = 3 : i64}
// CHECK-NEXT: vector.transfer_write %[[SUM]], %[[PARTS]][%[[BLOCK]], %c0, %c0] {in_bounds = [true, true]}
// CHECK-NEXT: }) {warps = 4 : i64}
// CHECK: "accel.launch"(%c6)
// CHECK-NEXT: ^bb0(%[[T:.*]]: index):
// CHECK-NOT: accel.alloc
// CHECK: %[[DOWN:.*]] = arith.muli %[[T]], %c64
// CHECK: %[[FIRST:.*]] = vector.transfer_read %[[PARTS]][%[[T]], %c0, %c0]
// CHECK: %[[OTHER:.*]] = arith.addi %[[T]], %c6
// CHECK-NEXT: %[[SECOND:.*]] = vector.transfer_read %[[PARTS]][%[[OTHER]], %c0, %c0]
// CHECK-NEXT: %[[WHOLE:.*]] = arith.addf %[[FIRST]], %[[SECOND]]
// CHECK-NEXT: vector.transfer_read %[[BIAS]]
// CHECK: arith.addf %[[WHOLE]]
// CHECK: vector.transfer_write %{{.*}}, %[[C]][%[[DOWN]], %c0]
// CHECK-NEXT: }) {warps = 8 : i64}
// CHECK: memref.dealloc %[[PARTS]]
func.func @parts(%a: memref<384x512xbf16>, %b: memref<512x64xbf16>, %bias: memref<64xf32>, %c: memref<384x64xf32>) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c6) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<64x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %row = arith.muli %i, %c64 : index
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %row, %k) : (memref<384x512xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %c0) : (memref<512x64xbf16>, memref<64x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.split_k = 2 : i64, accel.stages = 3 : i64}
    %line = vector.transfer_read %bias[%c0], %none {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %lines = vector.broadcast %line : vector<64xf32> to vector<64x64xf32>
    %result = arith.addf %sum, %lines : vector<64x64xf32>
    vector.transfer_write %result, %c[%row, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<384x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

// 7 steps in 3 parts: 2, 2 and 3. Parts begin with zeros, and what the loop began with is added once.
// CHECK-LABEL: func.func @uneven(
// CHECK-SAME: %[[X:.*]]: memref<7x32xi32>, %[[Y:.*]]: memref<32xi32>)
// CHECK: %[[PARTS:.*]] = memref.alloc() {tloop.workspace} : memref<3x32xi32>
// CHECK: "accel.launch"(%c3)
// CHECK-NEXT: ^bb0(%[[PART:.*]]: index):
// CHECK: %[[AFTER:.*]] = arith.addi %[[PART]], %c1
// CHECK-DAG: %[[BEGIN:.*]] = arith.muli %[[PART]], %c7
// CHECK-DAG: %[[FROM:.*]] = arith.divui %[[BEGIN]], %c3
// CHECK-DAG: %[[END:.*]] = arith.muli %[[AFTER]], %c7
// CHECK-DAG: %[[TO:.*]] = arith.divui %[[END]], %c3
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1 iter_args(%{{.*}} = %cst)
// CHECK: vector.transfer_write %{{.*}}, %[[PARTS]][%[[PART]], %c0]
// CHECK: "accel.launch"(%c1)
// CHECK: %[[INITIAL:.*]] = vector.transfer_read %[[Y]]
// CHECK: %[[FIRST:.*]] = vector.transfer_read %[[PARTS]]
// CHECK: %[[TWO:.*]] = arith.addi %[[FIRST]], %{{.*}} : vector<32xi32>
// CHECK: %[[THREE:.*]] = arith.addi %[[TWO]], %{{.*}} : vector<32xi32>
// CHECK-NEXT: %[[ALL:.*]] = arith.addi %[[INITIAL]], %[[THREE]] : vector<32xi32>
// CHECK-NEXT: vector.transfer_write %[[ALL]], %[[Y]]
func.func @uneven(%x: memref<7x32xi32>, %y: memref<32xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %none = arith.constant 0 : i32
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %start = vector.transfer_read %y[%c0], %none {in_bounds = [true]} : memref<32xi32>, vector<32xi32>
    %sum = scf.for %k = %c0 to %c7 step %c1 iter_args(%old = %start) -> vector<32xi32> {
      %line = vector.transfer_read %x[%k, %c0], %none {in_bounds = [true]} : memref<7x32xi32>, vector<32xi32>
      %new = arith.addi %old, %line : vector<32xi32>
      scf.yield %new : vector<32xi32>
    } {accel.split_k = 3 : i64}
    vector.transfer_write %sum, %y[%c0] {in_bounds = [true]} : vector<32xi32>, memref<32xi32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// 5 tiles of 4 steps among 3 blocks: 7 + 7 + 6. A block's tiles from its first step on; of each it has some steps,
// and stores the result of those of which it has all 4.
// CHECK-LABEL: func.func @stream(
// CHECK-SAME: %[[X:.*]]: memref<20x32xf32>, %[[Y:.*]]: memref<5x32xf32>)
// CHECK: %[[PARTS:.*]] = memref.alloc() {tloop.workspace} : memref<6x32xf32>
// CHECK: "accel.launch"(%c3)
// CHECK-NEXT: ^bb0(%[[B:.*]]: index):
// CHECK: %[[SIX:.*]] = arith.muli %[[B]], %c6
// CHECK-NEXT: %[[MORE:.*]] = arith.minui %[[B]], %c2
// CHECK-NEXT: %[[BEGIN:.*]] = arith.addi %[[SIX]], %[[MORE]]
// CHECK: %[[FIRST:.*]] = arith.divui %[[BEGIN]], %c4
// CHECK: scf.for %[[TURN:.*]] = %c0 to %{{.*}} step %c1
// CHECK-NEXT: %[[TILE:.*]] = arith.addi %[[FIRST]], %[[TURN]]
// CHECK-NEXT: %[[START:.*]] = arith.muli %[[TILE]], %c4
// CHECK: %[[FROM:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK: %[[TO:.*]] = arith.minsi %{{.*}}, %c4
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1
// CHECK: %[[STEPS:.*]] = arith.subi %[[TO]], %[[FROM]]
// CHECK-NEXT: %[[WHOLE:.*]] = arith.cmpi eq, %[[STEPS]], %c4
// CHECK-NEXT: scf.if %[[WHOLE]] {
// CHECK-NEXT: vector.transfer_write %[[SUM]], %[[Y]][%[[TILE]], %c0]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[BEGINS:.*]] = arith.cmpi eq, %[[FROM]], %c0
// CHECK-NEXT: %[[OWN:.*]] = arith.select %[[BEGINS]], %c1, %c0
// CHECK-NEXT: %[[TWICE:.*]] = arith.muli %[[B]], %c2
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %[[TWICE]], %[[OWN]]
// CHECK-NEXT: vector.transfer_write %[[SUM]], %[[PARTS]][%[[PLACE]], %c0]
// The tile's first block, and the others that have steps of it.
// CHECK: "accel.launch"(%c5)
// CHECK-NEXT: ^bb0(%[[T:.*]]: index):
// CHECK: %[[SEVERAL:.*]] = arith.cmpi ne, %[[ONE:.*]], %[[LAST:.*]] : index
// CHECK: scf.if %[[SEVERAL]] {
// CHECK: %[[PART:.*]] = vector.transfer_read %[[PARTS]]
// CHECK: %[[ALL:.*]] = scf.for %[[O:.*]] = %{{.*}} to %{{.*}} step %c1 iter_args(%[[OLD:.*]] = %[[PART]])
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[O]], %c2
// CHECK-NEXT: %[[MORE:.*]] = vector.transfer_read %[[PARTS]][%[[AT]], %c0]
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %[[MORE]]
// CHECK-NEXT: scf.yield %[[NEW]]
// CHECK: vector.transfer_write %[[ALL]], %[[Y]][%[[T]], %c0]
// CHECK: memref.dealloc %[[PARTS]]
func.func @stream(%x: memref<20x32xf32>, %y: memref<5x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c5) ({
  ^bb0(%i: index):
    %start = arith.constant dense<0.0> : vector<32xf32>
    %first = arith.muli %i, %c4 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%old = %start) -> vector<32xf32> {
      %row = arith.addi %first, %k : index
      %line = vector.transfer_read %x[%row, %c0], %none {in_bounds = [true]} : memref<20x32xf32>, vector<32xf32>
      %new = arith.addf %old, %line : vector<32xf32>
      scf.yield %new : vector<32xf32>
    } {accel.stream_k = 3 : i64}
    vector.transfer_write %sum, %y[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<5x32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}

// -----

// 7 tiles, 2 blocks: each has 2 tiles to itself, and both share the 3 last ones, of which only the middle one is
// in parts.
// CHECK-LABEL: func.func @waves(
// CHECK-SAME: %[[X:.*]]: memref<14x32xf32>, %[[Y:.*]]: memref<7x32xf32>)
// CHECK: memref.alloc() {tloop.workspace} : memref<4x32xf32>
// CHECK: "accel.launch"(%c2)
// CHECK-NEXT: ^bb0(%[[B:.*]]: index):
// CHECK: scf.for %[[TURN:.*]] = %c0 to
// CHECK: %[[ALONE:.*]] = arith.cmpi ult, %[[TURN]], %c2
// CHECK-NEXT: %[[BEFORE:.*]] = arith.muli %[[TURN]], %c2
// CHECK-NEXT: %[[OWN:.*]] = arith.addi %[[BEFORE]], %[[B]]
// CHECK-NEXT: arith.select %[[ALONE]], %[[OWN]], %{{.*}}
// CHECK-NEXT: arith.select %[[ALONE]], %c0, %{{.*}}
// CHECK-NEXT: arith.select %[[ALONE]], %c2, %{{.*}}
// CHECK: "accel.launch"(%c3)
// CHECK: arith.addi %{{.*}}, %c4
func.func @waves(%x: memref<14x32xf32>, %y: memref<7x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %none = arith.constant 0.0 : f32
  "accel.launch"(%c7) ({
  ^bb0(%i: index):
    %start = arith.constant dense<0.0> : vector<32xf32>
    %first = arith.muli %i, %c2 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%old = %start) -> vector<32xf32> {
      %row = arith.addi %first, %k : index
      %line = vector.transfer_read %x[%row, %c0], %none {in_bounds = [true]} : memref<14x32xf32>, vector<32xf32>
      %new = arith.addf %old, %line : vector<32xf32>
      scf.yield %new : vector<32xf32>
    } {accel.stream_k = 2 : i64}
    vector.transfer_write %sum, %y[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<7x32xf32>
  }) {warps = 1 : i64} : (index) -> ()
  return
}
