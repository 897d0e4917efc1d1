// RUN: mlc-opt %s --llvm-verify-translatable --verify-diagnostics --split-input-file | filecheck %s

// CHECK-LABEL: llvm.func @fine
llvm.func @fine(%x: !llvm.ptr) {
  omp.parallel {
    omp.terminator
  }
  llvm.return
}

// -----

// A cast that was left over would end the process during translation. All ops are named, inner ones too.
llvm.func @left(%x: i64) {
  // expected-error @below {{'builtin.unrealized_conversion_cast' cannot be translated to LLVM IR (3 such ops)}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  omp.parallel {
    // expected-note @below {{and 'arith.constant'}}
    %1 = arith.constant 1 : index
    omp.terminator
  }
  // expected-note @below {{and 'arith.addi'}}
  %2 = arith.addi %0, %0 : index
  llvm.return
}
