// RUN: mlc-opt %s --accel-distribute --split-input-file --verify-diagnostics

// expected-error@+1 {{the module names no GPU to make threads for: it has no target; write the attribute tloop.target = "cuda:sm_80" of the module, or run tloop-set-target{target=cuda:sm_80} before}}
module {
  func.func @nothing(%n: index) {
    "accel.launch"(%n) ({
    ^bb0(%i: index):
    }) {warps = 1 : i64} : (index) -> ()
    return
  }
}

// -----

// expected-error@+1 {{the module names no GPU to make threads for: its target is x86-64-v4;}}
module attributes {tloop.target = "x86-64-v4"} {
  func.func @nothing(%n: index) {
    "accel.launch"(%n) ({
    ^bb0(%i: index):
    }) {warps = 1 : i64} : (index) -> ()
    return
  }
}
