// An IRDL file that cannot be loaded is an error with a location, and no crash.
// RUN: not mlc-opt %s --irdl-file=%S/Inputs/cmath.irdl.mlir --irdl-file=%S/Inputs/cmath.irdl.mlir 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not mlc-opt %s --irdl-file=%S/Inputs/func.irdl.mlir 2>&1 | filecheck %s --check-prefix=UPSTREAM
// RUN: not mlc-opt %s --irdl-file=%s 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mlc-opt %s --irdl-file=%S/Inputs/broken.irdl.mlir 2>&1 | filecheck %s --check-prefix=BROKEN

// TWICE: {{.*}}cmath.irdl.mlir:1:1: error: dialect 'cmath' is already registered
// TWICE-NOT: crashed
// UPSTREAM: {{.*}}func.irdl.mlir:1:1: error: dialect 'func' is already registered
// UPSTREAM-NOT: crashed
// NONE: irdl-errors.mlir:{{[0-9:]+}} error: no irdl.dialect in this file
// BROKEN: broken.irdl.mlir:{{[0-9:]+}} error: custom op 'irdl.operation' expected valid
func.func @f() { return }
