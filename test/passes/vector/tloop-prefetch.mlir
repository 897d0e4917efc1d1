// RUN: mlc-opt %s --tloop-prefetch --canonicalize | filecheck %s
// RUN: mlc-opt %s --tloop-prefetch=distance=0 | filecheck %s --check-prefix=NONE

// NONE-NOT: memref.prefetch

// Two cache lines of the row 8 ahead, after what the loop computes. What does not advance with it is not prefetched.
// CHECK-LABEL: func.func @panel
// CHECK: scf.for %[[K:.*]] =
// CHECK-NEXT: vector.transfer_read %arg0
// CHECK-NEXT: vector.transfer_read %arg1
// CHECK-COUNT-4: vector.fma
// CHECK-NEXT: %[[AHEAD:.*]] = arith.addi %{{.*}}, %c8
// CHECK-NEXT: memref.prefetch %arg0[%[[AHEAD]], %c0], read, locality<3>, data
// CHECK-NEXT: memref.prefetch %arg0[%[[AHEAD]], %c16], read, locality<3>, data
// CHECK-NEXT: scf.yield
func.func @panel(%b: memref<64x32xf32>, %fixed: memref<32xf32>, %x: vector<32xf32>) -> vector<32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r:4 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a0 = %x, %a1 = %x, %a2 = %x, %a3 = %x) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
    %row = vector.transfer_read %b[%k, %c0], %zero {in_bounds = [true]} : memref<64x32xf32>, vector<32xf32>
    %same = vector.transfer_read %fixed[%c0], %zero {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
    %n0 = vector.fma %row, %same, %a0 : vector<32xf32>
    %n1 = vector.fma %row, %same, %a1 : vector<32xf32>
    %n2 = vector.fma %row, %same, %a2 : vector<32xf32>
    %n3 = vector.fma %row, %same, %a3 : vector<32xf32>
    scf.yield %n0, %n1, %n2, %n3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
  }
  return %r#0 : vector<32xf32>
}

// A vector that one row multiplies alone is not a panel's: the rows of a window read separate vectors.
// CHECK-LABEL: func.func @own_vectors
// CHECK-NOT: memref.prefetch
func.func @own_vectors(%b: memref<72x32xf32>, %w: vector<32xf32>, %x: vector<32xf32>) -> vector<32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r:4 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a0 = %x, %a1 = %x, %a2 = %x, %a3 = %x) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
    %k1 = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%k]
    %row0 = vector.transfer_read %b[%k, %c0], %zero {in_bounds = [true]} : memref<72x32xf32>, vector<32xf32>
    %row1 = vector.transfer_read %b[%k1, %c0], %zero {in_bounds = [true]} : memref<72x32xf32>, vector<32xf32>
    %n0 = vector.fma %row0, %w, %a0 : vector<32xf32>
    %n1 = vector.fma %row1, %w, %a1 : vector<32xf32>
    scf.yield %n0, %n1, %a2, %a3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
  }
  return %r#0 : vector<32xf32>
}

// Scalars are no rows of vectors.
// CHECK-LABEL: func.func @numbers
// CHECK-NOT: memref.prefetch
func.func @numbers(%b: memref<64x32xf32>, %x: vector<f32>) -> vector<f32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r:4 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a0 = %x, %a1 = %x, %a2 = %x, %a3 = %x) -> (vector<f32>, vector<f32>, vector<f32>, vector<f32>) {
    %n = vector.transfer_read %b[%k, %c0], %zero : memref<64x32xf32>, vector<f32>
    %n0 = arith.addf %n, %a0 : vector<f32>
    %n1 = arith.addf %n, %a1 : vector<f32>
    %n2 = arith.addf %n, %a2 : vector<f32>
    %n3 = arith.addf %n, %a3 : vector<f32>
    scf.yield %n0, %n1, %n2, %n3 : vector<f32>, vector<f32>, vector<f32>, vector<f32>
  }
  return %r#0 : vector<f32>
}

// A panel of large weights, read for 32 rows, 8 at a time, two rows of the panel per iteration: the next panel's row
// (32-row sweep's variable * 512 + inner variable * 8) / 32 goes to the L2 cache.
// CHECK-LABEL: func.func @next_panel
// CHECK: scf.for %[[P:.*]] = %c0 to %c64
// CHECK: scf.for %[[I:.*]] = %c0 to %c32 step %c8
// CHECK: scf.for %[[K:.*]] = %c0 to %c512 step %c2
// CHECK: vector.transfer_read %arg0
// CHECK-COUNT-4: vector.fma
// CHECK: memref.prefetch %arg0[%[[P]], %{{.*}}, %c0], read, locality<3>, data
// CHECK-DAG: %[[NEXT:.*]] = arith.addi %[[P]], %c1
// CHECK-DAG: %[[DONE:.*]] = arith.muli %[[I]], %c512
// CHECK-DAG: %[[HERE:.*]] = arith.muli %[[K]], %c8
// CHECK: %[[SUM:.*]] = arith.addi %[[DONE]], %[[HERE]]
// CHECK: %[[ROW:.*]] = arith.divui %[[SUM]], %c32
// CHECK: memref.prefetch %arg0[%[[NEXT]], %[[ROW]], %c0], read, locality<2>, data
// CHECK: memref.prefetch %arg0[%[[NEXT]], %[[ROW]], %c16], read, locality<2>, data
// CHECK: scf.yield
func.func @next_panel(%b: memref<64x512x32xf32>, %y: memref<32x64x32xf32>, %x: vector<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  scf.for %p = %c0 to %c64 step %c1 {
    scf.for %i = %c0 to %c32 step %c8 {
      %r:4 = scf.for %k = %c0 to %c512 step %c2 iter_args(%a0 = %x, %a1 = %x, %a2 = %x, %a3 = %x) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
        %row = vector.transfer_read %b[%p, %k, %c0], %zero {in_bounds = [true]} : memref<64x512x32xf32>, vector<32xf32>
        %n0 = vector.fma %row, %row, %a0 : vector<32xf32>
        %n1 = vector.fma %row, %row, %a1 : vector<32xf32>
        %n2 = vector.fma %row, %row, %a2 : vector<32xf32>
        %n3 = vector.fma %row, %row, %a3 : vector<32xf32>
        scf.yield %n0, %n1, %n2, %n3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
      }
      vector.transfer_write %r#0, %y[%i, %p, %c0] {in_bounds = [true]} : vector<32xf32>, memref<32x64x32xf32>
    }
  }
  return
}

// Weights of 64 KB stay in the L2 cache; in a sweep over 1024 rows the first reads of a panel cost little.
// CHECK-LABEL: func.func @this_panel
// CHECK-COUNT-4: locality<3>
// CHECK-NOT: locality<2>
func.func @this_panel(%b: memref<4x128x32xf32>, %w: memref<64x512x32xf32>, %y: memref<1024x64x32xf32>, %x: vector<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  scf.for %p = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c32 step %c8 {
      %r:4 = scf.for %k = %c0 to %c128 step %c2 iter_args(%a0 = %x, %a1 = %x, %a2 = %x, %a3 = %x) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
        %row = vector.transfer_read %b[%p, %k, %c0], %zero {in_bounds = [true]} : memref<4x128x32xf32>, vector<32xf32>
        %n0 = vector.fma %row, %row, %a0 : vector<32xf32>
        %n1 = vector.fma %row, %row, %a1 : vector<32xf32>
        scf.yield %n0, %n1, %a2, %a3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
      }
      vector.transfer_write %r#0, %y[%i, %p, %c0] {in_bounds = [true]} : vector<32xf32>, memref<1024x64x32xf32>
    }
  }
  scf.for %p = %c0 to %c64 step %c1 {
    scf.for %i = %c0 to %c1024 step %c8 {
      %r:4 = scf.for %k = %c0 to %c512 step %c2 iter_args(%a0 = %x, %a1 = %x, %a2 = %x, %a3 = %x) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
        %row = vector.transfer_read %w[%p, %k, %c0], %zero {in_bounds = [true]} : memref<64x512x32xf32>, vector<32xf32>
        %n0 = vector.fma %row, %row, %a0 : vector<32xf32>
        %n1 = vector.fma %row, %row, %a1 : vector<32xf32>
        scf.yield %n0, %n1, %a2, %a3 : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
      }
      vector.transfer_write %r#0, %y[%i, %p, %c0] {in_bounds = [true]} : vector<32xf32>, memref<1024x64x32xf32>
    }
  }
  return
}
