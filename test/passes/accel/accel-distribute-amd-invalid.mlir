// RUN: mlc-opt %s --pass-pipeline="builtin.module(accel-distribute{arch=gfx90a})" --split-input-file --verify-diagnostics

#shared = #gpu.address_space<workgroup>

func.func @too_much_shared_memory(%n: index) {
  // expected-error @below {{needs 65552 bytes of shared memory, of which a block has 65536}}
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<16388xf32, #shared>
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

func.func @sum_of_f64(%n: index, %x: memref<2x64xf64>) {
  %none = arith.constant 0.0 : f64
  %start = arith.constant dense<0.0> : vector<2xf64>
  "accel.launch"(%n) ({
  ^bb0(%i: index):
    %v = vector.transfer_read %x[%i, %i], %none : memref<2x64xf64>, vector<2x64xf64>
    // expected-error @below {{cannot distribute a reduction of f64 between lanes}}
    %sum = vector.multi_reduction <add>, %v, %start [1] : vector<2x64xf64> to vector<2xf64>
  }) {warps = 1 : i64} : (index) -> ()
  return
}
