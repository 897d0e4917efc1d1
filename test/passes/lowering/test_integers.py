"""Integer arithmetic at its edges, compiled and run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from mlc.bindings import ir
from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program, worker_pool
from mlc.dialects import create_context

I8, U8, I64 = np.int8, np.uint8, np.int64
ELEMENTS = {"int8": "i8", "uint8": "ui8", "int64": "i64"}
CASES = [
    # Negative exponents, squares that wrap to one, exponents beyond the width.
    ("pow", I8, [2, -3, 1, -1, 127, -127, 0, 3], [-1, -1, -5, -5, -1, -1, 0, 4], [0, 0, 1, -1, 0, 0, 1, 81]),
    ("pow", I64, [3, 2, -1], [39, 62, 2**62 + 1], [3**39, 2**62, -1]),
    ("pow", U8, [3, 255, 0], [5, 3, 0], [243, 255, 1]),
    ("shift_right", I8, [-128, -7, 100], [3, 1, 2], [-16, -4, 25]),
    ("shift_right", U8, [128, 249, 100], [3, 1, 2], [16, 124, 25]),
    ("shift_left", I8, [1, -1, 100], [7, 2, 1], [-128, -4, -56]),
]


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with worker_pool(1) as workers:
        yield workers


@pytest.mark.parametrize(("name", "dtype", "a", "b", "expected"), CASES)
def test_binary(
    name: str, dtype: type, a: list[int], b: list[int], expected: list[int], pool: WorkerPool
) -> None:
    tensor = f"tensor<{len(a)}x{ELEMENTS[dtype.__name__]}>"
    text = f"""func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{
      %0 = "graph.{name}"(%a, %b) : ({tensor}, {tensor}) -> {tensor}
      return %0 : {tensor}
    }}"""
    with create_context(), ir.Location.unknown():
        program = compile_program(ir.Module.parse(text), Options(cache=False, pool=pool))
    result = program.executable(threads=1)(np.array(a, dtype), np.array(b, dtype))[0]
    assert result.tolist() == expected
