// RUN: mlc-opt %s --tloop-balance-threads | filecheck %s

// The last loop of a region meets the other threads where the region ends.
// CHECK-LABEL: func.func @two
// CHECK: omp.wsloop schedule(dynamic) {
// CHECK: omp.wsloop nowait schedule(dynamic) {
func.func @two(%a: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        memref.store %x, %a[%i] : memref<64xf32>
        omp.yield
      }
    }
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        memref.store %x, %a[%i] : memref<64xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A schedule that is there stays.
// CHECK-LABEL: func.func @chosen
// CHECK: omp.wsloop nowait schedule(static) {
func.func @chosen(%a: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  omp.parallel {
    omp.wsloop schedule(static) {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        memref.store %x, %a[%i] : memref<64xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Threads meet after each iteration of the sequential loop: the next one reads what all of them wrote.
// CHECK-LABEL: func.func @steps
// CHECK: scf.for
// CHECK-NEXT: omp.wsloop schedule(dynamic) {
func.func @steps(%a: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  omp.parallel {
    scf.for %step = %c0 to %c64 step %c1 {
      omp.wsloop {
        omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
          memref.store %x, %a[%i] : memref<64xf32>
          omp.yield
        }
      }
    }
    omp.terminator
  }
  return
}
