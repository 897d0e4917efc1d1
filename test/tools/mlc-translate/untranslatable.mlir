// RUN: mlc-translate --mlir-to-llvmir --split-input-file --verify-diagnostics --allow-unregistered-dialect %s

// expected-error@below {{cannot be converted to LLVM IR: missing `LLVMTranslationDialectInterface` registration for dialect for op: func.func}}
func.func @f() {
  return
}

// -----

// expected-error@below {{for dialect for op: foo.bar}}
"foo.bar"() : () -> ()

// -----

llvm.func @f(%a: !llvm.ptr) {
  // expected-error@below {{LLVM Translation failed for operation: builtin.unrealized_conversion_cast}}
  %0 = builtin.unrealized_conversion_cast %a : !llvm.ptr to memref<4xf32>
  llvm.return
}

// -----

// expected-error@below {{rocdl.flat_work_group_size must be a string}}
llvm.func @f() attributes {rocdl.flat_work_group_size = 7} {
  llvm.return
}

// -----

// expected-error@below {{unsupported constant value}}
llvm.mlir.global internal @g(#foo.bar) : i32

// -----

llvm.func @f(%a: i32) {
  // expected-error@+2 {{could not find LLVM intrinsic: "llvm.zork"}}
  // expected-error@+1 {{LLVM Translation failed for operation: llvm.call_intrinsic}}
  %0 = llvm.call_intrinsic "llvm.zork"(%a) : (i32) -> i32
  llvm.return
}

// -----

// Attributes of other dialects do no harm.
llvm.func @f(%a: i64 {foo.bar = "x"}) attributes {foo.bar = 1 : i32} {
  llvm.return {foo.z}
}
