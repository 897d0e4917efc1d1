// RUN: not mlc-translate --mlir-to-llvmir %s -o %t.ll 2>&1 | filecheck %s
// RUN: not test -e %t.ll

// MLIR's translation does not check the types of a declaration, and crashes.
// CHECK: crash.mlir: error: the translation crashed (SIG{{[A-Z]+}})
"llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void (memref<4xf32>)>, linkage = #llvm.linkage<external>, sym_name = "f"}> ({
}) : () -> ()
