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

import numpy as np

import mlc
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


def reordered(schedule: mlc.Schedule, _block: Any, i: Any, j: Any, k: Any) -> None:
    """Along rows of `b` and `c` in the innermost loop."""
    schedule.reorder(i, k, j)


def tiles(schedule: mlc.Schedule, i: Any, j: Any, k: Any) -> tuple[Any, ...]:
    """For locality: 64 rows of 32 columns of `b` stay in the nearest cache while all rows of `a` pass by."""
    io, ii = schedule.split(i, [None, 4])
    jo, jm, jv = schedule.split(j, [None, 2, 16])
    ko, ki = schedule.split(k, [None, 64])
    schedule.reorder(jo, ko, io, ki, ii, jm, jv)
    return jo, ko, ii, jm, jv


def vectors(schedule: mlc.Schedule, ii: Any, jm: Any, jv: Any) -> None:
    """16 columns are a vector; four rows of two vectors are sums that stay in registers along `ki`."""
    schedule.vectorize(jv)
    schedule.unroll(jm)
    schedule.unroll(ii)


def tiled(schedule: mlc.Schedule, _block: Any, i: Any, j: Any, k: Any) -> None:
    tiles(schedule, i, j, k)


def vectorised(schedule: mlc.Schedule, _block: Any, i: Any, j: Any, k: Any) -> None:
    *_, ii, jm, jv = tiles(schedule, i, j, k)
    vectors(schedule, ii, jm, jv)


def packed(schedule: mlc.Schedule, block: Any, i: Any, j: Any, k: Any) -> None:
    """The rows of `b` as one contiguous buffer."""
    _, ko, ii, jm, jv = tiles(schedule, i, j, k)
    schedule.cache_read(block, ko, operand=1, name="packed")
    vectors(schedule, ii, jm, jv)


def parallel(schedule: mlc.Schedule, block: Any, i: Any, j: Any, k: Any) -> None:
    jo, ko, ii, jm, jv = tiles(schedule, i, j, k)
    schedule.parallel(jo)
    schedule.cache_read(block, ko, operand=1, name="packed")
    vectors(schedule, ii, jm, jv)


STEPS = {each.__name__: each for each in (reordered, tiled, vectorised, packed, parallel)}


def scheduled(name: str, size: int) -> mlc.Kernel:
    """`matmul` with the schedule of one step, which is checked while it is written."""
    schedule = mlc.Schedule(matmul.mlir(M=size, N=size, K=size))
    block = schedule.get_block("product")
    STEPS[name](schedule, block, *schedule.get_loops(block))
    return matmul.scheduled(schedule)


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
    steps = {"naive": matmul} | {name: scheduled(name, size) for name in STEPS}
    for name, kernel in {**steps, "chosen by the compiler": product}.items():
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
    parser.add_argument("--loops", choices=["naive", *STEPS])
    options = parser.parse_args()
    if options.loops:
        chosen = matmul if options.loops == "naive" else scheduled(options.loops, options.size)
        print(chosen.loops(M=options.size, N=options.size, K=options.size))
    else:
        main(options.size, options.repeat)
