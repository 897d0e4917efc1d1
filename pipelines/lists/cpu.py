"""The pipelines of a CPU's kernels and host functions."""

from __future__ import annotations

# A kernel's loops and memrefs to the llvm dialect: upstream's conversions, in an order in which each finds
# what it converts.
CPU_TO_LLVM: list[str] = [
    "convert-scf-to-cf",
    "expand-strided-metadata",
    "lower-affine",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    # Constants of complex numbers: padding with zeros, filled tensors.
    "convert-complex-to-llvm",
    "convert-vector-to-llvm{enable-x86=1 use-vector-alignment=0}",
    "finalize-memref-to-llvm",
    "convert-func-to-llvm",
    "convert-index-to-llvm",
    "arith-expand",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "convert-openmp-to-llvm",
    "convert-ub-to-llvm",
    "reconcile-unrealized-casts",
    "canonicalize",
    "cse",
    "llvm-alias-scopes",
    # LLVM would gather every second element of a dynamic row.
    "llvm-nonnegative-offsets",
    # LLVM compares pointers that may be equal, and leaves loops scalar where they are.
    "llvm-parallel-accesses",
    "llvm-verify-translatable",
]

# A kernel's loops, some of them parallel, to the llvm dialect.
CPU_THREADS_TO_LLVM: list[str] = [
    "func.func(tloop-map-parallel-loops)",
    "convert-scf-to-openmp",
    "func.func(tloop-balance-threads)",
    "func.func(tloop-stack-buffers)",
    # Drops the stack scopes around parallel iterations, which hold no allocation any more.
    "canonicalize",
    # The kernel contract: nothing is allocated. `malloc` would link, and leak.
    "tloop-verify-loops",
    "kernel-entry",
    *CPU_TO_LLVM,
]

# One kernel, from graph ops in its body to the llvm dialect.
CPU_KERNEL: list[str] = [
    "func.func(graph-to-linalg)",
    # Ops without a lowering are reported here; later passes would fail without naming the op.
    "graph-verify-lowered",
    "canonicalize",
    "cse",
    # One computation per chain of elementwise ops; schedules then see an anchor and an epilogue.
    "tloop-fuse-elementwise{recompute=true}",
    "canonicalize",
    "cse",
    # The planner lets such kernels overwrite an operand; two loop nests would read overwritten elements.
    "tloop-verify-in-place",
    "func.func(tloop-expand-math)",
    # One loop over many elements for several short ones.
    "tloop-collapse-dims",
    "tloop-default-schedules",
    "tloop-apply-schedules",
    # Windows that a user's schedule has not tiled.
    "func.func(tloop-lower-windows)",
    "canonicalize",
    "cse",
    # Results are computed in the destination, without temporaries.
    "eliminate-empty-tensors",
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map}",
    # Loops return the buffer that they wrote; only then is it known that the kernel's result needs no copy.
    "canonicalize",
    # Results that are equal have become one buffer.
    "func.func(tloop-separate-results)",
    "buffer-results-to-out-params{hoist-static-allocs=1 hoist-dynamic-allocs=1}",
    "canonicalize",
    "cse",
    # A remaining tensor would reach LLVM as a cast that cannot be translated.
    "tloop-verify-loops{heap=true}",
    # Tiles whose count and sizes are dynamic.
    "func.func(tloop-unswitch-loops)",
    # Kernels written as loops have had their schedules applied; the passes below work on loops of scf.
    "func.func(tloop-lower-affine-loops)",
    "func.func(tloop-lower-copies)",
    "func.func(buffer-loop-hoisting)",
    "func.func(convert-linalg-to-loops)",
    # Rows that are looked up are copied as vectors.
    "func.func(tloop-hoist-loads)",
    # Each factor of a register tile is loaded where it is used.
    "func.func(tloop-sink-loads)",
    "func.func(tloop-unroll-strided-reads)",
    # LLVM calls a function for each element where the processor has no instruction.
    "func.func(tloop-expand-bf16)",
    "func.func(convert-vector-to-scf{full-unroll=1})",
    "fold-memref-alias-ops",
    # A view without its last unit dims, folded, leaves a read along a dim that is not the last.
    "func.func(convert-vector-to-scf{full-unroll=1})",
    "canonicalize",
    "cse",
    # Register tiles as LLVM keeps them in registers: a value per row, and one address for loads.
    # Several rows or trees walk at once; views have become indices, which show that loads are in bounds.
    "func.func(tloop-jam-while-loops)",
    "func.func(tloop-split-accumulators)",
    "canonicalize",
    "cse",
    # The scalars of rows once more, those that no vector read had: each is now next to its row.
    "func.func(tloop-sink-loads)",
    "func.func(tloop-share-addresses)",
    # It counts along all loops around a tile, which are not loops after tloop-map-parallel-loops.
    "func.func(tloop-prefetch)",
    *CPU_THREADS_TO_LLVM,
]

# The host functions `@main` and `@prepare`, to the llvm dialect.
CPU_HOST: list[str] = [
    # Straight to the llvm dialect, but for control flow: a host function only computes addresses and calls
    # kernels.
    "host-entry",
    "convert-scf-to-cf",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "canonicalize",
    "cse",
    "llvm-verify-translatable",
]
