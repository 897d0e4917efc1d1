// RUN: not mlc-opt %s --split-input-file > %t.out 2> %t.err
// RUN: filecheck %s --input-file=%t.out
// RUN: filecheck %s --input-file=%t.err --check-prefix=ERROR

// A broken chunk does not stop the others.
// CHECK: func.func @first
func.func @first() { return }

// -----

// ERROR: within split at {{.*}}split-input-file.mlir:9 offset :5:1: error: redefinition
func.func @second() { return }
func.func @second() { return }

// CHECK: // -----
// CHECK-NOT: @second
// CHECK: // -----
// -----

// CHECK: func.func @third
func.func @third() { return }
