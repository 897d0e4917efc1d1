// RUN: mlc-opt %s --allow-unregistered-dialect | filecheck %s
// RUN: not mlc-opt %s 2>&1 | filecheck %s --check-prefix=ERROR

// CHECK: "other.op"() : () -> ()
// ERROR: unregistered.mlir:6:11: error: operation being parsed with an unregistered dialect
"other.op"() : () -> ()
