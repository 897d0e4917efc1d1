// RUN: mlc-opt %s --tloop-set-target=target=hip:gfx1 --verify-diagnostics
// RUN: not mlc-opt %s --tloop-set-target 2>&1 | filecheck %s

// CHECK: unknown target ''; known are host
// expected-error@+1 {{unknown target 'hip:gfx1'; did you mean 'hip:gfx942' or 'hip:gfx90a'?}}
module {
}
