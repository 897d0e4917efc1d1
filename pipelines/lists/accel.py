"""Kernels as programs of thread blocks, which every GPU runs, and any CPU."""

from __future__ import annotations

from mlc.pipelines.lists.cpu import CPU_THREADS_TO_LLVM

# One kernel, from graph ops in its body to launches of thread blocks.
ACCEL_KERNEL: list[str] = [
    # What has no program of blocks is named here; later passes would fail on the loops that are made of it.
    "graph-verify-blocks",
    # A kernel of attention is a program at once: no schedule makes its softmax one that never has whole rows.
    "accel-from-attention",
    # Nor does one make steps of running sums that double what they know.
    "accel-from-scan",
    # What lies around an image is never in memory.
    "func.func(graph-pad-windows)",
    # Floats of 8 bits as such, which tensor units multiply.
    "func.func(graph-to-linalg{keep-f8=true})",
    # What has no lowering is named here; later passes would fail on it without naming the op.
    "graph-verify-lowered",
    "canonicalize",
    "cse",
    # Fills are computations like any other: schedules name them, and blocks share them.
    "func.func(linalg-generalize-named-ops)",
    # One computation per chain of elementwise ops; schedules then see an anchor and an epilogue.
    # A product and a sum may read one argument of 16 bits, which the product takes as it lies in memory.
    "tloop-fuse-elementwise{convert-apart=true}",
    "canonicalize",
    "cse",
    "tloop-schedule-blocks",
    "tloop-apply-schedules",
    "canonicalize",
    "cse",
    # Tiles of tensors as vectors.
    "accel-from-tiles",
    # Steps too short for the wait that each has.
    "accel-merge-steps",
    # Where there are too few of them for a GPU, several blocks sum one up.
    "accel-split-k",
    # Places of tiles as sums and products, which blocks compute.
    "lower-affine",
    "canonicalize",
    "cse",
]

# One kernel, from launches of thread blocks to the llvm dialect: how a GPU's programs run on any machine.
# Right numbers are what it is for, not speed.
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
    # Tiles that loops carry are updated where they lie.
    "one-shot-bufferize",
    "canonicalize",
    "cse",
    # A tensor that survived would reach LLVM as a cast that cannot be translated.
    "tloop-verify-loops{heap=true}",
    "func.func(tloop-lower-copies)",
    "func.func(convert-linalg-to-loops)",
    # LLVM has no floats of 8 bits. They may become bf16, so before that.
    "func.func(tloop-expand-f8)",
    # LLVM calls a function for each number where the processor has no instruction.
    "func.func(tloop-expand-bf16)",
    "fold-memref-alias-ops",
    "canonicalize",
    "cse",
    *CPU_THREADS_TO_LLVM,
]
