"""The pipelines of kernels as programs of thread blocks, for GPUs and, to test them, CPUs."""

from __future__ import annotations

from mlc.pipelines.lists.cpu import CPU_THREADS_TO_LLVM

# One kernel, from graph ops in its body to launches of thread blocks.
ACCEL_KERNEL: list[str] = [
    # Ops without a lowering to thread blocks are reported here; later passes would fail on their loops.
    "graph-verify-blocks",
    # Attention is lowered directly: no schedule turns its softmax into an online one.
    "accel-from-attention",
    # So are scans: no schedule makes their steps of doubling distance.
    "accel-from-scan",
    # The padding of an image is never in memory.
    "func.func(graph-pad-windows)",
    # f8 elements are kept, which matrix units multiply; a pool is one computation.
    "func.func(graph-to-linalg{keep-f8=true whole-windows=true})",
    # Ops without a lowering are reported here; later passes would fail without naming the op.
    "graph-verify-lowered",
    "canonicalize",
    "cse",
    # Fills are computations like any other: schedules name them, and blocks share them.
    "func.func(linalg-generalize-named-ops)",
    # One computation per chain of elementwise ops; schedules then see an anchor and an epilogue.
    # A matmul and a sum may read one 16-bit argument, which the matmul reads without a conversion.
    "tloop-fuse-elementwise{convert-apart=true}",
    "canonicalize",
    "cse",
    "tloop-schedule-blocks",
    "tloop-apply-schedules",
    "canonicalize",
    "cse",
    # Tiles of tensors as vectors.
    "accel-from-tiles",
    # Merges steps that are too short for the wait of each.
    "accel-merge-steps",
    # Where there are too few tiles for a GPU, several blocks share the reduction of one.
    "accel-split-k",
    # Offsets of tiles as arithmetic of the block.
    "lower-affine",
    "canonicalize",
    "cse",
]

# One kernel, from launches of thread blocks to the llvm dialect, so that a GPU's programs run on any machine:
# for correct results, not for speed.
ACCEL_CPU: list[str] = [
    "func.func(accel-to-cpu)",
    "canonicalize",
    "cse",
    # One computation per chain of elementwise ops, with one buffer for its result.
    "func.func(convert-elementwise-to-linalg)",
    "func.func(linalg-fuse-elementwise-ops)",
    "canonicalize",
    "cse",
    "func.func(tloop-expand-math)",
    # Tiles that loops carry are updated in place.
    "one-shot-bufferize",
    "canonicalize",
    "cse",
    # A remaining tensor would reach LLVM as a cast that cannot be translated.
    "tloop-verify-loops{heap=true}",
    "func.func(tloop-lower-copies)",
    "func.func(convert-linalg-to-loops)",
    # LLVM has no f8. They may become bf16, so before that.
    "func.func(tloop-expand-f8)",
    # LLVM calls a function for each element where the processor has no instruction.
    "func.func(tloop-expand-bf16)",
    "fold-memref-alias-ops",
    "canonicalize",
    "cse",
    *CPU_THREADS_TO_LLVM,
]
