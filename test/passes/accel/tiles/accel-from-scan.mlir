// RUN: mlc-opt %s --accel-from-scan --canonicalize --cse --split-input-file | filecheck %s

// Rows of 1500 in two parts of 1024; the second one begins with the first one's sum. 10 steps join runs of 1, 2, ...
// 512 elements: a step adds the sum of the first run of a pair to the elements of the second.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[X:.*]]: memref<6x1500xf32>, %[[Y:.*]]: memref<6x1500xf32>) attributes {tloop.kernel}
// CHECK: "accel.launch"(%c6) ({
// CHECK: %{{.*}} = scf.for %[[PART:.*]] = %c0 to %c2 step %c1 iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (vector<1x1xf32>)
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[PART]], %c1024
// CHECK-NEXT: %[[TILE:.*]] = vector.transfer_read %[[X]][%{{.*}}, %[[AT]]], %{{.*}} {in_bounds = [true, false]} : memref<6x1500xf32>, vector<1x1024xf32>
// CHECK: vector.multi_reduction <add>, %{{.*}} [2] : vector<1x512x2x1xf32> to vector<1x512x1xf32>
// CHECK: arith.select %{{.*}} : vector<1x512x2x1x1xi1>, vector<1x512x2x1x1xf32>
// CHECK: vector.multi_reduction <add>, %{{.*}} [2] : vector<1x256x2x1xf32> to vector<1x256x1xf32>
// CHECK: arith.select %{{.*}} : vector<1x256x2x2x1xi1>, vector<1x256x2x2x1xf32>
// CHECK: arith.select %{{.*}} : vector<1x1x2x512x1xi1>, vector<1x1x2x512x1xf32>
// CHECK: vector.transfer_write %{{.*}}, %[[Y]][%{{.*}}, %[[AT]]] {in_bounds = [true, false]}
// CHECK: scf.yield %{{.*}} : vector<1x1xf32>
func.func private @rows(%x: tensor<6x1500xf32>) -> tensor<6x1500xf32> attributes {tloop.kernel} {
  %0 = "graph.cumsum"(%x) {axis = 1, exclusive = false, reverse = false} : (tensor<6x1500xf32>) -> tensor<6x1500xf32>
  return %0 : tensor<6x1500xf32>
}

// -----

// Columns side by side, from the last part on; sums of 16 bits are f32.
// CHECK-LABEL: func.func private @columns(
// CHECK: "accel.launch"(%c6) ({
// CHECK: scf.for %[[PART:.*]] = %c0 to %c5 step %c1
// CHECK-NEXT: %[[LAST:.*]] = arith.subi %c4, %[[PART]]
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[LAST]], %c8
// CHECK-NEXT: %[[TILE:.*]] = vector.transfer_read %{{.*}}[%{{.*}}, %[[AT]], %{{.*}}], %{{.*}} : memref<2x40x300xf16>, vector<8x128xf16>
// CHECK-NEXT: arith.extf %[[TILE]] : vector<8x128xf16> to vector<8x128xf32>
// CHECK: arith.truncf %{{.*}} : vector<8x128xf32> to vector<8x128xf16>
func.func private @columns(%x: tensor<2x40x300xf16>) -> tensor<2x40x300xf16> attributes {tloop.kernel} {
  %0 = "graph.cumsum"(%x) {axis = 1, exclusive = true, reverse = true} : (tensor<2x40x300xf16>) -> tensor<2x40x300xf16>
  return %0 : tensor<2x40x300xf16>
}

// -----

// Products: elements out of bounds, and those that are not earlier ones, are 1.
// CHECK-LABEL: func.func private @products(
// CHECK: %[[ONE:.*]] = arith.constant dense<1> : vector<{{.*}}xi32>
// CHECK: arith.muli %{{.*}} : vector<{{.*}}xi32>
// CHECK: vector.multi_reduction <mul>
// CHECK-NOT: arith.addi %{{.*}} : vector<
func.func private @products(%x: tensor<6x20xi32>) -> tensor<6x20xi32> attributes {tloop.kernel} {
  %0 = "graph.cumprod"(%x) {axis = 1, exclusive = true, reverse = false} : (tensor<6x20xi32>) -> tensor<6x20xi32>
  return %0 : tensor<6x20xi32>
}

// -----

// Other kernels stay.
// CHECK-LABEL: func.func private @other(
// CHECK-NEXT: "graph.exp"
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  %0 = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
