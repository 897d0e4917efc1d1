// Expectations count in files that diagnostics name, too.

// RUN: mlc-opt %s --verify-diagnostics --transform-preload-library=transform-library-paths=%S/Inputs/library
// RUN: not mlc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/library 2>&1 \
// RUN:   | filecheck %s

// CHECK: invalid.mlir:2:1: error: expected operation name in quotes

func.func @f() {
  return
}
