"""The pipelines of thread blocks as code of threads, for GPUs of NVIDIA and AMD.

The module's target (`tloop.target`) is the GPU: passes that are for some GPUs alone change nothing for
others.
"""

from __future__ import annotations

# Launches of thread blocks as kernels of threads, in a gpu.module, and calls of them.
ACCEL_TO_THREADS: list[str] = [
    # sm_90a: persistent blocks, where there are more than run at the same time.
    "accel-persist-blocks",
    # sm_90a: in clusters, tiles that several blocks copy are multicast; before roles, which depend on it.
    "accel-multicast-copies",
    # sm_90a: where TMA can run ahead, specialised warps start its copies; elsewhere all copy.
    "accel-specialize-warps",
    # sm_90a: consumers multiply attention weights by values while they compute the next weights.
    "accel-overlap-products",
    # Copies run ahead of computation; the passes below see rings of buffers and groups of copies.
    "accel-pipeline-loops",
    "canonicalize",
    "cse",
    # sm_90a: results are staged in the memory of rings, whose loops have ended; barriers separate the two.
    "accel-stage-stores",
    # Computations of tiles that are stored in parts.
    "canonicalize",
    "cse",
    # On tiles, where the buffers that an op reads and writes are known.
    "accel-insert-barriers",
    "accel-distribute",
    # Threads compute the same offsets repeatedly.
    "canonicalize",
    "cse",
    # sm_90a: after the cleanup, which moves index arithmetic before accesses to memory.
    "accel-overlap-launches",
]

# Kernels of threads in a gpu.module to the llvm dialect, with instructions of NVIDIA's GPUs. Launches stay as
# they are: the compiler turns them into a plan.
NVGPU_TO_LLVM: list[str] = [
    "gpu.module(canonicalize, cse, convert-scf-to-cf, convert-to-llvm, convert-nvvm-to-llvm,"
    " reconcile-unrealized-casts, canonicalize, cse)",
]

# The same with instructions of AMD's GPUs.
AMDGPU_TO_LLVM: list[str] = [
    "gpu.module(canonicalize, cse, convert-scf-to-cf, convert-to-llvm, reconcile-unrealized-casts,"
    " canonicalize, cse)",
]

# One kernel, from graph ops in its body to the llvm dialect, for NVIDIA's GPUs.
NVGPU_KERNEL: list[str] = [
    "accel-kernel",
    # LLVM has no functions for GPUs: exponentials and the like become arithmetic, while values are tiles.
    "func.func(tloop-expand-math{keep-approximate=true})",
    "accel-to-threads",
    "nvgpu-to-llvm",
]

# The same for AMD's GPUs.
AMDGPU_KERNEL: list[str] = [
    "accel-kernel",
    "func.func(tloop-expand-math{keep-approximate=true})",
    "accel-to-threads",
    "amdgpu-to-llvm",
]
