// RUN: mlc-opt %s --tloop-share-addresses --canonicalize --cse | filecheck %s

// Distances come from affine.apply and from additions; the view begins at the least index.
// CHECK-LABEL: func.func @rows
// CHECK: %[[V:.*]] = memref.subview %arg0[%{{.*}}, %arg2] [4, 2] [1, 1] : memref<64x32xf32> to memref<4x2xf32, strided<[32, 1], offset: ?>>
// CHECK: memref.load %[[V]][%c1, %c0]
// CHECK: memref.load %[[V]][%c0, %c0]
// CHECK: memref.load %[[V]][%c2, %c1]
// CHECK: memref.load %[[V]][%c3, %c1]
func.func @rows(%m: memref<64x32xf32>, %i: index, %k: index) -> (f32, f32, f32, f32) {
  %c1 = arith.constant 1 : index
  %k1 = arith.addi %k, %c1 : index
  %i1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
  %i2 = affine.apply affine_map<(d0) -> (d0 + 2)>(%i)
  %i3 = affine.apply affine_map<(d0) -> (d0 + 3)>(%i)
  %0 = memref.load %m[%i1, %k] : memref<64x32xf32>
  %1 = memref.load %m[%i, %k] : memref<64x32xf32>
  %2 = memref.load %m[%i2, %k1] : memref<64x32xf32>
  %3 = memref.load %m[%i3, %k1] : memref<64x32xf32>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// Too few, and of other buffers or with other indices.
// CHECK-LABEL: func.func @others
// CHECK-NOT: memref.subview
func.func @others(%m: memref<64xf32>, %n: memref<64xf32>, %i: index, %j: index) -> (f32, f32, f32, f32, f32) {
  %i1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
  %0 = memref.load %m[%i] : memref<64xf32>
  %1 = memref.load %m[%i1] : memref<64xf32>
  %2 = memref.load %n[%i] : memref<64xf32>
  %3 = memref.load %n[%i1] : memref<64xf32>
  %4 = memref.load %m[%j] : memref<64xf32>
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// The two regions of one op are two blocks: their loads have nothing in common.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: memref.subview
func.func @branches(%m: memref<64xf32>, %i: index, %c: i1) -> (f32, f32) {
  %i1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
  %0:2 = scf.if %c -> (f32, f32) {
    %a = memref.load %m[%i] : memref<64xf32>
    %b = memref.load %m[%i1] : memref<64xf32>
    scf.yield %a, %b : f32, f32
  } else {
    %a = memref.load %m[%i1] : memref<64xf32>
    %b = memref.load %m[%i] : memref<64xf32>
    scf.yield %a, %b : f32, f32
  }
  return %0#0, %0#1 : f32, f32
}
