// RUN: mlc-translate --mlir-to-llvmir %s | filecheck %s
// RUN: mlc-translate --mlir-to-obj --target-cpu x86-64-v3 %s -o %t.o && test -s %t.o
// RUN: sh -c 'echo "func.func @g() { return }" | mlc-translate --mlir-to-llvmir 2>&1; test $? -eq 1' | filecheck %s --check-prefix=FOREIGN
// RUN: sh -c 'echo "llvm.func @g(" | mlc-translate --mlir-to-llvmir 2>&1; test $? -eq 1' | filecheck %s --check-prefix=PARSE
// RUN: not mlc-translate --mlir-to-obj --target-cpu nonsense %s 2>&1 | filecheck %s --check-prefix=CPU

// CHECK: define i64 @f(i64 %0)
// CHECK: ret i64 %0
// FOREIGN: mlc-translate: error: <stdin>: not in the llvm dialect: func.return, func.func
// PARSE: mlc-translate: error: <stdin>:{{[0-9]+}}:{{[0-9]+}}: error:
// CPU: mlc-translate: error: unknown target cpu 'nonsense'
llvm.func @f(%a: i64) -> i64 {
  llvm.return %a : i64
}
