"""Unique of bools, and along an axis of any length, against onnx's reference."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import parser
from onnx.reference import ReferenceEvaluator

import mlc


def model(rows: str, columns: str) -> onnx.ModelProto:
    return parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 21]>
        g (bool[{rows}, {columns}] x, float[{rows}, {columns}] y)
        => (bool[a] v, int64[a] i, int64[b] n, int64[a] c,
            bool[d, {columns}] rv, int64[d] ri, int64[{rows}] rn, int64[d] rc,
            float[{rows}, e] cv, int64[e] ci, int64[{columns}] cn, int64[e] cc)
        {{ v, i, n, c = Unique(x) rv, ri, rn, rc = Unique<axis = 0, sorted = 0>(x)
          cv, ci, cn, cc = Unique<axis = 1>(y) }}"""
    )


def check(proto: onnx.ModelProto, *shapes: tuple[int, int]) -> None:
    program = mlc.compile(proto, specialise="off")
    random = np.random.default_rng(0)
    for shape in shapes:
        x = random.integers(0, 2, shape)
        inputs = {"x": x.astype(bool), "y": x.astype(np.float32)}
        expected = ReferenceEvaluator(proto).run(None, inputs)
        for actual, wanted in zip(program.run(inputs).values(), expected, strict=True):
            np.testing.assert_array_equal(actual, wanted, strict=True)


def test_rows_without_elements() -> None:
    """They are equal: of as many as there are, one is left."""
    check(model("4", "0"), (4, 0))


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns"), [(7, 3), (0, 3)])
def test_known_dims(rows: int, columns: int) -> None:
    check(model(str(rows), str(columns)), (rows, columns))


@pytest.mark.slow
def test_dynamic_dims() -> None:
    check(model("rows", "columns"), (7, 3), (4, 0), (1, 0), (0, 3), (0, 0), (1, 1), (4, 1))
