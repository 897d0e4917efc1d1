// RUN: mlc-translate --mlir-to-asm --target-cpu=x86-64-v3 %s | filecheck %s --check-prefix=AVX
// RUN: mlc-translate --mlir-to-asm --target-cpu=x86-64 %s | filecheck %s --check-prefix=SSE
// RUN: mlc-translate --mlir-to-asm --target-cpu=x86-64 --target-features=+fma %s | filecheck %s --check-prefix=FMA
// RUN: mlc-translate --mlir-to-asm --target-triple=aarch64-unknown-linux-gnu %s | filecheck %s --check-prefix=ARM
// RUN: mlc-translate --mlir-to-asm --target-triple=riscv64 --target-cpu=sifive-u74 %s | filecheck %s --check-prefix=RISCV
// RUN: mlc-translate --mlir-to-asm -O0 --target-cpu=x86-64 %s | filecheck %s --check-prefix=O0

// AVX: vfmadd
// SSE: mulsd
// SSE-NEXT: addsd
// FMA: vfmadd
// ARM: fmadd d0, d0, d1, d2
// RISCV: fmadd.d fa0, fa0, fa1, fa2
// O0: mulsd
llvm.func @f(%a: f64, %b: f64, %c: f64) -> f64 {
  %m = llvm.fmul %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f64
  %s = llvm.fadd %m, %c {fastmathFlags = #llvm.fastmath<contract>} : f64
  llvm.return %s : f64
}
