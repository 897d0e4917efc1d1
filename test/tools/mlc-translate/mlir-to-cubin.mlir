// REQUIRES: ptxas
// RUN: mlc-translate --mlir-to-cubin --gpu-arch=sm_90a %s -o %t.cubin
// RUN: %python -c "import sys; d = open(sys.argv[1], 'rb').read(); print(d[1:4] == b'ELF', 'machine', d[18], b'.text.kernel' in d)" %t.cubin | filecheck %s
// RUN: not mlc-translate --mlir-to-cubin --gpu-arch=sm_80 %s 2>&1 | filecheck %s --check-prefix=OLD

// CHECK: True machine 190 True
// ptxas names what the processor has not.
// OLD: error: ptxas failed with status
// OLD: wgmma
llvm.func @kernel() attributes {nvvm.kernel} {
  llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;", "" : () -> ()
  llvm.return
}
