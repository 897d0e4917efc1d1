"""A matrix product from the textbook's three loops to a fast kernel, one schedule step at a time.

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
    """The textbook's loops: rows, columns, reduction."""
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
    """The same product as a tensor expression."""
    k = axis(K)
    return compute((M, N), lambda i, j: sum(a[i, k] * b[k, j], k))


def reorder(schedule: mlc.Schedule, _block: Any, i: Any, j: Any, k: Any) -> None:
    """Runs the innermost loop along rows of `b` and `c`."""
    schedule.reorder(i, k, j)


def split_loops(schedule: mlc.Schedule, i: Any, j: Any, k: Any) -> tuple[Any, ...]:
    """Tiles for locality: 64 rows of 32 columns of `b` stay in the L1 cache for all rows of `a`."""
    io, ii = schedule.split(i, [None, 4])
    jo, jm, jv = schedule.split(j, [None, 2, 16])
    ko, ki = schedule.split(k, [None, 64])
    schedule.reorder(jo, ko, io, ki, ii, jm, jv)
    return jo, ko, ii, jm, jv


def vectorize_tile(schedule: mlc.Schedule, ii: Any, jm: Any, jv: Any) -> None:
    """Makes vectors of 16 columns, and a register tile of four rows of two vectors along `ki`."""
    schedule.vectorize(jv)
    schedule.unroll(jm)
    schedule.unroll(ii)


def tile(schedule: mlc.Schedule, _block: Any, i: Any, j: Any, k: Any) -> None:
    """Tiles all loops."""
    split_loops(schedule, i, j, k)


def vectorize(schedule: mlc.Schedule, _block: Any, i: Any, j: Any, k: Any) -> None:
    """Tiles, and vectorises the innermost loop."""
    *_, ii, jm, jv = split_loops(schedule, i, j, k)
    vectorize_tile(schedule, ii, jm, jv)


def pack(schedule: mlc.Schedule, block: Any, i: Any, j: Any, k: Any) -> None:
    """Vectorises, and copies the tile of `b` to a contiguous buffer."""
    _, ko, ii, jm, jv = split_loops(schedule, i, j, k)
    schedule.cache_read(block, ko, operand=1, name="packed")
    vectorize_tile(schedule, ii, jm, jv)


def parallelize(schedule: mlc.Schedule, block: Any, i: Any, j: Any, k: Any) -> None:
    """Packs, and distributes tiles of columns over threads."""
    jo, ko, ii, jm, jv = split_loops(schedule, i, j, k)
    schedule.parallel(jo)
    schedule.cache_read(block, ko, operand=1, name="packed")
    vectorize_tile(schedule, ii, jm, jv)


STEPS = {
    "reordered": reorder,
    "tiled": tile,
    "vectorised": vectorize,
    "packed": pack,
    "parallel": parallelize,
}


def schedule_step(name: str, size: int) -> mlc.Kernel:
    """Returns `matmul` with the schedule of one step; each primitive is checked as it is appended."""
    schedule = mlc.Schedule(matmul.mlir(M=size, N=size, K=size))
    block = schedule.get_block("product")
    STEPS[name](schedule, block, *schedule.get_loops(block))
    return matmul.with_schedule(schedule)


def measure(executable: Any, arrays: tuple[np.ndarray, ...], repeat: int) -> float:
    """Returns the time of the fastest of `repeat` calls after a warm-up, in seconds."""
    executable(*arrays)
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        executable(*arrays)
        times.append(time.perf_counter() - start)
    return min(times)


def main(size: int, repeat: int) -> None:
    """Prints each step with its time, throughput and largest error, relative to NumPy's largest result."""
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((size, size), np.float32) for _ in range(2))
    expected = a.astype(np.float64) @ b
    print(f"product of {size}x{size} matrices, f32, on this machine\n")
    print("step                         ms    GFLOP/s   largest error")
    steps = {"naive": matmul} | {name: schedule_step(name, size) for name in STEPS}
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
        chosen = matmul if options.loops == "naive" else schedule_step(options.loops, options.size)
        print(chosen.loops(M=options.size, N=options.size, K=options.size))
    else:
        main(options.size, options.repeat)
