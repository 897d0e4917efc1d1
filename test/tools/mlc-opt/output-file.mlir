// A failure leaves an existing output file alone.
// RUN: mlc-opt %s -o %t.mlir
// RUN: filecheck %s --input-file=%t.mlir
// RUN: not mlc-opt %s --load-plugin=%S/Inputs/plugin.py --test-crash -o %t.mlir
// RUN: filecheck %s --input-file=%t.mlir

// CHECK: func.func @kept
func.func @kept() { return }
