// RUN: mlc-translate --mlir-to-llvmir %s | filecheck %s
// RUN: mlc-translate --mlir-to-llvmir < %s | filecheck %s
// RUN: mlc-opt --emit-bytecode %s -o %t.mlirbc && mlc-translate --mlir-to-llvmir %t.mlirbc | filecheck %s
// RUN: mlc-translate --mlir-to-llvmir -O2 --target-cpu=x86-64-v3 %s | filecheck %s --check-prefix=OPT
// RUN: mlc-translate --mlir-to-llvmir --target-triple=riscv64 %s | filecheck %s --check-prefix=TRIPLE

// Unoptimised without a level, for no target in particular.
// CHECK: define i64 @f(i64 %0)
// CHECK-NEXT: %2 = add i64 %0, 3
// CHECK-NEXT: %3 = add i64 %2, 4
// CHECK-NEXT: ret i64 %3

// OPT: target triple = "x86_64-{{.*}}linux-gnu"
// OPT: define {{.*}}i64 @f(i64 %0)
// OPT-NEXT: add i64 %0, 7
// OPT-NEXT: ret i64
// OPT: "target-cpu"="x86-64-v3"

// TRIPLE: target triple = "riscv64"
// TRIPLE: add i64 %0, 3
llvm.func @f(%a: i64) -> i64 {
  %three = llvm.mlir.constant(3 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %b = llvm.add %a, %three : i64
  %c = llvm.add %b, %four : i64
  llvm.return %c : i64
}
