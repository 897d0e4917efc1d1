// RUN: mlc-translate --mlir-to-asm %s | filecheck %s
// RUN: mlc-translate --mlir-to-asm --target-triple=riscv64 %s | filecheck %s --check-prefix=GIVEN
// CHECK: add x0, x{{[01]}}, x{{[01]}}
// GIVEN: add a0, a{{[01]}}, a{{[01]}}
module attributes {llvm.target_triple = "aarch64-unknown-linux-gnu"} {
  llvm.func @f(%a: i64, %b: i64) -> i64 {
    %c = llvm.add %a, %b : i64
    llvm.return %c : i64
  }
}
