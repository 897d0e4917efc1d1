"""Memory-bound kernels access 16 bytes at a time, compiled from graph ops to PTX."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from assembled import compiled_kernel

from mlc.targets import parse_target

sys.path.insert(0, str(Path(__file__).parents[2] / "numerics" / "blocks"))

from tile_kernels import TARGET, TileCase, op, return_op
from tile_kernels import text as text_of

WIDE = {"v4.b32"}
ELEMENTS = {"f32": {"b32"}, "bf16": {"b16"}}
OVER = "axes = array<i64: {}>, keepdims = false"


def chain(inputs: Sequence[str], result: str, *ops: tuple[str, str, str]) -> TileCase:
    """Ops (name, operands, attributes) one after the other, with results of one type: `%r0`, ..."""
    types = {f"%{index}": tensor for index, tensor in enumerate(inputs)}
    lines = []
    for index, (name, operands, attributes) in enumerate(ops):
        operand_types = [types[operand] for operand in operands.split(", ")]
        lines.append(op(f"r{index}", name, operands, [*operand_types, result], attributes))
        types[f"%r{index}"] = result
    return TileCase(inputs, [result], "".join(lines) + return_op(f"r{len(ops) - 1}", [result]), np.add)


def cases(element: str) -> dict[str, TileCase]:
    """Returns kernels, some with the sizes of transformers with 768 features."""
    matrix, turned, row, column = (
        f"{shape}x{element}" for shape in ("1024x2048", "2048x1024", "2048", "1024")
    )
    hidden, feature, scores = (f"{shape}x{element}" for shape in ("128x768", "768", "12x128x128"))
    heads, features = (f"{shape}x{element}" for shape in ("1x12x128x64", "1x128x12x64"))
    norm = ("layer_norm", "%r0", "axes = array<i64: 1>, epsilon = 1.0e-5 : f64")
    return {
        "softmax": chain([matrix], matrix, ("softmax", "%0", "axis = 1 : i64")),
        "softmax of scores": chain([scores], scores, ("softmax", "%0", "axis = 2 : i64")),
        "layer norm": chain(
            [hidden, hidden, feature, feature],
            hidden,
            ("add", "%0, %1", ""),
            norm,
            ("mul", "%r1, %2", ""),
            ("add", "%r2, %3", ""),
        ),
        "gelu of a sum": chain(
            [matrix, row], matrix, ("add", "%0, %1", ""), ("gelu", "%r0", 'approximate = "none"')
        ),
        "transpose": chain([matrix], turned, ("transpose", "%0", "permutation = array<i64: 1, 0>")),
        "heads": chain([features], heads, ("transpose", "%0", "permutation = array<i64: 0, 2, 1, 3>")),
        "sums of rows": chain([matrix], column, ("reduce_sum", "%0", OVER.format(1))),
        "sums of columns": chain([matrix], row, ("reduce_sum", "%0", OVER.format(0))),
    }


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a"])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", cases("f32"))
def test_global_memory_is_accessed_16_bytes_at_a_time(name: str, element: str, target: str) -> None:
    text = text_of(cases(element)[name]).replace(TARGET, str(parse_target(target)))
    ptx = compiled_kernel(text, target).image.decode()
    assert set(re.findall(r"\bld\.global\.(\S+)", ptx)) == WIDE
    # One element per row or column.
    results = ELEMENTS[element] if name.startswith("sums") else WIDE
    assert set(re.findall(r"\bst\.global\.(\S+)", ptx)) == results
    # There are no narrow copies into shared memory.
    assert "cp.async.ca" not in ptx
