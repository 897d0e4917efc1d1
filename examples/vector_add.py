"""The sum of two vectors, scheduled step by step, on the CPU and for a GPU.

python examples/vector_add.py                  runs each step, and compares with NumPy
python examples/vector_add.py --loops split    prints the loops of one step
python examples/vector_add.py --gpu            prints the program with a kernel for a GPU, as MLIR
python examples/vector_add.py --gpu | mlc-translate --mlir-to-ptx
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import mlc
from mlc.bindings import parse_module
from mlc.dialects import create_context
from mlc.kernels import Output, Tensor, block, dims, f32
from mlc.pipelines.driver import run_pipeline

N = dims("N")[0]
SIZE = 1024


@mlc.kernel
def add(a: Tensor[f32, N], b: Tensor[f32, N], c: Output[f32, N]) -> None:
    """Adds two vectors."""
    for i in range(N):
        with block("sum"):
            c[i] = a[i] + b[i]


def split(schedule: mlc.Schedule, loop: Any) -> None:
    """Splits the loop by 4."""
    schedule.split(loop, [None, 4])


def reorder(schedule: mlc.Schedule, loop: Any) -> None:
    """Splits, and swaps the two loops."""
    outer, inner = schedule.split(loop, [None, 4])
    schedule.reorder(inner, outer)


def vectorize(schedule: mlc.Schedule, loop: Any) -> None:
    """Splits, and makes the inner loop a vector of 4."""
    _, inner = schedule.split(loop, [None, 4])
    schedule.vectorize(inner)


def parallelize(schedule: mlc.Schedule, loop: Any) -> None:
    """Distributes chunks of 64 vectors over threads."""
    rows, _, inner = schedule.split(loop, [None, 64, 4])
    schedule.vectorize(inner)
    schedule.parallel(rows)


def bind(schedule: mlc.Schedule, loop: Any) -> None:
    """Binds the loop to thread blocks of 256 threads."""
    blocks, threads = schedule.split(loop, [None, 256])
    schedule.bind(blocks, "block.x")
    schedule.bind(threads, "thread.x")


STEPS = {
    "split": split,
    "reordered": reorder,
    "vectorised": vectorize,
    "parallel": parallelize,
    "bound": bind,
}


def schedule_step(name: str) -> mlc.Kernel:
    """Returns `add` with the schedule of one step; each primitive is checked as it is appended."""
    schedule = mlc.Schedule(add.mlir(N=SIZE))
    [loop] = schedule.get_loops(schedule.get_block("sum"))
    STEPS[name](schedule, loop)
    return add.with_schedule(schedule)


# From a kernel with its schedule to the llvm dialect for a GPU: ours, then upstream's.
GPU_PASSES = (
    "tloop-apply-schedules",
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map}",
    "canonicalize",
    "buffer-results-to-out-params{hoist-static-allocs=1}",
    "canonicalize",
    # The two loops that are bound: the outer one becomes the grid, the inner one the block of threads.
    "func.func(convert-affine-for-to-gpu{gpu-block-dims=1 gpu-thread-dims=1})",
    "lower-affine",
    "canonicalize",
    "cse",
    "func.func(gpu-launch-sink-index-computations)",
    "gpu-kernel-outlining",
    "gpu.module(canonicalize,cse,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},"
    "canonicalize,cse,reconcile-unrealized-casts)",
)


def gpu_module() -> str:
    """Returns the bound kernel as MLIR: a launch by the host and a function of the device."""
    module = parse_module(schedule_step("bound").mlir(N=SIZE), create_context())
    run_pipeline(f"builtin.module({','.join(GPU_PASSES)})", module)
    return str(module)


def main() -> None:
    """Prints each step's largest difference from NumPy's sum."""
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(SIZE, np.float32) for _ in range(2))
    kernels = {"plain": add} | {name: schedule_step(name) for name in STEPS if name != "bound"}
    for name, kernel in kernels.items():
        print(f"{name:12} largest difference {np.abs(kernel(a, b) - (a + b)).max():.0e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--loops", choices=list(STEPS))
    parser.add_argument("--gpu", action="store_true")
    options = parser.parse_args()
    if options.gpu:
        print(gpu_module())
    elif options.loops:
        print(schedule_step(options.loops).loops(N=SIZE))
    else:
        main()
