// RUN: mlc-opt %s --tloop-unroll-strided-reads --canonicalize | filecheck %s

// CHECK-LABEL: func.func @strided
// CHECK: %[[A:.*]] = memref.load %arg0[%arg1, %arg2]
// CHECK: %[[PLUS1:.*]] = arith.addi %arg2, %c1
// CHECK: %[[B:.*]] = memref.load %arg0[%arg1, %[[PLUS1]]]
// CHECK: %[[PLUS2:.*]] = arith.addi %arg2, %c2
// CHECK: %[[C:.*]] = memref.load %arg0[%arg1, %[[PLUS2]]]
// CHECK: %[[V:.*]] = vector.from_elements %[[A]], %[[B]], %[[C]] : vector<3xf32>
// CHECK: return %[[V]]
func.func @strided(%m: memref<4x8xf32, strided<[32, 2]>>, %i: index, %j: index) -> vector<3xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%i, %j], %zero {in_bounds = [true]} : memref<4x8xf32, strided<[32, 2]>>, vector<3xf32>
  return %0 : vector<3xf32>
}

// Along another dim than the last, whatever its stride.
// CHECK-LABEL: func.func @column
// CHECK: %[[A:.*]] = memref.load %arg0[%arg1, %arg2, %c0]
// CHECK: %[[PLUS1:.*]] = arith.addi %arg2, %c1
// CHECK: %[[B:.*]] = memref.load %arg0[%arg1, %[[PLUS1]], %c0]
// CHECK: vector.from_elements %[[A]], %[[B]] : vector<2xf32>
func.func @column(%m: memref<4x8x1xf32>, %i: index, %j: index) -> vector<2xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%i, %j, %c0], %zero {in_bounds = [true], permutation_map = affine_map<(d0, d1, d2) -> (d1)>} : memref<4x8x1xf32>, vector<2xf32>
  return %0 : vector<2xf32>
}

// Several rows.
// CHECK-LABEL: func.func @rows
// CHECK: %[[NEXT:.*]] = arith.addi %arg1, %c1
// CHECK: %[[D:.*]] = memref.load %arg0[%[[NEXT]], %arg2]
// CHECK: vector.from_elements %{{.*}}, %{{.*}}, %{{.*}}, %[[D]], %{{.*}}, %{{.*}} : vector<2x3xf32>
func.func @rows(%m: memref<4x8xf32, strided<[32, 2]>>, %i: index, %j: index) -> vector<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%i, %j], %zero {in_bounds = [true, true]} : memref<4x8xf32, strided<[32, 2]>>, vector<2x3xf32>
  return %0 : vector<2x3xf32>
}

// Reads with unit stride are one load, broadcasts too; reads that may be out of bounds or from tensors are upstream's.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-5: vector.transfer_read
// CHECK-NOT: memref.load
func.func @kept(%m: memref<4x8xf32, strided<[32, 2]>>, %u: memref<4x8xf32>, %t: tensor<8xf32>, %i: index) -> (vector<3xf32>, vector<3xf32>, vector<2x3xf32>, vector<3xf32>, vector<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %u[%i, %i], %zero {in_bounds = [true]} : memref<4x8xf32>, vector<3xf32>
  %1 = vector.transfer_read %m[%i, %i], %zero : memref<4x8xf32, strided<[32, 2]>>, vector<3xf32>
  %2 = vector.transfer_read %u[%i, %i], %zero {in_bounds = [true, true]} : memref<4x8xf32>, vector<2x3xf32>
  %3 = vector.transfer_read %m[%i, %i], %zero {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<4x8xf32, strided<[32, 2]>>, vector<3xf32>
  %4 = vector.transfer_read %t[%i], %zero {in_bounds = [true]} : tensor<8xf32>, vector<3xf32>
  return %0, %1, %2, %3, %4 : vector<3xf32>, vector<3xf32>, vector<2x3xf32>, vector<3xf32>, vector<3xf32>
}
