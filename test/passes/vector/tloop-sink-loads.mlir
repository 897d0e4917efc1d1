// RUN: mlc-opt %s --tloop-sink-loads --canonicalize | filecheck %s
// RUN: sed 's/tloop.target = "x86-64-v4"/tloop.target = "aarch64"/' %s | mlc-opt --tloop-sink-loads | filecheck %s --check-prefix=NEON

// NEON multiplies by a lane of a vector.
// NEON: vector.transfer_read {{.*}} vector<2x4xf32>
// NEON-NOT: memref.load

module attributes {tloop.target = "x86-64-v4"} {

// Elements are loaded, rows read, where they are used.
// CHECK-LABEL: func.func @parts
// CHECK: %[[A:.*]] = memref.load %arg0[%arg1, %arg2]
// CHECK: %[[U:.*]] = arith.mulf %[[A]], %arg3
// CHECK: %[[I:.*]] = arith.addi %arg1, %c1
// CHECK: %[[J:.*]] = arith.addi %arg2, %c3
// CHECK: %[[B:.*]] = memref.load %arg0[%[[I]], %[[J]]]
// CHECK: %[[V:.*]] = arith.mulf %[[B]], %[[U]]
// CHECK: %[[K:.*]] = arith.addi %arg1, %c1
// CHECK: %[[R:.*]] = vector.transfer_read %arg0[%[[K]], %arg2]{{.*}} : memref<8x8xf32>, vector<4xf32>
// CHECK: return %[[V]], %[[R]]
func.func @parts(%m: memref<8x8xf32>, %i: index, %j: index, %s: f32) -> (f32, vector<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = vector.transfer_read %m[%i, %j], %zero {in_bounds = [true, true]} : memref<8x8xf32>, vector<2x4xf32>
  %0 = vector.extract %t[0, 0] : f32 from vector<2x4xf32>
  %1 = arith.mulf %0, %s : f32
  %2 = vector.extract %t[1, 3] : f32 from vector<2x4xf32>
  %3 = arith.mulf %2, %1 : f32
  %4 = vector.extract %t[1] : vector<4xf32> from vector<2x4xf32>
  return %3, %4 : f32, vector<4xf32>
}

// The vector's dim is not the buffer's last one.
// CHECK-LABEL: func.func @column
// CHECK: %[[I:.*]] = arith.addi %arg1, %c1
// CHECK: memref.load %arg0[%[[I]], %arg1]
func.func @column(%m: memref<8x8xf32>, %i: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %t = vector.transfer_read %m[%i, %i], %zero {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<8x8xf32>, vector<4xf32>
  %0 = vector.extract %t[1] : f32 from vector<4xf32>
  return %0 : f32
}

// Used whole: it moves, but stays one read.
// CHECK-LABEL: func.func @whole
// CHECK: arith.addf
// CHECK-NEXT: vector.transfer_read
// CHECK-NEXT: arith.mulf
func.func @whole(%m: memref<8xf32>, %i: index, %v: vector<4xf32>) -> vector<4xf32> {
  %zero = arith.constant 0.0 : f32
  %t = vector.transfer_read %m[%i], %zero {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
  %0 = arith.addf %v, %v : vector<4xf32>
  %1 = arith.mulf %0, %t : vector<4xf32>
  return %1 : vector<4xf32>
}

// A scalar load moves too.
// CHECK-LABEL: func.func @number
// CHECK: arith.addf
// CHECK-NEXT: %[[A:.*]] = memref.load %arg0[%arg1]
// CHECK-NEXT: arith.mulf %{{.*}}, %[[A]]
// NEON-LABEL: func.func @number
// NEON-NEXT: memref.load
func.func @number(%m: memref<8xf32>, %i: index, %s: f32) -> f32 {
  %a = memref.load %m[%i] : memref<8xf32>
  %0 = arith.addf %s, %s : f32
  %1 = arith.mulf %0, %a : f32
  return %1 : f32
}

// A write stands in between; a read that may be out of bounds keeps its padding.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: %{{.*}} = arith.constant
// CHECK-NEXT: %[[T:.*]] = vector.transfer_read %arg0[%arg1]
// CHECK-NEXT: memref.store
// CHECK-NEXT: vector.extract %[[T]][1]
// CHECK: %[[P:.*]] = vector.transfer_read %arg0[%arg1], %{{[^{]*}} : memref<8xf32>, vector<4xf32>
// CHECK-NEXT: vector.extract %[[P]][1]
func.func @kept(%m: memref<8xf32>, %i: index, %s: f32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %t = vector.transfer_read %m[%i], %zero {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
  memref.store %s, %m[%i] : memref<8xf32>
  %0 = vector.extract %t[1] : f32 from vector<4xf32>
  %p = vector.transfer_read %m[%i], %zero : memref<8xf32>, vector<4xf32>
  %1 = vector.extract %p[1] : f32 from vector<4xf32>
  return %0, %1 : f32, f32
}

// What a mask hides is not loaded.
// CHECK-LABEL: func.func @masked
// CHECK: vector.transfer_read
// CHECK-NOT: memref.load
func.func @masked(%m: memref<8xf32>, %i: index, %mask: vector<4xi1>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %t = vector.transfer_read %m[%i], %zero, %mask {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
  %0 = vector.extract %t[1] : f32 from vector<4xf32>
  return %0 : f32
}
}
