// RUN: mlc-opt %s --tloop-prefetch-panels --canonicalize | filecheck %s
// RUN: mlc-opt %s --tloop-prefetch-panels=distance=0 | filecheck %s --check-prefix=NONE

// NONE-NOT: memref.prefetch

// Two cache lines of the row 8 ahead. What does not advance with the loop is not prefetched.
// CHECK-LABEL: func.func @panel
// CHECK: scf.for %[[K:.*]] =
// CHECK: %[[AHEAD:.*]] = arith.addi %{{.*}}, %c8
// CHECK-NEXT: memref.prefetch %arg0[%[[AHEAD]], %c0], read, locality<3>, data
// CHECK-NEXT: memref.prefetch %arg0[%[[AHEAD]], %c16], read, locality<3>, data
// CHECK-NEXT: vector.transfer_read %arg0
// CHECK-NOT: memref.prefetch
// CHECK: vector.transfer_read %arg1
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
