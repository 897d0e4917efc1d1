// RUN: mlc-opt %s --tloop-set-target=target=hip:gfx942 --split-input-file | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(tloop-set-target{target='name=cuda:sm_90a,cores=6'})" --split-input-file | filecheck %s --check-prefix=TEXT

// CHECK: module attributes {tloop.target = "hip:gfx942"}
// TEXT: module attributes {tloop.target = "name=cuda:sm_90a,cores=6"}
func.func @none() {
  return
}

// -----

// CHECK: module attributes {tloop.target = "hip:gfx942"}
module attributes {tloop.target = "x86-64-v4"} {
}
