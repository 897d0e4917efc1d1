// RUN: mlc-opt %s --split-input-file --tloop-apply-schedules --mlir-print-local-scope | filecheck %s

// Each row is computed where it is read, in a buffer of a row.
// CHECK-LABEL: func.func private @chain
// CHECK: affine.for %[[V0:.*]] = 0 to 16 {
// CHECK-NEXT: %[[V1:.*]] = memref.alloc() : memref<1x8xf32>
// CHECK-NEXT: affine.for %[[V2:.*]] = 0 to 1 {
// CHECK-NEXT: %[[V3:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V0]], %[[V2]])
// CHECK-NEXT: affine.for %[[V4:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg0[%[[V3]], %[[V4]]] : memref<16x8xf32>
// CHECK-NEXT: %[[V6:.*]] = math.exp %[[V5]] : f32
// CHECK-NEXT: affine.store %[[V6]], %[[V1]][%[[V2]], %[[V4]]] {tloop.block = "p"} : memref<1x8xf32>
// CHECK-NEXT: } {tloop.name = "pj"}
// CHECK-NEXT: } {tloop.name = "pi"}
// CHECK-NEXT: affine.for %[[V7:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V8:.*]] = affine.load %[[V1]][0, %[[V7]]] : memref<1x8xf32>
// CHECK-NEXT: %[[V9:.*]] = arith.negf %[[V8]] : f32
// CHECK-NEXT: affine.store %[[V9]], %arg1[%[[V0]], %[[V7]]] {tloop.block = "c"} : memref<16x8xf32>
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: return
func.func private @chain(%a: memref<16x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<16x8xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<16x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<16x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<16x8xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  %m = "tloop.compute_at"(%p, %i) {} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @chain} : () -> ()

// -----

// A tile of a window: the producer's loops run over the tile with its halo, and not over the edge.
// CHECK-LABEL: func.func private @window
// CHECK: affine.for %[[V0:.*]] = 0 to 16 step 5 {
// CHECK-NEXT: %[[V1:.*]] = memref.alloc() : memref<7x8xf32>
// CHECK-NEXT: affine.for %[[V2:.*]] = 0 to min affine_map<(d0) -> (7, -d0 + 18)>(%[[V0]]) {
// CHECK-NEXT: %[[V3:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V0]], %[[V2]])
// CHECK-NEXT: affine.for %[[V4:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V5:.*]] = affine.load %arg0[%[[V3]], %[[V4]]] : memref<18x8xf32>
// CHECK-NEXT: %[[V6:.*]] = math.exp %[[V5]] : f32
// CHECK-NEXT: affine.store %[[V6]], %[[V1]][%[[V2]], %[[V4]]] {tloop.block = "p"} : memref<7x8xf32>
// CHECK-NEXT: } {tloop.name = "pj"}
// CHECK-NEXT: } {tloop.name = "pi"}
// CHECK-NEXT: affine.for %[[V7:.*]] = 0 to min affine_map<(d0) -> (5, -d0 + 16)>(%[[V0]]) {
// CHECK-NEXT: %[[V8:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[V0]], %[[V7]])
// CHECK-NEXT: affine.for %[[V9:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V10:.*]] = affine.load %[[V1]][%[[V7]], %[[V9]]] : memref<7x8xf32>
// CHECK-NEXT: %[[V11:.*]] = affine.load %[[V1]][%[[V7]] + 1, %[[V9]]] : memref<7x8xf32>
// CHECK-NEXT: %[[V12:.*]] = affine.load %[[V1]][%[[V7]] + 2, %[[V9]]] : memref<7x8xf32>
// CHECK-NEXT: %[[V13:.*]] = arith.addf %[[V10]], %[[V11]] : f32
// CHECK-NEXT: %[[V14:.*]] = arith.addf %[[V13]], %[[V12]] : f32
// CHECK-NEXT: affine.store %[[V14]], %arg1[%[[V8]], %[[V9]]] {tloop.block = "c"} : memref<16x8xf32>
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "i.1"}
// CHECK-NEXT: } {tloop.name = "i.0"}
// CHECK-NEXT: return
func.func private @window(%a: memref<18x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<18x8xf32>
  affine.for %i = 0 to 18 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<18x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<18x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<18x8xf32>
      %1 = affine.load %t[%i + 1, %j] : memref<18x8xf32>
      %2 = affine.load %t[%i + 2, %j] : memref<18x8xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      affine.store %4, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %io, %ii = "tloop.split"(%i) {factors = array<i64: -1, 5>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  %m = "tloop.compute_at"(%p, %io) {} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @window} : () -> ()

// -----

// A rolling buffer of three rows: the first two before the loop, then one row per iteration.
// CHECK-LABEL: func.func private @window
// CHECK: %[[V0:.*]] = memref.alloc() : memref<3x8xf32>
// CHECK-NEXT: affine.for %[[V1:.*]] = 0 to 2 {
// CHECK-NEXT: affine.for %[[V2:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V3:.*]] = affine.load %arg0[%[[V1]], %[[V2]]] : memref<18x8xf32>
// CHECK-NEXT: %[[V4:.*]] = math.exp %[[V3]] : f32
// CHECK-NEXT: %[[V5:.*]] = affine.apply affine_map<(d0) -> (d0 mod 3)>(%[[V1]])
// CHECK-NEXT: affine.store %[[V4]], %[[V0]][%[[V5]], %[[V2]]] {tloop.block = "p"} : memref<3x8xf32>
// CHECK-NEXT: } {tloop.name = "pj"}
// CHECK-NEXT: } {tloop.name = "pi"}
// CHECK-NEXT: affine.for %[[V6:.*]] = 0 to 16 {
// CHECK-NEXT: affine.for %[[V7:.*]] = 0 to 1 {
// CHECK-NEXT: %[[V8:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1 + 2)>(%[[V6]], %[[V7]])
// CHECK-NEXT: affine.for %[[V9:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V10:.*]] = affine.load %arg0[%[[V8]], %[[V9]]] : memref<18x8xf32>
// CHECK-NEXT: %[[V11:.*]] = math.exp %[[V10]] : f32
// CHECK-NEXT: %[[V12:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 + d1 + 2) mod 3)>(%[[V6]], %[[V7]])
// CHECK-NEXT: affine.store %[[V11]], %[[V0]][%[[V12]], %[[V9]]] {tloop.block = "p"} : memref<3x8xf32>
// CHECK-NEXT: } {tloop.name = "pj"}
// CHECK-NEXT: } {tloop.name = "pi"}
// CHECK-NEXT: affine.for %[[V13:.*]] = 0 to 8 {
// CHECK-NEXT: %[[V14:.*]] = affine.apply affine_map<(d0) -> (d0 mod 3)>(%[[V6]])
// CHECK-NEXT: %[[V15:.*]] = affine.load %[[V0]][%[[V14]], %[[V13]]] : memref<3x8xf32>
// CHECK-NEXT: %[[V16:.*]] = affine.apply affine_map<(d0) -> ((d0 + 1) mod 3)>(%[[V6]])
// CHECK-NEXT: %[[V17:.*]] = affine.load %[[V0]][%[[V16]], %[[V13]]] : memref<3x8xf32>
// CHECK-NEXT: %[[V18:.*]] = affine.apply affine_map<(d0) -> ((d0 + 2) mod 3)>(%[[V6]])
// CHECK-NEXT: %[[V19:.*]] = affine.load %[[V0]][%[[V18]], %[[V13]]] : memref<3x8xf32>
// CHECK-NEXT: %[[V20:.*]] = arith.addf %[[V15]], %[[V17]] : f32
// CHECK-NEXT: %[[V21:.*]] = arith.addf %[[V20]], %[[V19]] : f32
// CHECK-NEXT: affine.store %[[V21]], %arg1[%[[V6]], %[[V13]]] {tloop.block = "c"} : memref<16x8xf32>
// CHECK-NEXT: } {tloop.name = "j"}
// CHECK-NEXT: } {tloop.name = "i"}
// CHECK-NEXT: return
func.func private @window(%a: memref<18x8xf32>, %b: memref<16x8xf32>) {
  %t = memref.alloc() : memref<18x8xf32>
  affine.for %i = 0 to 18 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<18x8xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<18x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<18x8xf32>
      %1 = affine.load %t[%i + 1, %j] : memref<18x8xf32>
      %2 = affine.load %t[%i + 2, %j] : memref<18x8xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      affine.store %4, %b[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i, %j = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop)
  %p = "tloop.get_block"() {block_name = "p"} : () -> !tloop.block
  %m = "tloop.compute_at"(%p, %i) {rolling} : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @window} : () -> ()
