// RUN: mlc-opt %s --verify-roundtrip | filecheck %s
// RUN: mlc-opt %s --verify-roundtrip --split-input-file --emit-bytecode -o /dev/null

// The custom form of the op inside does not print where its arguments come from.
// CHECK: smt.forall
func.func @f() {
  %0 = smt.forall ["x"] {
  ^bb0(%x: !smt.bool):
    smt.yield %x : !smt.bool
  }
  return
}
