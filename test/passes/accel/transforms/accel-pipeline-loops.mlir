// RUN: mlc-opt %s --accel-pipeline-loops --canonicalize --cse | filecheck %s

#shared = #gpu.address_space<workgroup>

// Three stages: two groups of copies are on their way before the loop, and each iteration waits for all but one,
// which the next iteration needs. Groups of iterations that do not come are empty.
// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[N:.*]]: index, %[[DEPTH:.*]]: index, %[[A:.*]]: memref<64x?xbf16>, %[[B:.*]]: memref<?x64xbf16>,
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[AS:.*]] = "accel.alloc"() {stages = 3 : i64, swizzle = 64 : i64} : () -> memref<3x64x32xbf16,
// CHECK-NEXT: %[[BS:.*]] = "accel.alloc"() {stages = 3 : i64, swizzle = 128 : i64} : () -> memref<3x32x64xbf16,
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi sgt, %[[DEPTH]], %[[C0]]
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[VIEW_A:.*]] = memref.subview %[[AS]][0, 0, 0] [1, 64, 32]
// CHECK-NEXT: %[[TO_A:.*]] = memref.cast %[[VIEW_A]]
// CHECK-NEXT: %[[TA:.*]] = "accel.copy"(%[[A]], %[[TO_A]], %[[C0]], %[[C0]])
// CHECK-NEXT: %[[VIEW_B:.*]] = memref.subview %[[BS]][0, 0, 0] [1, 32, 64]
// CHECK-NEXT: %[[TO_B:.*]] = memref.cast %[[VIEW_B]]
// CHECK-NEXT: %[[TB:.*]] = "accel.copy"(%[[B]], %[[TO_B]], %[[C0]], %[[C0]])
// CHECK-NEXT: "accel.commit"(%[[TA]], %[[TB]])
// CHECK-NEXT: } else {
// CHECK-NEXT: "accel.commit"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi sgt, %[[DEPTH]], %[[C32]]
// CHECK-NEXT: scf.if %[[SECOND]] {
// CHECK-NEXT: memref.subview %[[AS]][1, 0, 0] [1, 64, 32]
// CHECK: "accel.copy"(%[[A]], %{{.*}}, %[[C0]], %[[C32]])
// CHECK: memref.subview %[[BS]][1, 0, 0] [1, 32, 64]
// CHECK: "accel.copy"(%[[B]], %{{.*}}, %[[C32]], %[[C0]])
// CHECK: "accel.commit"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %[[RESULT:.*]]:2 = scf.for %[[K:.*]] = %[[C0]] to %[[DEPTH]] step %[[C32]] iter_args(%[[OLD:.*]] = %{{.*}}, %[[STAGE:.*]] = %[[C0]])
// CHECK-NEXT: "accel.wait_groups"() {pending = 1 : i64}
// CHECK-NEXT: %[[AHEAD:.*]] = arith.addi %[[K]], %[[C64]]
// CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi eq, %[[STAGE]], %[[C0]]
// CHECK-NEXT: %[[LESS:.*]] = arith.subi %[[STAGE]], %[[C1]]
// CHECK-NEXT: %[[FREE:.*]] = arith.select %[[WRAPS]], %[[C2]], %[[LESS]]
// CHECK-NEXT: %[[COMES:.*]] = arith.cmpi slt, %[[AHEAD]], %[[DEPTH]]
// CHECK-NEXT: scf.if %[[COMES]] {
// CHECK-NEXT: %[[FREE_A:.*]] = memref.subview %[[AS]][%[[FREE]], 0, 0]
// CHECK-NEXT: "accel.copy"(%[[A]], %[[FREE_A]], %[[C0]], %[[AHEAD]])
// CHECK-NEXT: %[[FREE_B:.*]] = memref.subview %[[BS]][%[[FREE]], 0, 0]
// CHECK-NEXT: "accel.copy"(%[[B]], %[[FREE_B]], %[[AHEAD]], %[[C0]])
// CHECK-NEXT: "accel.commit"(%{{.*}}, %{{.*}})
// CHECK-NEXT: } else {
// CHECK-NEXT: "accel.commit"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %[[NOW_A:.*]] = memref.subview %[[AS]][%[[STAGE]], 0, 0]
// CHECK-NEXT: %[[NOW_B:.*]] = memref.subview %[[BS]][%[[STAGE]], 0, 0]
// CHECK-NEXT: %[[NEW:.*]] = "accel.mma"(%[[NOW_A]], %[[NOW_B]], %[[OLD]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[STAGE]], %[[C1]]
// CHECK-NEXT: %[[END:.*]] = arith.cmpi eq, %[[NEXT]], %[[C3]]
// CHECK-NEXT: %[[AFTER:.*]] = arith.select %[[END]], %[[C0]], %[[NEXT]]
// CHECK-NEXT: scf.yield %[[NEW]], %[[AFTER]]
// CHECK-NEXT: }
// CHECK-NEXT: vector.transfer_write %[[RESULT]]#0
func.func @product(%n: index, %depth: index, %a: memref<64x?xbf16>, %b: memref<?x64xbf16>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xbf16, #shared>
    %bs = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xbf16, #shared>
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%old = %start) -> vector<64x64xf32> {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<64x?xbf16>, memref<64x32xbf16, #shared>, index, index) -> !accel.token
      %tb = "accel.copy"(%b, %bs, %k, %c0) : (memref<?x64xbf16>, memref<32x64xbf16, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
      %new = "accel.mma"(%as, %bs, %old) {precision = "exact"} : (memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, vector<64x64xf32>) -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    } {accel.stages = 3 : i64}
    vector.transfer_write %sum, %c[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// One stage is the loop as it stands.
// CHECK-LABEL: func.func @one_stage
// CHECK: %[[M:.*]] = "accel.alloc"() {stages = 1 : i64,
// CHECK-NEXT: scf.for %[[K:.*]] =
// CHECK-NEXT: %[[T:.*]] = "accel.copy"(%{{.*}}, %[[M]], %[[K]])
// CHECK-NEXT: "accel.wait"(%[[T]])
// CHECK-NEXT: }
// CHECK-NOT: accel.stages
// CHECK: return
func.func @one_stage(%n: index, %a: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %m = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<64xf32, #shared>
    scf.for %k = %c0 to %c512 step %c64 {
      %t = "accel.copy"(%a, %m, %k) : (memref<512xf32>, memref<64xf32, #shared>, index) -> !accel.token
      "accel.wait"(%t) : (!accel.token) -> ()
    } {accel.stages = 1 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}
