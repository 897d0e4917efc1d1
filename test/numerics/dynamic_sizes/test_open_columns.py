"""Products along dynamic columns are right for full tiles, for parts of one, and for less than one."""

from __future__ import annotations

import numpy as np
import pytest
from control_models import info, model
from onnx import helper, numpy_helper
from oracle import Arrays, compile_model, differences, runtime

COLUMNS = (0, 1, 3, 4, 7, 15, 16, 17, 31, 32, 33, 50)
GENERATOR = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return GENERATOR.standard_normal(shape).astype(np.float32)


def products(rows: int) -> tuple[list, list, list]:
    weights = numpy_helper.from_array(normal(rows, 10))
    nodes = [
        helper.make_node("Constant", [], ["w"], value=weights),
        helper.make_node("MatMul", ["w", "x"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["y"]),
    ]
    return nodes, [info("x", [10, "n"]), info("b", ["n"])], [lambda n: normal(10, n), lambda n: normal(n)]


def scores() -> tuple[list, list, list]:
    nodes = [
        helper.make_node("Transpose", ["k"], ["t"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "t"], ["y"]),
    ]
    inputs = [info("q", ["b", 2, "m", 8]), info("k", ["b", 2, "n", 8])]
    return nodes, inputs, [lambda n: normal(2, 2, max(1, 20 - n), 8), lambda n: normal(2, 2, n, 8)]


CASES = {"one_row": products(1), "rows": products(7), "many_rows": products(53), "scores": scores()}


@pytest.mark.parametrize("name", CASES)
def test_open_columns(name: str) -> None:
    nodes, inputs, draws = CASES[name]
    built = model(nodes, inputs, [info("y", None)])
    executable = compile_model(built)
    for columns in COLUMNS:
        arrays: Arrays = {value.name: draw(columns) for value, draw in zip(inputs, draws, strict=True)}
        expected = runtime(built, arrays)
        assert expected is not None
        assert not differences(executable.run(arrays), expected, 1e-5), columns
