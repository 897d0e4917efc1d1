// Terminators that the text leaves out get other locations when parsed again; that is no difference.

// RUN: mlc-opt %s --verify-roundtrip | filecheck %s

// CHECK: scf.for
func.func @f(%low: index, %high: index, %step: index, %out: memref<?xf32>, %value: f32) {
  scf.for %i = %low to %high step %step {
    memref.store %value, %out[%i] : memref<?xf32>
  }
  return
}
