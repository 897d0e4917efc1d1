// RUN: not mlc-opt %s --split-input-file > %t.out 2> %t.err
// RUN: filecheck %s --input-file=%t.out
// RUN: filecheck %s --input-file=%t.err --check-prefix=ERROR

// A broken chunk does not stop the others.
// CHECK: func.func @first
func.func @first() { return }

// -----

// Positions are those of the whole file.
// ERROR: split-input-file.mlir:27:7: warning: near miss with file split marker
// ERROR-NEXT: {{^// -{4}$}}
// ERROR-NEXT: {{^      \^}}
// ERROR: split-input-file.mlir:17:1: error: redefinition
func.func @second() { return }
func.func @second() { return }

// CHECK: // -----
// CHECK-NOT: @second
// CHECK: // -----
// -----

// CHECK: func.func @third
func.func @third() { return }

// ----
// CHECK: func.func @fourth
func.func @fourth() { return }
