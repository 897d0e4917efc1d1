// RUN: mlc-opt %s --split-input-file --tloop-prefetch=distance=0 --canonicalize --cse | filecheck %s

// A 1x1 window over two blocks of 32 channels, four rows: their next runs are 8 lines after each other, of which each
// of 16 iterations takes one. After the last block comes the next tile, 4 * 32 elements further in the first one. The
// next block of weights, 2048 elements further, is due in 8 * 2 tiles: 1024 / 16 elements per run of the innermost loop.
// CHECK-LABEL: func.func @pointwise
// CHECK: scf.forall (%[[C:.*]], %[[H:.*]]) in (4, 8)
// CHECK: scf.for %[[W:.*]] = %c0 to %c8 step %c4
// CHECK: scf.for %[[B:.*]] = %c0 to %c2 step %c1
// CHECK-DAG: %[[BLOCK:.*]] = arith.muli %[[B]], %c2048
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[H]], %c256
// CHECK-DAG: %[[PIXEL:.*]] = arith.muli %[[W]], %c32
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi ult, %[[B]], %c1
// CHECK-DAG: %[[NEXT:.*]] = arith.select %[[INSIDE]], %c2048, %c-1920
// CHECK: %[[START:.*]] = arith.addi %{{.*}}, %[[NEXT]]
// CHECK: arith.divui %{{.*}}, %c64
// CHECK: %[[WEIGHTS:.*]] = arith.addi
// CHECK-NEXT: memref.prefetch %arg1[%c0, %c0, %c0, %[[WEIGHTS]]], read, locality<2>
// CHECK-COUNT-3: memref.prefetch %arg1[%c0, %c0, %c0, %{{.*}}], read, locality<2>
// CHECK: scf.for %[[K:.*]] = %c0 to %c32 step %c2
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[K]], %c8
// CHECK-NEXT: %[[HERE:.*]] = arith.addi %{{.*}}, %[[AT]]
// CHECK-NEXT: memref.prefetch %arg0[%c0, %c0, %c0, %[[HERE]]], read, locality<3>
// CHECK-NOT: memref.prefetch
func.func @pointwise(%x: memref<2x8x8x32xf32>, %w: memref<4x2x32x32xf32>, %y: memref<4x8x8x32xf32>, %zero: vector<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %pad = ub.poison : f32
  scf.forall (%c, %h) in (4, 8) {
    scf.for %t = %c0 to %c8 step %c4 {
      %r:4 = scf.for %b = %c0 to %c2 step %c1 iter_args(%o0 = %zero, %o1 = %zero, %o2 = %zero, %o3 = %zero) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
        %s:4 = scf.for %k = %c0 to %c32 step %c2 iter_args(%a0 = %o0, %a1 = %o1, %a2 = %o2, %a3 = %o3) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
          %view = memref.subview %x[%b, %h, %t, %k] [1, 1, 4, 2] [1, 1, 1, 1] : memref<2x8x8x32xf32> to memref<1x1x4x2xf32, strided<[2048, 256, 32, 1], offset: ?>>
          %n0 = memref.load %view[%c0, %c0, %c0, %c0] : memref<1x1x4x2xf32, strided<[2048, 256, 32, 1], offset: ?>>
          %n1 = memref.load %view[%c0, %c0, %c1, %c0] : memref<1x1x4x2xf32, strided<[2048, 256, 32, 1], offset: ?>>
          %n2 = memref.load %view[%c0, %c0, %c2, %c0] : memref<1x1x4x2xf32, strided<[2048, 256, 32, 1], offset: ?>>
          %n3 = memref.load %view[%c0, %c0, %c3, %c1] : memref<1x1x4x2xf32, strided<[2048, 256, 32, 1], offset: ?>>
          %row = vector.transfer_read %w[%c, %b, %k, %c0], %pad {in_bounds = [true]} : memref<4x2x32x32xf32>, vector<32xf32>
          %v0 = vector.broadcast %n0 : f32 to vector<32xf32>
          %v1 = vector.broadcast %n1 : f32 to vector<32xf32>
          %v2 = vector.broadcast %n2 : f32 to vector<32xf32>
          %v3 = vector.broadcast %n3 : f32 to vector<32xf32>
          %m0 = vector.fma %v0, %row, %a0 : vector<32xf32>
          %m1 = vector.fma %v1, %row, %a1 : vector<32xf32>
          %m2 = vector.fma %v2, %row, %a2 : vector<32xf32>
          %m3 = vector.fma %v3, %row, %a3 : vector<32xf32>
          scf.yield %m0, %m1, %m2, %m3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
        }
        scf.yield %s#0, %s#1, %s#2, %s#3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
      }
      vector.transfer_write %r#0, %y[%c, %h, %t, %c0] {in_bounds = [true]} : vector<32xf32>, memref<4x8x8x32xf32>
    }
  }
  return
}

// -----

// The three columns of a window with stride 2 read 9 runs in all, 18 lines, in 3 * 16 iterations; next comes the window's
// next row. A block of weights, 2 * 3 * 3 * 1024 elements, is due in two tiles only: 16 elements per step of the innermost loop.
// CHECK-LABEL: func.func @window
// CHECK: scf.forall (%[[C:.*]], %[[H:.*]]) in (4, 2)
// CHECK: scf.for %[[B:.*]] = %c0 to %c2 step %c1
// CHECK: scf.for %[[I:.*]] = %c0 to %c3 step %c1
// CHECK: scf.for %[[J:.*]] = %c0 to %c3 step %c1
// CHECK-DAG: arith.muli %[[J]], %c256
// CHECK-DAG: %[[LAST:.*]] = arith.cmpi ult, %[[B]], %c1
// CHECK-DAG: %[[BLOCK:.*]] = arith.select %[[LAST]], %c1440, %{{.*}}
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi ult, %[[I]], %c2
// CHECK-DAG: arith.select %[[INSIDE]], %c288, %{{.*}}
// CHECK: scf.for %[[K:.*]] = %c0 to %c32 step %c2
// CHECK: %[[PART:.*]] = arith.muli %[[K]], %c16
// CHECK-NEXT: %[[WEIGHTS:.*]] = arith.addi %{{.*}}, %[[PART]]
// CHECK-NEXT: memref.prefetch %arg1[%c0, %c0, %c0, %c0, %c0, %[[WEIGHTS]]], read, locality<2>
// CHECK-NEXT: %[[SECOND:.*]] = arith.addi %[[WEIGHTS]], %c16
// CHECK-NEXT: memref.prefetch %arg1[%c0, %c0, %c0, %c0, %c0, %[[SECOND]]], read, locality<2>
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[K]], %c8
// CHECK-NEXT: %[[HERE:.*]] = arith.addi %{{.*}}, %[[AT]]
// CHECK-NEXT: memref.prefetch %arg0[%c0, %c0, %c0, %[[HERE]]], read, locality<3>
// CHECK-NOT: memref.prefetch
func.func @window(%x: memref<2x5x9x32xf32>, %w: memref<4x2x3x3x32x32xf32>, %y: memref<4x2x4x32xf32>, %zero: vector<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %pad = ub.poison : f32
  scf.forall (%c, %h) in (4, 2) {
    %r:4 = scf.for %b = %c0 to %c2 step %c1 iter_args(%p0 = %zero, %p1 = %zero, %p2 = %zero, %p3 = %zero) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
      %t:4 = scf.for %i = %c0 to %c3 step %c1 iter_args(%q0 = %p0, %q1 = %p1, %q2 = %p2, %q3 = %p3) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
        %u:4 = scf.for %j = %c0 to %c3 step %c1 iter_args(%o0 = %q0, %o1 = %q1, %o2 = %q2, %o3 = %q3) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
          %s:4 = scf.for %k = %c0 to %c32 step %c2 iter_args(%a0 = %o0, %a1 = %o1, %a2 = %o2, %a3 = %o3) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
            %line = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%h)[%i]
            %j2 = affine.apply affine_map<()[s0] -> (s0 + 2)>()[%j]
            %j4 = affine.apply affine_map<()[s0] -> (s0 + 4)>()[%j]
            %j6 = affine.apply affine_map<()[s0] -> (s0 + 6)>()[%j]
            %n0 = memref.load %x[%b, %line, %j, %k] : memref<2x5x9x32xf32>
            %n1 = memref.load %x[%b, %line, %j2, %k] : memref<2x5x9x32xf32>
            %n2 = memref.load %x[%b, %line, %j4, %k] : memref<2x5x9x32xf32>
            %n3 = memref.load %x[%b, %line, %j6, %k] : memref<2x5x9x32xf32>
            %row = vector.transfer_read %w[%c, %b, %i, %j, %k, %c0], %pad {in_bounds = [true]} : memref<4x2x3x3x32x32xf32>, vector<32xf32>
            %v0 = vector.broadcast %n0 : f32 to vector<32xf32>
            %v1 = vector.broadcast %n1 : f32 to vector<32xf32>
            %v2 = vector.broadcast %n2 : f32 to vector<32xf32>
            %v3 = vector.broadcast %n3 : f32 to vector<32xf32>
            %m0 = vector.fma %v0, %row, %a0 : vector<32xf32>
            %m1 = vector.fma %v1, %row, %a1 : vector<32xf32>
            %m2 = vector.fma %v2, %row, %a2 : vector<32xf32>
            %m3 = vector.fma %v3, %row, %a3 : vector<32xf32>
            scf.yield %m0, %m1, %m2, %m3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
          }
          scf.yield %s#0, %s#1, %s#2, %s#3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
        }
        scf.yield %u#0, %u#1, %u#2, %u#3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
      }
      scf.yield %t#0, %t#1, %t#2, %t#3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
    }
    vector.transfer_write %r#0, %y[%c, %h, %c0, %c0] {in_bounds = [true]} : vector<32xf32>, memref<4x2x4x32xf32>
  }
  return
}

// -----

// Rows that are two runs apart, in a loop with room for them: the runs' lines alone. Two blocks of weights of 64 * 1024
// elements do not fit the L2 cache of 256 KB.
// CHECK-LABEL: func.func @apart
// CHECK: scf.for %[[B:.*]] = %c0 to %c64 step %c1
// CHECK: scf.for %[[K:.*]] = %c0 to %c32 step %c2
// CHECK: %[[AT:.*]] = arith.muli %[[K]], %c32
// CHECK: %[[HERE:.*]] = arith.addi %{{.*}}, %[[AT]]
// CHECK: memref.prefetch %arg0[%c0, %c0, %c0, %[[HERE]]], read, locality<3>
// CHECK-NEXT: %[[SECOND:.*]] = arith.addi %[[HERE]], %c16
// CHECK-NEXT: memref.prefetch %arg0[%c0, %c0, %c0, %[[SECOND]]], read, locality<3>
// CHECK-NOT: memref.prefetch

// No reduction around the innermost loop: the rows' elements are contiguous.
// CHECK-LABEL: func.func @product
// CHECK-NOT: memref.prefetch
module attributes {tloop.target = "name=x,triple=x86_64-unknown-linux-gnu,vector-bits=512,vector-registers=32,l2=262144"} {
  func.func @apart(%x: memref<64x16x16x32xf32>, %w: memref<4x64x32x32xf32>, %y: memref<4x8x8x32xf32>, %zero: vector<32xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %pad = ub.poison : f32
    scf.forall (%c, %h) in (4, 16) {
      %r:4 = scf.for %b = %c0 to %c64 step %c1 iter_args(%o0 = %zero, %o1 = %zero, %o2 = %zero, %o3 = %zero) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
        %s:4 = scf.for %k = %c0 to %c32 step %c2 iter_args(%a0 = %o0, %a1 = %o1, %a2 = %o2, %a3 = %o3) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
          %n0 = memref.load %x[%b, %h, %c0, %k] : memref<64x16x16x32xf32>
          %n1 = memref.load %x[%b, %h, %c2, %k] : memref<64x16x16x32xf32>
          %n2 = memref.load %x[%b, %h, %c4, %k] : memref<64x16x16x32xf32>
          %n3 = memref.load %x[%b, %h, %c6, %k] : memref<64x16x16x32xf32>
          %row = vector.transfer_read %w[%c, %b, %k, %c0], %pad {in_bounds = [true]} : memref<4x64x32x32xf32>, vector<32xf32>
          %v0 = vector.broadcast %n0 : f32 to vector<32xf32>
          %v1 = vector.broadcast %n1 : f32 to vector<32xf32>
          %v2 = vector.broadcast %n2 : f32 to vector<32xf32>
          %v3 = vector.broadcast %n3 : f32 to vector<32xf32>
          %m0 = vector.fma %v0, %row, %a0 : vector<32xf32>
          %m1 = vector.fma %v1, %row, %a1 : vector<32xf32>
          %m2 = vector.fma %v2, %row, %a2 : vector<32xf32>
          %m3 = vector.fma %v3, %row, %a3 : vector<32xf32>
          scf.yield %m0, %m1, %m2, %m3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
        }
        scf.yield %s#0, %s#1, %s#2, %s#3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
      }
      vector.transfer_write %r#0, %y[%c, %h, %c0, %c0] {in_bounds = [true]} : vector<32xf32>, memref<4x8x8x32xf32>
    }
    return
  }

  func.func @product(%x: memref<4x32xf32>, %w: memref<4x32x32xf32>, %y: memref<4x32xf32>, %zero: vector<32xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %pad = ub.poison : f32
    scf.forall (%c) in (4) {
      %s:4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%a0 = %zero, %a1 = %zero, %a2 = %zero, %a3 = %zero) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
        %n0 = memref.load %x[%c0, %k] : memref<4x32xf32>
        %n1 = memref.load %x[%c1, %k] : memref<4x32xf32>
        %row = vector.transfer_read %w[%c, %k, %c0], %pad {in_bounds = [true]} : memref<4x32x32xf32>, vector<32xf32>
        %v0 = vector.broadcast %n0 : f32 to vector<32xf32>
        %v1 = vector.broadcast %n1 : f32 to vector<32xf32>
        %m0 = vector.fma %v0, %row, %a0 : vector<32xf32>
        %m1 = vector.fma %v1, %row, %a1 : vector<32xf32>
        scf.yield %m0, %m1, %a2, %a3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
      }
      vector.transfer_write %s#0, %y[%c, %c0] {in_bounds = [true]} : vector<32xf32>, memref<4x32xf32>
    }
    return
  }
}
