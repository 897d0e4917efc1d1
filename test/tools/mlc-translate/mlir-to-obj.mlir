// RUN: mlc-translate --mlir-to-obj --target-cpu x86-64-v3 %s -o %t.x86.o
// RUN: %python -c "import sys; d = open(sys.argv[1], 'rb').read(); print('ELF', d[1:4] == b'ELF', 'machine', d[18], 'f' if b'twice' in d else '-')" %t.x86.o | filecheck %s --check-prefix=X86
// RUN: mlc-translate --mlir-to-obj --target-triple=aarch64-unknown-linux-gnu %s -o %t.arm.o
// RUN: %python -c "import sys; d = open(sys.argv[1], 'rb').read(); print('ELF', d[1:4] == b'ELF', 'machine', d[18], 'f' if b'twice' in d else '-')" %t.arm.o | filecheck %s --check-prefix=ARM
// RUN: not mlc-translate --mlir-to-obj %s -o %t.none/x.o 2>&1 | filecheck %s --check-prefix=PATH

// X86: ELF True machine 62 f
// ARM: ELF True machine 183 f
// PATH: mlc-translate: error: {{.*}}.none/x.o: No such file or directory
llvm.func @twice(%a: i64) -> i64 {
  %b = llvm.add %a, %a : i64
  llvm.return %b : i64
}
