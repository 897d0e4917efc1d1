// RUN: mlc-reduce %S/Inputs/unparsable.mlir --test-command="grep -q 'return %missing'" -o %t.mlir
// RUN: filecheck %s < %t.mlir
// RUN: mlc-reduce %S/Inputs/split.mlir --text --test-command="grep -q sqrt" -o %t.text.mlir
// RUN: filecheck %s < %t.text.mlir --check-prefix=TEXT

// CHECK-NOT: constant
// CHECK: {{^}}return %missing
// CHECK-NOT: {{.}}

// TEXT: {{^}}sqrt
// TEXT-NOT: {{.}}
