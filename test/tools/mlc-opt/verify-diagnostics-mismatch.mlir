// RUN: not mlc-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s
// RUN: not mlc-opt %s --split-input-file --verify-diagnostics=only-expected 2>&1 | filecheck %s --check-prefix=ONLY

// CHECK: .mlir:8:1: error: unexpected error: redefinition of symbol named 'f'
// CHECK: .mlir:7:1: error: unexpected note: see existing
// ONLY-NOT: unexpected
func.func @f() { return }
func.func @f() { return }

// -----

// CHECK: .mlir:14:4: error: expected warning "something else" was not produced
// ONLY: .mlir:14:4: error: expected warning "something else" was not produced
// expected-warning {{something else}}
func.func @g() { return }

// -----

// CHECK: 'error' diagnostic emitted when expecting a 'warning'
// expected-note@below {{see existing}}
func.func @h() { return }
// expected-warning@below {{redefinition}}
func.func @h() { return }
