"""Measures the cost of dynamic dims of kernels: `python -m bench.run_time_dims`.

The kernels of BERT-base are compiled once with a sequence of any length, and once for each length. Both
are measured interleaved on the same operands; the table has the fastest batch of calls of each, and their
ratio.
"""

from __future__ import annotations

import argparse
import ctypes
import fnmatch
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.bert_kernels import KERNELS, BertKernel
from mlc.codegen.host_target import host_target
from mlc.compiler.kernel_job import compile_object
from mlc.runtime._native import Image, call_entry

SOURCE = Path(__file__).with_name("entry_loop.c")
LENGTHS = (1, 7, 32, 128, 200, 384, 512)
# The duration of a batch of calls.
BATCH_SECONDS = 0.02


class CompiledKernel:
    """A kernel in memory; calls of it are repeated in C, so that Python's own time does not count."""

    loop: Image | None = None

    def __init__(self, text: str) -> None:
        target = str(host_target())
        job = {"text": text, "pipeline": "cpu-kernel", "target": target, "optimize": 3}
        start = time.perf_counter()
        self.object = compile_object(job)["object"]
        self.seconds = time.perf_counter() - start
        self.image = Image([self.object])

    def run(self, arrays: Sequence[np.ndarray], length: int, threads: int, calls: int) -> float:
        """Returns the mean seconds of a call."""
        buffers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        dims = (ctypes.c_int64 * 1)(length)
        given = [self.image.symbol("k"), ctypes.addressof(buffers), ctypes.addressof(dims), calls]
        start = time.perf_counter()
        call_entry(_loop(), "entry_loop", given, threads=threads)
        return (time.perf_counter() - start) / calls


def _loop() -> Image:
    if CompiledKernel.loop is None:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            path = Path(folder) / "entry_loop.o"
            compiler = os.environ.get("CC", "cc")
            subprocess.run([compiler, "-O2", "-c", "-fPIC", str(SOURCE), "-o", str(path)], check=True)
            CompiledKernel.loop = Image([path.read_bytes()])
    return CompiledKernel.loop


def compare(
    static: CompiledKernel,
    dynamic: CompiledKernel,
    arrays: Sequence[np.ndarray],
    length: int,
    threads: int,
    rounds: int,
) -> tuple[float, float]:
    """Returns the seconds of a call in the fastest batch of each."""
    once = min(static.run(arrays, length, threads, 1) for _ in range(3))
    calls = max(1, int(BATCH_SECONDS / once))
    kernels = (static, dynamic)
    times = [[kernel.run(arrays, length, threads, calls) for kernel in kernels] for _ in range(rounds)]
    return min(fixed for fixed, _ in times), min(given for _, given in times)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.run_time_dims", description=__doc__)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="kernels by name")
    parser.add_argument("--lengths", default=",".join(map(str, LENGTHS)), metavar="N,...")
    parser.add_argument("--threads", default="1,2", metavar="N,...")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    lengths = [int(length) for length in arguments.lengths.split(",")]
    counts = [int(count) for count in arguments.threads.split(",")]
    print("| kernel | length | threads | static, us | run time, us | ratio |\n|---|---|---|---|---|---|")
    notes = []
    for kernel in KERNELS:
        if fnmatch.fnmatch(kernel.name, arguments.only):
            notes.append(_measure(kernel, lengths, counts, arguments.rounds))
    print("\n" + "\n".join(notes))


def _measure(kernel: BertKernel, lengths: Sequence[int], counts: Sequence[int], rounds: int) -> str:
    """Prints the kernel's rows of the table; returns a line on its object code."""
    dynamic, largest = CompiledKernel(kernel.text(None)), 0
    for length in (length for length in lengths if length >= kernel.least):
        static, arrays = CompiledKernel(kernel.text(length)), kernel.arrays(length)
        largest = max(largest, len(static.object))
        for threads in counts:
            fixed, given = compare(static, dynamic, arrays, length, threads, rounds)
            times = f"{1e6 * fixed:.1f} | {1e6 * given:.1f} | {given / fixed:.2f}"
            print(f"| {kernel.name} | {length} | {threads} | {times} |", flush=True)
    size = f"{len(dynamic.object)} bytes, the largest of one length {largest}"
    return f"{kernel.name}: the object has {size}; it took {dynamic.seconds:.2f} s to compile."


if __name__ == "__main__":
    main()
