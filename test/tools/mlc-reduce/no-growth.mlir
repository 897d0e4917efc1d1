// What the printer would only make longer stays as it is; a hang is known after a part of a second.
// RUN: mlc-reduce %S/Inputs/short.mlir --test-command="grep -q 'loc(.a.)'" --timeout=0.5 --jobs=2 -o %t.mlir 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: diff %S/Inputs/short.mlir %t.mlir
// RUN: mlc-reduce %S/Inputs/short.mlir --test=false --expect-exit=1 --max-tests=1 -o %t.mlir 2>&1 | filecheck %s --check-prefix=ONE

// SIZE: mlc-reduce: 1 op, 32 bytes -> 1 op, 32 bytes; {{[0-9]+}} tests
// ONE: ; 1 test; stopped by --max-tests
