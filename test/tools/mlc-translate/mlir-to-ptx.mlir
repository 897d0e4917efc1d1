// RUN: mlc-translate --mlir-to-ptx --gpu-module=first --gpu-arch=sm_90a %s | filecheck %s --check-prefix=FIRST
// RUN: mlc-translate --mlir-to-ptx --gpu-module=second %s | filecheck %s --check-prefix=SECOND
// RUN: not mlc-translate --mlir-to-ptx %s 2>&1 | filecheck %s --check-prefix=SEVERAL
// RUN: not mlc-translate --mlir-to-ptx --gpu-module=third %s 2>&1 | filecheck %s --check-prefix=THIRD

// FIRST: .target sm_90a
// FIRST: .visible .entry scale(
// FIRST: mov.u32 {{.*}}, %tid.x
// FIRST: mul.rn.f32 {{.*}}, 0f3DCCCCCD
// FIRST: wgmma.fence.sync.aligned
// FIRST-NOT: other

// SECOND: .target sm_80
// SECOND: .visible .entry other(
// SECOND-NOT: scale

// SEVERAL: mlir-to-ptx.mlir:{{[0-9:]+}}: error: several gpu.modules: @first, @second; choose one with --gpu-module
// THIRD: error: no gpu.module @third; there are: @first, @second
module attributes {gpu.container_module} {
  gpu.module @first {
    llvm.func @scale(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %t : i32 to i64
      %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p : !llvm.ptr<1> -> f32
      %c = llvm.mlir.constant(0.1 : f32) : f32
      %m = llvm.fmul %v, %c : f32
      llvm.store %m, %p : f32, !llvm.ptr<1>
      nvvm.wgmma.fence.aligned
      llvm.return
    }
  }
  gpu.module @second {
    llvm.func @other() attributes {nvvm.kernel} {
      llvm.return
    }
  }
}
