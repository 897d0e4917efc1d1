// RUN: mlc-translate --help | filecheck %s --check-prefix=HELP
// RUN: not mlc-translate 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mlc-translate --import-onnx --mlir-to-obj 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not mlc-translate --import-onxn x 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not mlc-translate --import-onnx a b 2>&1 | filecheck %s --check-prefix=TWO
// RUN: not mlc-translate --import-onnx --dim batch a 2>&1 | filecheck %s --check-prefix=DIM
// RUN: not mlc-translate --import-onnx --shape x=1y2 a 2>&1 | filecheck %s --check-prefix=SHAPE
// RUN: not mlc-translate --serialize-spirv x 2>&1 | filecheck %s --check-prefix=SPIRV
// RUN: not mlc-translate --test-import-llvmir x 2>&1 | filecheck %s --check-prefix=TEST
// RUN: not mlc-translate --import-llvm x.ll 2>&1 | filecheck %s --check-prefix=LLVM
// RUN: not mlc-translate --mlir-to-cpp %s 2>&1 | filecheck %s --check-prefix=CPP
// RUN: not mlc-translate --mlir-to-asm --target-triple=zork %s 2>&1 | filecheck %s --check-prefix=TRIPLE
// RUN: not mlc-translate --mlir-to-asm --target-cpu=nonsense %s 2>&1 | filecheck %s --check-prefix=CPU
// RUN: not mlc-translate --mlir-to-asm --target-cpu=i386 %s 2>&1 | filecheck %s --check-prefix=CPU32
// RUN: not mlc-translate --mlir-to-asm --target-triple=riscv64 --target-cpu=generic-rv32 %s 2>&1 | filecheck %s --check-prefix=RV32
// RUN: not mlc-translate --mlir-to-asm --target-features=+zork %s 2>&1 | filecheck %s --check-prefix=FEATURE
// RUN: not mlc-translate --mlir-to-ptx --gpu-arch=gfx942 %s 2>&1 | filecheck %s --check-prefix=ARCH
// RUN: not mlc-translate --mlir-to-amdgcn --gpu-arch=gfx1 %s 2>&1 | filecheck %s --check-prefix=GFX
// RUN: not mlc-translate --mlir-to-llvmir --opt-level=4 %s 2>&1 | filecheck %s --check-prefix=LEVEL
// RUN: not mlc-translate --mlir-to-llvmir -O1 -O2 %s 2>&1 | filecheck %s --check-prefix=LEVELS
// RUN: not mlc-translate --mlir-to-llvmir --gpu-arch=sm_80 %s 2>&1 | filecheck %s --check-prefix=EFFECT
// RUN: not mlc-translate --mlir-to-ptx %s 2>&1 | filecheck %s --check-prefix=NO-KERNEL
// RUN: sh -c 'mlc-translate --mlir-to-asm --target-cpu=i386 %s 2> /dev/null; test $? -eq 2'
// RUN: sh -c 'mlc-translate --bad 2> /dev/null; test $? -eq 2'
// RUN: sh -c 'mlc-translate --import-onnx %t.no.onnx 2> /dev/null; test $? -eq 1'

// HELP: USAGE: mlc-translate
// HELP: --import-onnx
// NONE: mlc-translate: error: exactly one translation must be given
// SPIRV: mlc-translate: error: --serialize-spirv is not supported: upstream's Python bindings have no way to it
// TEST: mlc-translate: error: --test-import-llvmir is not supported: upstream's test translations are not in the wheel
// UNKNOWN: mlc-translate: error: unknown argument '--import-onxn'; did you mean --import-onnx
// TWO: mlc-translate: error: one input file at most, but got a, b
// DIM: mlc-translate: error: --dim=batch: expected name=size
// SHAPE: mlc-translate: error: --shape=x=1y2: expected input:dims
// LLVM: mlc-translate: error: --import-llvm is refused: the MLIR bindings that mlc builds on cannot read LLVM IR
// CPP: mlc-translate: error: --mlir-to-cpp is not supported: the bindings have no C++ emitter
// TRIPLE: mlc-translate: error: unknown target triple 'zork'
// CPU: mlc-translate: error: unknown target cpu 'nonsense'
// CPU32: mlc-translate: error: target cpu 'i386' is no 64-bit processor
// RV32: mlc-translate: error: target cpu 'generic-rv32' for riscv64: LLVM ERROR: RV64 target requires an RV64 CPU
// FEATURE: mlc-translate: error: unknown target feature '+zork'
// ARCH: mlc-translate: error: --gpu-arch=gfx942: unknown GPU architecture 'gfx942': expected a name like sm_80
// GFX: mlc-translate: error: --gpu-arch=gfx1: unknown target cpu 'gfx1'
// LEVEL: mlc-translate: error: --opt-level must be one of 0, 1, 2, 3, not '4'
// LEVELS: mlc-translate: error: several optimisation levels: 1, 2
// EFFECT: mlc-translate: error: --gpu-arch has no effect on --mlir-to-llvmir
// NO-KERNEL: usage.mlir:{{[0-9:]+}}: error: no gpu.module, and no llvm.func with the attribute nvvm.kernel
