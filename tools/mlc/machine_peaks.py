"""Measures this machine's peaks by loops of LLVM IR: multiply-adds of f32, and reads of memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from mlc.codegen.emit import emit
from mlc.codegen.host_target import host_target
from mlc.runtime import Image, Peaks, call_entry
from mlc.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDS = 10
# Steps of the loop of multiply-adds in one round: some milliseconds.
_STEPS = 200_000
# Bytes that are read in one round: more than the caches hold, within these bounds.
_LEAST_BYTES, _MOST_BYTES = 64 << 20, 512 << 20
_LOADS = 8


def measure_peaks(threads: int) -> Peaks:
    """Returns the rates of `threads` threads together, the best of some rounds; it takes some 0.3 s."""
    target = host_target()
    image = Image([emit(_module(target), target)])
    with ThreadPoolExecutor(threads) as pool:

        def best(run: Callable[[int], None], amount: float) -> float:
            """Returns 1e9 units per second, where all threads together do `amount` in a round."""
            return amount / min(_time(pool, run, threads) for _ in range(_ROUNDS)) / 1e9

        out = np.zeros((threads, 1024), np.float32)
        factors = np.array([0.999999, 1e-7], np.float32)

        def multiply_add(thread: int) -> None:
            """Runs the loop of multiply-adds."""
            call_entry(image, "multiply_add", [out[thread], factors], [_STEPS])

        lanes, accumulators = _shape(target)
        gflops = best(multiply_add, 2.0 * lanes * accumulators * _STEPS * threads)
        step = lanes * 4 * _LOADS
        size = min(max(4 * target.l3, _LEAST_BYTES), _MOST_BYTES) // (step * threads) * step
        # Pages that were never written share one page of zeros.
        data = np.ones((threads, size), np.uint8)

        def read(thread: int) -> None:
            """Reads the thread's part of the data."""
            call_entry(image, "read", [out[thread], data[thread]], [size // step])

        return Peaks(gflops, best(read, float(data.nbytes)))


def _time(pool: ThreadPoolExecutor, run: Callable[[int], None], threads: int) -> float:
    """Returns the seconds until all threads have run."""
    start = time.perf_counter()
    list(pool.map(run, range(threads)))
    return time.perf_counter() - start


def _shape(target: Target) -> tuple[int, int]:
    """Returns the lanes of a vector, and the number of accumulators: enough to hide the latency of a
    multiply-add; some registers are left for the factors."""
    return target.vector_bits // 32, max(target.vector_registers - 4, 4)


def _module(target: Target) -> str:
    """Returns LLVM IR of `multiply_add`, whose buffers are the sum and two factors, and of `read`, whose
    buffers are a sum and the data; dims[0] is the number of steps of both."""
    lanes, accumulators = _shape(target)
    vector, integers = f"<{lanes} x float>", f"<{lanes} x i32>"
    fmuladd = f"@llvm.fmuladd.v{lanes}f32"
    splat = [
        f"""  %{name}.address = getelementptr float, ptr %given, i64 {index}
  %{name}.scalar = load float, ptr %{name}.address
  %{name}.first = insertelement {vector} poison, float %{name}.scalar, i64 0
  %{name} = shufflevector {vector} %{name}.first, {vector} poison, <{lanes} x i32> zeroinitializer"""
        for index, name in enumerate("xy")
    ]
    multiply = [
        f"  %next{i} = call {vector} {fmuladd}({vector} %sum{i}, {vector} %x, {vector} %y)"
        for i in range(accumulators)
    ]
    load = [
        f"""  %index{i} = add i64 %first, {i}
  %address{i} = getelementptr {integers}, ptr %given, i64 %index{i}
  %loaded{i} = load {integers}, ptr %address{i}
  %next{i} = xor {integers} %sum{i}, %loaded{i}"""
        for i in range(_LOADS)
    ]
    return "\n".join(
        [
            f"declare {vector} {fmuladd}({vector}, {vector}, {vector})",
            _function("multiply_add", vector, accumulators, splat, multiply, "fadd"),
            _function("read", integers, _LOADS, [], [f"  %first = mul i64 %step, {_LOADS}", *load], "xor"),
        ]
    )


def _function(
    name: str, vector: str, accumulators: int, before: Sequence[str], body: Sequence[str], combine: str
) -> str:
    """Returns a function whose loop updates %sum0, %sum1, ... to %next0, %next1, ..., and which stores a
    combination of all of them."""
    phis = [
        f"  %sum{i} = phi {vector} [zeroinitializer, %entry], [%next{i}, %loop]" for i in range(accumulators)
    ]
    return "\n".join(
        [
            f"define void @{name}(ptr %buffers, ptr %dims) {{",
            "entry:",
            "  %out = load ptr, ptr %buffers",
            "  %second = getelementptr ptr, ptr %buffers, i64 1",
            "  %given = load ptr, ptr %second",
            "  %steps = load i64, ptr %dims",
            *before,
            "  br label %loop",
            "loop:",
            "  %step = phi i64 [0, %entry], [%after, %loop]",
            *phis,
            *body,
            "  %after = add i64 %step, 1",
            "  %again = icmp ult i64 %after, %steps",
            "  br i1 %again, label %loop, label %done",
            "done:",
            *_combine(vector, accumulators, combine),
            "  ret void",
            "}",
        ]
    )


def _combine(vector: str, accumulators: int, combine: str) -> Iterator[str]:
    """Yields the lines that store a combination of all accumulators."""
    last = "%next0"
    for i in range(1, accumulators):
        yield f"  %all{i} = {combine} {vector} {last}, %next{i}"
        last = f"%all{i}"
    yield f"  store {vector} {last}, ptr %out, align 4"
