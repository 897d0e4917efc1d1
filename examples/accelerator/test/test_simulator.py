"""Compares the machine's instructions with NumPy, and checks its messages on misuse."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from ctypes import c_int64

import numpy as np
import pytest
from tiny_npu.machine import SCRATCHPAD_BYTES, TILE
from tiny_npu.simulator import cycles, library, reset, simulator

# Addresses in the scratchpad, of operands and of the result.
OPERANDS, RESULT = (0, 4096, 8192), 16384
SHAPE, COUNT = (TILE, TILE), TILE * TILE


@pytest.fixture(autouse=True)
def program() -> Iterator[None]:
    simulator().npu_begin()
    reset()
    yield
    simulator().npu_end()


def call(name: str, *arguments: int) -> None:
    getattr(simulator(), name)(*map(c_int64, arguments))


def run(name: str, arrays: list[np.ndarray], out: np.ndarray, *rest: int, result: int = RESULT) -> np.ndarray:
    """Copies `arrays` in, calls the function on them and copies what has the shape and type of `out` back."""
    for address, array in zip(OPERANDS, arrays, strict=False):
        call("npu_dma_in", address, array.ctypes.data, 1, array.nbytes, 0)
    call(name, result, *OPERANDS[: len(arrays)], *rest)
    call("npu_dma_out", out.ctypes.data, result, 1, out.nbytes, 0)
    return out


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("operand", "sums"), [("float16", "float32"), ("int8", "int32")])
def test_products(operand: str, sums: str, transposed: bool) -> None:
    random = np.random.default_rng(1)
    a, b = (random.integers(-8, 8, SHAPE).astype(operand) for _ in range(2))
    start = random.integers(-8, 8, SHAPE).astype(sums)
    name = f"npu_mma_{operand.replace('loat', '').replace('nt', '')}{'_transposed' if transposed else ''}"
    call("npu_dma_in", RESULT, start.ctypes.data, 1, start.nbytes, 0)
    found = run(name, [a, b.T.copy() if transposed else b], np.empty(SHAPE, sums))
    np.testing.assert_array_equal(found, start + a.astype(sums) @ b.astype(sums))
    assert cycles()["matrix"] == TILE


BINARY = {
    "npu_vector_add_f32": np.add,
    "npu_vector_sub_f32": np.subtract,
    "npu_vector_mul_f32": np.multiply,
    "npu_vector_greater_f32": np.greater,
    "npu_vector_add_i32": np.add,
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    random = np.random.default_rng(2)
    dtype = "float32" if name.endswith("f32") else "int32"
    a, b = (random.integers(-3, 3, SHAPE).astype(dtype) for _ in range(2))
    expected = BINARY[name](a, b)
    np.testing.assert_array_equal(run(name, [a, b], np.empty_like(expected), COUNT), expected)
    assert cycles()["vector"] == COUNT // 16


def test_select() -> None:
    random = np.random.default_rng(4)
    condition = random.integers(0, 2, SHAPE).astype(np.uint8)
    a, b = (random.standard_normal(SHAPE).astype(np.float32) for _ in range(2))
    found = run("npu_vector_select_f32", [condition, a, b], np.empty_like(a), COUNT)
    np.testing.assert_array_equal(found, np.where(condition, a, b))


def test_conversions() -> None:
    single = np.random.default_rng(5).standard_normal(SHAPE).astype(np.float32)
    half = run("npu_vector_narrow_f16", [single], np.empty(SHAPE, np.float16), COUNT)
    np.testing.assert_array_equal(half, single.astype(np.float16))
    widened = run("npu_vector_widen_f16", [half], np.empty(SHAPE, np.float32), COUNT)
    np.testing.assert_array_equal(widened, half.astype(np.float32))


def test_moves() -> None:
    row = np.arange(TILE, dtype=np.int32)
    spread = run("npu_vector_spread", [row], np.empty(SHAPE, np.int32), 4, TILE, TILE)
    np.testing.assert_array_equal(spread, np.broadcast_to(row, SHAPE))
    np.testing.assert_array_equal(run("npu_vector_move", [row], np.empty_like(row), 4, TILE), row)
    np.testing.assert_array_equal(run("npu_vector_fill", [], np.empty(3, np.int32), 7, 4, 3), [7, 7, 7])


def test_dma_copies_rows_with_a_stride() -> None:
    matrix = np.arange(64, dtype=np.uint8).reshape(8, 8)
    call("npu_dma_in", 0, matrix[2:, 3:].ctypes.data, 4, 2, 8)
    out = np.zeros((4, 5), np.uint8)
    call("npu_dma_out", out[:, 1:].ctypes.data, 0, 4, 2, 5)
    np.testing.assert_array_equal(out[:, 1:3], matrix[2:6, 3:5])
    assert not out[:, 0].any() and not out[:, 3:].any()
    assert cycles()["dma"] == 2 * (32 + 1)


MISUSE = {
    "npu_mma_f16(0, 512, 1024)": "npu_mma_f16 reads byte 512 of the scratchpad, which nothing has written",
    "npu_vector_fill(8, 0, 4, 16)": "npu_vector_fill: address 8 is no multiple of 64",
    f"npu_vector_fill({SCRATCHPAD_BYTES - 64}, 0, 4, 17)": "68 bytes at 65472 are outside of the scratchpad",
    "npu_vector_fill(-64, 0, 4, 16)": "64 bytes at -64 are outside of the scratchpad",
    "npu_dma_in(0, 0, 1, 64, 0)": "npu_dma_in: 1 rows of 64 bytes at 0",
    "npu_dma_in(0, 4096, 2, 64, 32)": "npu_dma_in: rows of 64 bytes that are 32 bytes apart overlap",
    "npu_end(), machine.npu_vector_fill(0, 0, 4, 16)": "npu_vector_fill outside of npu_begin and npu_end",
}


@pytest.mark.parametrize("use", MISUSE)
def test_misuse_aborts_with_a_message(use: str) -> None:
    start = f"import ctypes; machine = ctypes.CDLL({str(library())!r}); machine.npu_begin(); "
    done = subprocess.run(
        [sys.executable, "-c", f"{start}machine.{use}"], capture_output=True, text=True, check=False
    )
    assert done.returncode < 0
    assert done.stderr.startswith("tiny-npu: ") and MISUSE[use] in done.stderr
