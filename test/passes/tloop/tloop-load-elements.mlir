// RUN: sed 's/module {/module attributes {tloop.target = "x86-64"} {/' %s | mlc-opt --tloop-load-elements --canonicalize | filecheck %s
// RUN: mlc-opt %s --tloop-load-elements | filecheck %s --check-prefix=VECTORS
// RUN: sed 's/module {/module attributes {tloop.target = "aarch64"} {/' %s | mlc-opt --tloop-load-elements | filecheck %s --check-prefix=VECTORS
// RUN: sed 's/module {/module attributes {tloop.target = "aarch64-sve256"} {/' %s | mlc-opt --tloop-load-elements --canonicalize | filecheck %s

// NEON multiplies by a lane of a vector, and AVX-512 (the default) is LLVM's business: reads stay.
// VECTORS-COUNT-7: vector.transfer_read
// VECTORS-NOT: memref.load

module {
  // Each element is loaded once, where the vector was read, whatever is stored before it is used.
  // CHECK-LABEL: func.func @elements
  // CHECK-SAME: (%[[M:.*]]: memref<4x8xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
  // CHECK-NOT: vector.transfer_read
  // CHECK-DAG: %[[A:.*]] = memref.load %[[M]][%[[I]], %[[J]]]
  // CHECK-DAG: %[[ROW:.*]] = arith.addi %[[I]], %c1
  // CHECK-DAG: %[[COLUMN:.*]] = arith.addi %[[J]], %c2
  // CHECK-DAG: %[[B:.*]] = memref.load %[[M]][%[[ROW]], %[[COLUMN]]]
  // CHECK: memref.store %[[A]]
  // CHECK: return %[[A]], %[[B]], %[[B]]
  func.func @elements(%m: memref<4x8xf32>, %i: index, %j: index) -> (f32, f32, f32) {
    %zero = arith.constant 0.0 : f32
    %0 = vector.transfer_read %m[%i, %j], %zero {in_bounds = [true, true]} : memref<4x8xf32>, vector<2x3xf32>
    %1 = vector.extract %0[0, 0] : f32 from vector<2x3xf32>
    memref.store %1, %m[%j, %i] : memref<4x8xf32>
    %2 = vector.extract %0[1, 2] : f32 from vector<2x3xf32>
    %3 = vector.extract %0[1, 2] : f32 from vector<2x3xf32>
    return %1, %2, %3 : f32, f32, f32
  }

  // Along another dim, of a buffer with strides.
  // CHECK-LABEL: func.func @column
  // CHECK: %[[ROW:.*]] = arith.addi %arg1, %c3
  // CHECK: memref.load %arg0[%[[ROW]], %arg1]
  func.func @column(%m: memref<9x8xf32, strided<[32, 2]>>, %i: index) -> f32 {
    %zero = arith.constant 0.0 : f32
    %0 = vector.transfer_read %m[%i, %i], %zero {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<9x8xf32, strided<[32, 2]>>, vector<5xf32>
    %1 = vector.extract %0[3] : f32 from vector<5xf32>
    return %1 : f32
  }

  // Vectors that are used as such, whose elements may be out of bounds or are chosen at run time stay, and those of
  // tensors and broadcasts.
  // CHECK-LABEL: func.func @kept
  // CHECK-COUNT-5: vector.transfer_read
  // CHECK-NOT: memref.load
  func.func @kept(%m: memref<4x8xf32>, %t: tensor<8xf32>, %i: index) -> (vector<3xf32>, f32, f32, f32, f32, f32) {
    %zero = arith.constant 0.0 : f32
    %0 = vector.transfer_read %m[%i, %i], %zero {in_bounds = [true, true]} : memref<4x8xf32>, vector<2x3xf32>
    %1 = vector.extract %0[1] : vector<3xf32> from vector<2x3xf32>
    %2 = vector.extract %0[0, 1] : f32 from vector<2x3xf32>
    %3 = vector.transfer_read %m[%i, %i], %zero : memref<4x8xf32>, vector<3xf32>
    %4 = vector.extract %3[1] : f32 from vector<3xf32>
    %5 = vector.transfer_read %m[%i, %i], %zero {in_bounds = [true]} : memref<4x8xf32>, vector<3xf32>
    %6 = vector.extract %5[%i] : f32 from vector<3xf32>
    %7 = vector.transfer_read %t[%i], %zero {in_bounds = [true]} : tensor<8xf32>, vector<3xf32>
    %8 = vector.extract %7[1] : f32 from vector<3xf32>
    %9 = vector.transfer_read %m[%i, %i], %zero {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<4x8xf32>, vector<2x3xf32>
    %10 = vector.extract %9[1, 1] : f32 from vector<2x3xf32>
    return %1, %2, %4, %6, %8, %10 : vector<3xf32>, f32, f32, f32, f32, f32
  }
}
