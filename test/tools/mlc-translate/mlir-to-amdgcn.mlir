// RUN: mlc-translate --mlir-to-amdgcn %s | filecheck %s
// RUN: mlc-translate --mlir-to-amdgcn --gpu-arch=gfx90a %s | filecheck %s --check-prefix=OLDER

// CHECK: .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// CHECK: scale:
// CHECK: v_mul_f32_e32 v{{[0-9]+}}, 0x3dcccccd
// CHECK: s_endpgm
// OLDER: .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
gpu.module @kernels {
  llvm.func @scale(%x: !llvm.ptr<1>) attributes {rocdl.kernel} {
    %t = rocdl.workitem.id.x : i32
    %i = llvm.sext %t : i32 to i64
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p : !llvm.ptr<1> -> f32
    %c = llvm.mlir.constant(0.1 : f32) : f32
    %m = llvm.fmul %v, %c : f32
    llvm.store %m, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
