"""Programs of thread blocks on AMD's GPUs."""

from __future__ import annotations

from mlc.pipelines.lists.accel import ACCEL_BEFORE_THREADS

# Launches of thread blocks as kernels of threads, in a gpu.module, and calls of them: MI200.
ACCEL_TO_THREADS_GFX90A: list[str] = [
    *ACCEL_BEFORE_THREADS,
    "accel-distribute{arch=gfx90a}",
    "canonicalize",
    "cse",
]

# The same for MI300.
ACCEL_TO_THREADS_GFX942: list[str] = [
    *ACCEL_BEFORE_THREADS,
    "accel-distribute{arch=gfx942}",
    "canonicalize",
    "cse",
]

# Kernels of threads in a gpu.module to the llvm dialect, with instructions of AMD's GPUs.
AMDGPU_TO_LLVM: list[str] = [
    "gpu.module(canonicalize, cse, convert-scf-to-cf, convert-to-llvm, reconcile-unrealized-casts,"
    " canonicalize, cse)",
]

# One kernel, from graph ops in its body to the llvm dialect: MI200.
GFX90A_KERNEL: list[str] = [
    "accel-kernel",
    # LLVM has no functions for GPUs: exponentials and their like become arithmetic, on whole tiles.
    "func.func(tloop-expand-math{keep-approximate=true})",
    "accel-to-threads-gfx90a",
    "amdgpu-to-llvm",
]

# The same for MI300.
GFX942_KERNEL: list[str] = [
    "accel-kernel",
    "func.func(tloop-expand-math{keep-approximate=true})",
    "accel-to-threads-gfx942",
    "amdgpu-to-llvm",
]
