"""Code for AMD's GPUs with a mistake: the emulator must notice it by an error or a wrong result."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
from emulator import EmulatorError, Options, launch
from gpu_kernels.tile_product import TileProduct

from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline

SIZE = 128
PROGRAM = TileProduct(32, 64, 64, stages=2, warps=4, size=SIZE, element="f16")
SHARED_BYTES = 2 * (PROGRAM.rows + PROGRAM.columns) * PROGRAM.depth * 2
TOLERANCE = 1e-4
# What is wrong -> a pattern in the code, and what replaces its first match.
MISTAKES = {
    "no barrier": (r"rocdl\.barrier\n", "\n"),
    "the operands in the other order": (r"(mfma\S+) (%\S+), (%\S+),", r"\1 \3, \2,"),
    "sums that are forgotten": (r"(mfma\S+ %\S+, %\S+), %\S+,", r"\1, %zeros,"),
    "lanes taken for those of a warp": (r"(arith\.andi %\S+), %c15_i32", r"\1, %c7_i32"),
    "pieces of a row that are not permuted": (r"arith\.xori (%\S+), %\S+", r"arith.ori \1, \1"),
}


@functools.cache
def code() -> str:
    """The program as code of threads."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(PROGRAM.text())
        run_pipeline("builtin.module(tloop-set-target{target=hip:gfx90a}, accel-to-threads)", module)
        return str(module)


def error_of(text: str) -> float:
    """Returns the error of its result against NumPy's. Raises `EmulatorError`."""
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(SIZE, SIZE)).astype(np.float16) for _ in range(2))
    found = np.zeros((SIZE, SIZE), np.float32)
    grid = (SIZE // PROGRAM.rows, SIZE // PROGRAM.columns)
    with create_context(), ir.Location.unknown():
        options = Options(seed=1, races=True)
        launch(ir.Module.parse(text), a, b, found, grid=grid, shared_bytes=SHARED_BYTES, options=options)
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    error = np.abs(found - wanted).max() / np.abs(wanted).max()
    return float(error) if np.isfinite(error) else np.inf


def test_the_code_is_right() -> None:
    assert error_of(code()) < TOLERANCE


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_noticed(name: str) -> None:
    pattern, replacement = MISTAKES[name]
    first = re.search(r"^ *%\w+ = .*$", code()[code().index("llvm.func") :], re.MULTILINE)
    assert first is not None
    zeros = "%zeros = arith.constant dense<0.0> : vector<4xf32>\n"
    changed, count = re.subn(pattern, replacement, code().replace(first[0], zeros + first[0], 1), count=1)
    assert count == 1
    try:
        assert error_of(changed) > TOLERANCE
    except EmulatorError:
        return
