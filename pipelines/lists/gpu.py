"""Programs of thread blocks as code of threads, on GPUs of NVIDIA and AMD.

The module's target (`tloop.target`) says which GPU it is: passes that are for some GPUs alone change nothing
for others.
"""

from __future__ import annotations

# Launches of thread blocks as kernels of threads, in a gpu.module, and calls of them.
ACCEL_TO_THREADS: list[str] = [
    # sm_90a: blocks that stay, where there are more than run at the same time.
    "accel-persist-blocks",
    # sm_90a: in clusters, what several blocks copy comes once for all of them; roles have to know.
    "accel-multicast-copies",
    # sm_90a: where the copy engine can run ahead, specialised warps start its copies; elsewhere all copy.
    "accel-specialize-warps",
    # sm_90a: consumers multiply weights by values while they compute the next ones.
    "accel-overlap-products",
    # Copies run ahead of what is computed; the passes below see rings of buffers and groups of copies.
    "accel-pipeline-loops",
    "canonicalize",
    "cse",
    # sm_90a: in the memory of rings, whose loops are done; barriers come between the two.
    "accel-stage-stores",
    # Computations of tiles that are stored in parts.
    "canonicalize",
    "cse",
    # On tiles, where it is plain which buffers an op reads and writes.
    "accel-insert-barriers",
    "accel-distribute",
    # Threads compute the same offsets again and again.
    "canonicalize",
    "cse",
    # sm_90a: after the cleanup, which moves index arithmetic before accesses to memory.
    "accel-overlap-launches",
]

# Kernels of threads in a gpu.module to the llvm dialect, with instructions of NVIDIA's GPUs. Launches stay as
# they are: the compiler makes a plan of them.
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
    # LLVM has no functions for GPUs: exponentials and their like become arithmetic, on whole tiles.
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
