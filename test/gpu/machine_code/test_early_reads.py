"""Products whose copies of weights start before the kernel waits for those before it."""

from __future__ import annotations

import sys
from pathlib import Path

import assembled
import ml_dtypes
import numpy as np
import pytest
from early_accesses import early_accesses
from emulator import EmulatorError

from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline

sys.path.insert(0, str(Path(__file__).parents[2] / "numerics" / "blocks"))

import accel_gpu

ROWS, DEPTH, COLUMNS = 32, 256, 64
# The attributes that name the arguments that are weights, and those that are read early.
WEIGHTS, EARLY = "accel.weights = array<i64: 1>", "accel.early_reads = array<i64: 1>"
# The error bound of f32 sums, relative to the sum of the terms' magnitudes.
SUM_ERROR = DEPTH * 2.0**-24


def blocks(weights: str = WEIGHTS) -> str:
    """Returns `y = x w` as a program of thread blocks; the attribute `weights` names arguments that are
    weights."""
    x, w, y = (
        f"tensor<{rows}x{columns}x{element}>"
        for rows, columns, element in (
            (ROWS, DEPTH, "bf16"),
            (DEPTH, COLUMNS, "bf16"),
            (ROWS, COLUMNS, "f32"),
        )
    )
    narrow = f"tensor<{ROWS}x{COLUMNS}xbf16>"
    attributes = ", ".join(filter(None, (weights, "tloop.kernel")))
    text = f"""module attributes {{tloop.target = "cuda:sm_90a"}} {{
      func.func private @k(%x: {x}, %w: {w}) -> {y} attributes {{{attributes}}} {{
        %0 = "graph.matmul"(%x, %w) {{graph.unrounded}} : ({x}, {w}) -> {narrow}
        %1 = "graph.cast"(%0) {{saturate = true}} : ({narrow}) -> {y}
        return %1 : {y}
      }} }}"""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline("builtin.module(accel-kernel)", module)
        return str(module)


def error(text: str, old: str = EARLY, new: str = EARLY) -> float:
    """Returns the largest error of the kernel after replacing `old` by `new` in its threads' code."""
    random = np.random.default_rng(0)
    x, w = (
        random.normal(size=shape).astype(ml_dtypes.bfloat16) for shape in ((ROWS, DEPTH), (DEPTH, COLUMNS))
    )
    y = np.full((ROWS, COLUMNS), np.nan, np.float32)

    def change(module: ir.Module) -> ir.Module:
        assert str(module).count(old) == 1
        return ir.Module.parse(str(module).replace(old, new))

    accel_gpu.run(text, x, w, y, arch="sm_90a", change=change)
    x, w = x.astype(np.float64), w.astype(np.float64)
    return float((abs(y - x @ w) / (abs(x) @ abs(w))).max())


def test_values() -> None:
    assert error(blocks()) < SUM_ERROR


@pytest.mark.parametrize("attribute", ["accel.none", "accel.early_reads = array<i64: 0>"])
def test_other_arrays_are_not_read_early(attribute: str) -> None:
    with pytest.raises(EmulatorError, match=r"cp\.async\.shared\.global .*touches global memory before"):
        error(blocks(), EARLY, attribute)


def test_without_weights_nothing_is_read_early() -> None:
    code = assembled.ptx_of(blocks(""), "sm_90a", assembled.threads("sm_90a")).decode()
    assert code.index("griddepcontrol.wait") < code.index("cp.async.")


def test_only_copies_of_weights_come_before_the_wait() -> None:
    ptx = assembled.ptx_of(blocks(), "sm_90a", assembled.threads("sm_90a"))
    assert ptx.index(b"griddepcontrol.wait") > ptx.index(b"cp.async.")
    assembled.check_with_ptxas(ptx, "sm_90a")
    early = early_accesses(assembled.listing(ptx, "sm_90a"))
    copies = assembled.instructions(ptx, "sm_90a")["LDGSTS"]
    assert all("LDGSTS" in line for line in early) and 0 < len(early) < copies
