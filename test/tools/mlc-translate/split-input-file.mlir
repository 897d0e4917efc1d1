// RUN: not mlc-translate --mlir-to-llvmir --split-input-file --output-split-marker="; =====" %s 2> %t.err | filecheck %s
// RUN: filecheck %s --input-file=%t.err --check-prefix=ERR
// RUN: not mlc-translate --mlir-to-llvmir --verify-diagnostics --split-input-file %s 2>&1 | filecheck %s --check-prefix=UNEXPECTED

// CHECK: define void @first()
// CHECK: ; =====
// CHECK: define void @third()
llvm.func @first() {
  llvm.return
}

// -----

// ERR: {{.*}}split-input-file.mlir:16:1: error: cannot be converted to LLVM IR
// UNEXPECTED: error: unexpected error: cannot be converted to LLVM IR
func.func private @second()

// -----

llvm.func @third() {
  llvm.return
}
