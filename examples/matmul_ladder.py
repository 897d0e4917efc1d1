"""A matrix product from the textbook's three loops to a fast kernel, one schedule primitive at a time.

    python examples/matmul_ladder.py [--size 512] [--repeat 5]   measures each step on this machine
    python examples/matmul_ladder.py --loops tiled               prints the loops of one step

The source stays the same; only the schedule grows. The last line is the same product as a tensor expression,
for which the compiler chooses the schedule.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import mlc
import numpy as np
from mlc.kernels import Output, Tensor, axis, block, compute, dims, f32, sum

M, N, K = dims("M N K")


@mlc.kernel
def matmul(a: Tensor[f32, M, K], b: Tensor[f32, K, N], c: Output[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            with block("zero"):
                c[i, j] = 0.0
    for i in range(M):
        for j in range(N):
            for k in range(K):
                with block("product"):
                    c[i, j] += a[i, k] * b[k, j]


@mlc.expression
def product(a: Tensor[f32, M, K], b: Tensor[f32, K, N]) -> Any:
    k = axis(K)
    return compute((M, N), lambda i, j: sum(a[i, k] * b[k, j], k))


def schedule(*primitives: str) -> str:
    """A schedule of `matmul`: handles to the product's block and loops, then the primitives."""
    return "\n".join((
        '"tloop.schedule"() ({',
        '%c = "tloop.get_block"() {block_name = "product"} : () -> !tloop.block',
        '%i, %j, %k = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop, !tloop.loop, !tloop.loop)',
        *primitives,
        "}) {kernel = @matmul} : () -> ()",
    ))  # fmt: skip


def split(loop: str, results: str, factors: str) -> str:
    """Splits a loop; factors are the numbers of iterations, outermost first, -1 for what is left."""
    kinds = ", ".join(["!tloop.loop"] * (results.count(",") + 1))
    attributes = f'{{factors = array<i64: {factors}>, tail = "guard"}}'
    return f'{results} = "tloop.split"({loop}) {attributes} : (!tloop.loop) -> ({kinds})'


def reorder(loops: str) -> str:
    """Brings loops into this order, outermost first."""
    kinds = ", ".join(["!tloop.loop"] * (loops.count(",") + 1))
    return f'"tloop.reorder"({loops}) : ({kinds}) -> ()'


def on_loop(name: str, loop: str, attributes: str = "") -> str:
    """A primitive of one loop."""
    return f'"tloop.{name}"({loop}) {attributes} : (!tloop.loop) -> ()'


# For locality: 64 rows of 32 columns of `b` stay in the nearest cache while all rows of `a` pass by.
TILES = (
    split("%i", "%io, %ii", "-1, 4"),
    split("%j", "%jo, %jm, %jv", "-1, 2, 16"),
    split("%k", "%ko, %ki", "-1, 64"),
    reorder("%jo, %ko, %io, %ki, %ii, %jm, %jv"),
)
# Those rows as one contiguous buffer.
PACK = (
    '%p = "tloop.cache_read"(%c, %ko) {operand = 1, block_name = "packed"} '
    ": (!tloop.block, !tloop.loop) -> !tloop.block",
)
# 16 columns are a vector; four rows of two vectors are sums that stay in registers along %ki.
VECTORS = (
    on_loop("vectorize", "%jv"),
    on_loop("unroll", "%jm", "{factor = 0 : i64}"),
    on_loop("unroll", "%ii", "{factor = 0 : i64}"),
)
PARALLEL = (on_loop("parallel", "%jo"),)

STEPS = {
    "naive": matmul,
    "reordered": matmul.scheduled(schedule(reorder("%i, %k, %j"))),
    "tiled": matmul.scheduled(schedule(*TILES)),
    "vectorised": matmul.scheduled(schedule(*TILES, *VECTORS)),
    "packed": matmul.scheduled(schedule(*TILES, *PACK, *VECTORS)),
    "parallel": matmul.scheduled(schedule(*TILES, *PARALLEL, *PACK, *VECTORS)),
    "chosen by the compiler": product,
}


def measure(executable: Any, arrays: tuple[np.ndarray, ...], repeat: int) -> float:
    """The shortest of `repeat` calls, in seconds; the first one does not count."""
    executable(*arrays)
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        executable(*arrays)
        times.append(time.perf_counter() - start)
    return min(times)


def main(size: int, repeat: int) -> None:
    """Prints each step with its time, its speed and its largest error, relative to NumPy's largest result."""
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((size, size), np.float32) for _ in range(2))
    expected = a.astype(np.float64) @ b
    print(f"product of {size}x{size} matrices, f32, on this machine\n")
    print("step                         ms    GFLOP/s   largest error")
    for name, kernel in STEPS.items():
        executable = kernel.compile(M=size, N=size, K=size)
        [result] = executable(a, b)
        error = np.abs(result - expected).max() / np.abs(expected).max()
        seconds = measure(executable, (a, b), repeat)
        print(f"{name:24} {1e3 * seconds:8.2f} {2e-9 * size**3 / seconds:10.1f}   {error:.0e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--loops", choices=[name for name, kernel in STEPS.items() if kernel is not product])
    options = parser.parse_args()
    if options.loops:
        print(STEPS[options.loops].loops(M=options.size, N=options.size, K=options.size))
    else:
        main(options.size, options.repeat)
