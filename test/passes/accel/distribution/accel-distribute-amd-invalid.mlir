// RUN: mlc-opt %s --pass-pipeline="builtin.module(tloop-set-target{target=hip:gfx90a},accel-distribute)" --split-input-file --verify-diagnostics

#shared = #gpu.address_space<workgroup>

func.func @too_much_shared_memory(%n: index) {
  // expected-error @below {{needs 65552 bytes of shared memory, of which a block has 65536}}
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16388xf32, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}
