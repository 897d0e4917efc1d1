"""The sum of two vectors, scheduled step by step, on the CPU and for a GPU.

python examples/vector_add.py                  runs each step, and compares with NumPy
python examples/vector_add.py --loops split    prints the loops of one step
python examples/vector_add.py --gpu            prints the program with a kernel for a GPU, as MLIR
python examples/vector_add.py --gpu | mlc-translate --mlir-to-ptx
"""

from __future__ import annotations

import argparse

import mlc
import numpy as np
from mlc.bindings import parse_module
from mlc.dialects import create_context
from mlc.kernels import Output, Tensor, block, dims, f32
from mlc.pipelines.driver import run_pipeline

N = dims("N")[0]
SIZE = 1024


@mlc.kernel
def add(a: Tensor[f32, N], b: Tensor[f32, N], c: Output[f32, N]) -> None:
    for i in range(N):
        with block("sum"):
            c[i] = a[i] + b[i]


def schedule(*primitives: str) -> str:
    """A schedule of `add`: a handle to its loop, then the primitives."""
    return "\n".join((
        '"tloop.schedule"() ({',
        '%b = "tloop.get_block"() {block_name = "sum"} : () -> !tloop.block',
        '%i = "tloop.get_loops"(%b) : (!tloop.block) -> !tloop.loop',
        *primitives,
        "}) {kernel = @add} : () -> ()",
    ))  # fmt: skip


def split(loop: str, results: str, inner: int) -> str:
    """Splits a loop into an outer one and one of `inner` iterations."""
    attributes = f'{{factors = array<i64: -1, {inner}>, tail = "guard"}}'
    return f'{results} = "tloop.split"({loop}) {attributes} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)'


def on_loop(name: str, loop: str, attributes: str = "") -> str:
    """A primitive of one loop."""
    return f'"tloop.{name}"({loop}) {attributes} : (!tloop.loop) -> ()'


BY_4 = split("%i", "%o, %n", 4)
STEPS = {
    "plain": add,
    "split": add.scheduled(schedule(BY_4)),
    "reordered": add.scheduled(schedule(BY_4, '"tloop.reorder"(%n, %o) : (!tloop.loop, !tloop.loop) -> ()')),
    "vectorised": add.scheduled(schedule(BY_4, on_loop("vectorize", "%n"))),
    "parallel": add.scheduled(
        schedule(BY_4, on_loop("vectorize", "%n"), split("%o", "%p, %q", 64), on_loop("parallel", "%p"))
    ),
    "bound": add.scheduled(
        schedule(
            split("%i", "%o, %n", 256),
            on_loop("bind", "%o", '{axis = "block.x"}'),
            on_loop("bind", "%n", '{axis = "thread.x"}'),
        )
    ),
}

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
    """The bound kernel as a launch by the host and a function of the device."""
    module = parse_module(STEPS["bound"].mlir(N=SIZE), create_context())
    run_pipeline(f"builtin.module({','.join(GPU_PASSES)})", module)
    return str(module)


def main() -> None:
    """Prints each step's largest difference to NumPy's sum."""
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(SIZE, np.float32) for _ in range(2))
    for name, kernel in STEPS.items():
        if name != "bound":
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
        print(STEPS[options.loops].loops(N=SIZE))
    else:
        main()
