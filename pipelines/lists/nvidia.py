"""Programs of thread blocks on NVIDIA's GPUs."""

from __future__ import annotations

from mlc.pipelines.lists.accel import ACCEL_AHEAD, ACCEL_BEFORE_THREADS

# Launches of thread blocks as kernels of threads, in a gpu.module, and calls of them: sm_80.
ACCEL_TO_THREADS: list[str] = [
    *ACCEL_BEFORE_THREADS,
    "accel-distribute",
    # Threads compute their places again and again.
    "canonicalize",
    "cse",
]

# The same for sm_90a.
ACCEL_TO_THREADS_SM90A: list[str] = [
    # Blocks that stay, where there are more than run at the same time.
    "accel-persist-blocks",
    # In clusters, what several blocks copy alike comes once for all of them; roles have to know.
    "accel-multicast-copies",
    # Where the copy engine can run ahead, warps of their own tell it to; in other loops all warps copy.
    "accel-specialize-warps",
    # Consumers multiply weights by values while they compute the next ones.
    "accel-overlap-products",
    *ACCEL_AHEAD,
    # In the memory of rings, whose loops are done; barriers come between the two.
    "accel-stage-stores",
    # What tiles are computed of that are stored in parts.
    "canonicalize",
    "cse",
    "accel-insert-barriers",
    "accel-distribute{arch=sm_90a}",
    "canonicalize",
    "cse",
    # Behind them, which move index arithmetic in front of accesses to memory.
    "accel-overlap-launches",
]

# Kernels of threads in a gpu.module to the llvm dialect, with instructions of NVIDIA's GPUs. Launches stay as
# they are: the compiler makes a plan of them.
NVGPU_TO_LLVM: list[str] = [
    "gpu.module(canonicalize, cse, convert-scf-to-cf, convert-to-llvm, convert-nvvm-to-llvm,"
    " reconcile-unrealized-casts, canonicalize, cse)",
]

# One kernel, from graph ops in its body to the llvm dialect: sm_80.
NVGPU_KERNEL: list[str] = [
    "accel-kernel",
    # LLVM has no functions for GPUs: exponentials and their like become arithmetic, on whole tiles.
    "func.func(tloop-expand-math{keep-approximate=true})",
    "accel-to-threads",
    "nvgpu-to-llvm",
]

# The same for sm_90a.
NVGPU_KERNEL_SM90A: list[str] = [
    "accel-kernel",
    "func.func(tloop-expand-math{keep-approximate=true})",
    "accel-to-threads-sm90a",
    "nvgpu-to-llvm",
]
