"""Kernels of llvm.func and nvvm, built op by op: material for the emulator's tests and for ptxas."""
