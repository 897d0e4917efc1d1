// RUN: mlc-reduce %S/Inputs/reproducer.mlir --test-command="grep -q 'no-such-pass{.*b=2'" -o %t.mlir 2>%t.err
// RUN: filecheck %s < %t.mlir
// RUN: filecheck %s < %t.err --check-prefix=SIZE

// Passes go, then options of those that stay.

// CHECK-NOT: func.func @
// CHECK: pipeline: "builtin.module(func.func(no-such-pass{b=2}))"

// SIZE: {{^}}mlc-reduce: 2 ops, 4 passes, {{[0-9]+}} bytes -> 0 ops, 1 pass, {{[0-9]+}} bytes; {{[0-9]+}} tests
