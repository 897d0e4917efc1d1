"""Programs of named dims: right for every size, and one clear error for sizes that have no meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlc
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper


def program(
    op: str,
    inputs: Sequence[tuple[str, int, list[Any]]],
    rank: int,
    number: int = TensorProto.FLOAT,
    **attributes: Any,
) -> Any:
    """One node on inputs of these names, element types and dims, with a result of the type `number`."""
    nodes = [helper.make_node(op, [name for name, *_ in inputs], ["y"], name="node", **attributes)]
    infos = [helper.make_tensor_value_info(*each) for each in inputs]
    output = helper.make_tensor_value_info("y", number, [None] * rank)
    graph = helper.make_graph(nodes, "g", infos, [output])
    model: onnx.ModelProto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10
    )
    return mlc.compile(model)


def pair(op: str, **attributes: Any) -> Any:
    inputs = [(f"x{i}", TensorProto.FLOAT, [f"a{i}", f"b{i}"]) for i in range(2)]
    return program(op, inputs, 2, **attributes)


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def test_inner_dims_of_products_are_compared_when_it_runs() -> None:
    product = pair("MatMul")
    for rows, depth, columns in ((2, 3, 4), (0, 3, 1), (5, 0, 2)):
        np.testing.assert_array_equal(
            product(ones(rows, depth), ones(depth, columns))[0], np.full((rows, columns), depth, np.float32)
        )
    with pytest.raises(ValueError, match="matmul 'node': b0 must be a1, got 500 and 3"):
        product(ones(2, 500), ones(3, 4))


def test_concatenated_dims_are_compared_when_it_runs() -> None:
    concat = pair("Concat", axis=0)
    assert concat(ones(2, 4), ones(3, 4))[0].shape == (5, 4)
    with pytest.raises(ValueError, match="concat 'node': b0 must be b1, got 500 and 4"):
        concat(ones(2, 500), ones(3, 4))


def test_what_broadcasts_is_known_when_it_runs() -> None:
    add = pair("Add")
    for one, other in (((1, 4), (3, 1)), ((3, 4), (3, 4)), ((1, 1), (5, 2)), ((0, 4), (1, 1))):
        np.testing.assert_array_equal(add(ones(*one), ones(*other))[0], ones(*one) + ones(*other))
    with pytest.raises(ValueError, match="do not broadcast"):
        add(ones(2, 4), ones(3, 4))


@pytest.mark.parametrize("sizes", [(2**40, 2**40), (2**62, 4), (-2, -2), (-1, 3)])
def test_sizes_that_are_data_are_checked(sizes: tuple[int, int]) -> None:
    fill = program("ConstantOfShape", [("s", TensorProto.INT64, [2])], 2)
    assert fill(np.array([2, 3]))[0].shape == (2, 3)
    with pytest.raises(ValueError, match="negative"):
        fill(np.array(sizes))
    assert fill(np.array([0, 3]))[0].shape == (0, 3)


def test_large_dims_of_nothing_do_not_make_small_results() -> None:
    """2**60 sums of no number are more bytes than an int64_t counts."""
    total = program(
        "ReduceSum", [("x", TensorProto.FLOAT, ["a", "b"]), ("s", TensorProto.INT64, [1])], 1, keepdims=0
    )
    assert total(ones(3, 4), np.array([1]))[0].shape == (3,)
    with pytest.raises(ValueError, match="more memory than can be addressed"):
        total(np.zeros((2**60, 0), np.float32), np.array([1]))


def test_determinants_of_half_floats_of_any_size() -> None:
    """In f32, rounded once."""
    half = TensorProto.FLOAT16
    determinants = program("Det", [("x", half, ["count", "n", "n"])], 1, half)
    for count, size in ((3, 4), (1, 1), (2, 7)):
        x = np.random.default_rng(size).normal(size=(count, size, size)).astype(np.float16)
        expected = np.linalg.det(x.astype(np.float64))
        np.testing.assert_allclose(determinants(x)[0], expected.astype(np.float16), rtol=2e-3)
