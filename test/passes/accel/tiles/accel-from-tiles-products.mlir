// RUN: mlc-opt %s --pass-pipeline="builtin.module(accel-kernel)" --split-input-file | filecheck %s

// Two copies of a step, a product of what they copied, and the epilogue on sums in registers. Pieces of the right
// operand's rows are swizzled; the last step of the reduction and the last tiles are cut off.
// CHECK-LABEL: func.func private @product(
// CHECK-SAME: %[[A:.*]]: memref<70x100xbf16>, %[[B:.*]]: memref<100x75xbf16>, %[[C:.*]]: memref<75xf32>, %[[R:.*]]: memref<70x75xf32>)
// CHECK: "accel.launch"(%c9) ({
// CHECK-DAG: %[[AS:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 128 : i64} : () -> memref<32x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[BS:.*]] = "accel.alloc"() {stages = 1 : i64, swizzle = 64 : i64} : () -> memref<64x32xbf16, #gpu.address_space<workgroup>>
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c100 step %c64 iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<32x32xf32>) {
// CHECK: %[[TA:.*]] = "accel.copy"(%[[A]], %[[AS]], %[[ROW:[0-9]+]], %[[K]])
// CHECK-NEXT: %[[TB:.*]] = "accel.copy"(%[[B]], %[[BS]], %[[K]], %[[COLUMN:[0-9]+]])
// CHECK-NEXT: "accel.wait"(%[[TA]], %[[TB]])
// CHECK-NEXT: %[[NEW:.*]] = "accel.mma"(%[[AS]], %[[BS]], %[[OLD]]) {precision = "exact"}
// CHECK-NEXT: scf.yield %[[NEW]]
// CHECK-NEXT: } {accel.stages = 2 : i64}
// CHECK: %[[BIAS:.*]] = vector.transfer_read %[[C]][%[[COLUMN]]]
// CHECK: arith.addf %[[SUM]], %{{.*}} : vector<32x32xf32>
// CHECK: vector.transfer_write %{{.*}}, %[[R]][%[[ROW]], %[[COLUMN]]] : vector<32x32xf32>, memref<70x75xf32>
// CHECK: }) {warps = 4 : i64}
func.func private @product(%a: tensor<70x100xbf16>, %b: tensor<100x75xbf16>, %c: tensor<75xf32>) -> tensor<70x75xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<70x100xbf16>, tensor<100x75xbf16>) -> tensor<70x75xbf16>
  %1 = "graph.cast"(%0) : (tensor<70x75xbf16>) -> tensor<70x75xf32>
  %2 = "graph.add"(%1, %c) : (tensor<70x75xf32>, tensor<75xf32>) -> tensor<70x75xf32>
  return %2 : tensor<70x75xf32>
}

// -----

// Heads lie between rows and columns: a box of one head. The right operand is read transposed.
// CHECK-LABEL: func.func private @scores(
// CHECK: "accel.copy"(%arg0, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {box = array<i64: 1, 32, 1, 32>}
// CHECK: "accel.copy"(%arg1, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {box = array<i64: 1, 32, 1, 32>}
// CHECK: "accel.mma"({{.*}}) {precision = "tf32", transpose_b}
func.func private @scores(%q: tensor<2x64x3x40xf32>, %k: tensor<2x64x3x40xf32>) -> tensor<2x3x64x64xf32> attributes {tloop.kernel} {
  %0 = "graph.transpose"(%q) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x64x3x40xf32>) -> tensor<2x3x64x40xf32>
  %1 = "graph.transpose"(%k) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x64x3x40xf32>) -> tensor<2x3x40x64xf32>
  %2 = "graph.matmul"(%0, %1) {accel.precision = "tf32"} : (tensor<2x3x64x40xf32>, tensor<2x3x40x64xf32>) -> tensor<2x3x64x64xf32>
  return %2 : tensor<2x3x64x64xf32>
}

// -----

// Too few rows for the matrix unit: operands are extended to the accumulator's type, and multiplied in it.
// CHECK-LABEL: func.func private @few(
// CHECK: "accel.mma"({{.*}}) {precision = "exact"} : (vector<8x64xf32>, vector<64x32xf32>, vector<8x32xf32>) -> vector<8x32xf32>
func.func private @few(%a: tensor<5x128xf16>, %b: tensor<128x64xf16>) -> tensor<5x64xf32> attributes {tloop.kernel} {
  %0 = "graph.matmul"(%a, %b) {graph.unrounded} : (tensor<5x128xf16>, tensor<128x64xf16>) -> tensor<5x64xf16>
  %1 = "graph.cast"(%0) : (tensor<5x64xf16>) -> tensor<5x64xf32>
  return %1 : tensor<5x64xf32>
}

// -----

// Integers of 8 bits as they are in memory, the left ones unsigned.
// CHECK-LABEL: func.func private @integers(
// CHECK: "accel.copy"(%arg0, %{{.*}}) : (memref<64x96xi8>, memref<32x128xi8, #gpu.address_space<workgroup>>
// CHECK: "accel.mma"({{.*}}) {precision = "exact", transpose_b, unsigned_a}
// CHECK-SAME: : (memref<32x128xi8, #gpu.address_space<workgroup>>, memref<32x128xi8, #gpu.address_space<workgroup>>, vector<32x32xi32>) -> vector<32x32xi32>
func.func private @integers(%a: tensor<64x96xui8>, %b: tensor<40x96xi8>) -> tensor<64x40xi32> attributes {tloop.kernel} {
  %0 = "graph.cast"(%a) : (tensor<64x96xui8>) -> tensor<64x96xi32>
  %1 = "graph.cast"(%b) : (tensor<40x96xi8>) -> tensor<40x96xi32>
  %2 = "graph.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<40x96xi32>) -> tensor<96x40xi32>
  %3 = "graph.matmul"(%0, %2) : (tensor<64x96xi32>, tensor<96x40xi32>) -> tensor<64x40xi32>
  return %3 : tensor<64x40xi32>
}
