// RUN: mlc-opt %s --accel-merge-steps --split-input-file --verify-diagnostics

#shared = #gpu.address_space<workgroup>

func.func @uneven(%a: memref<32x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<32x4xf32, #shared>
    // expected-error @below {{6 steps cannot be merged by accel.merged = 4 : i64}}
    scf.for %k = %c0 to %c24 step %c4 {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<32x24xf32>, memref<32x4xf32, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta) : (!accel.token) -> ()
    } {accel.merged = 4 : i64, accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}

// -----

#shared = #gpu.address_space<workgroup>

func.func @unknown(%a: memref<32x24xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  "accel.launch"(%c1) ({
  ^bb0(%i: index):
    %as = "accel.alloc"() {stages = 1 : i64, swizzle = 0 : i64} : () -> memref<32x4xf32, #shared>
    // expected-error @below {{steps are merged in loops whose bounds are constants}}
    scf.for %k = %c0 to %n step %c4 {
      %ta = "accel.copy"(%a, %as, %c0, %k) : (memref<32x24xf32>, memref<32x4xf32, #shared>, index, index) -> !accel.token
      "accel.wait"(%ta) : (!accel.token) -> ()
    } {accel.merged = 2 : i64, accel.stages = 2 : i64}
  }) {warps = 4 : i64} : (index) -> ()
  return
}
