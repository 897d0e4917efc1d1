"""Programs of named dims: right for every size, and one clear error for sizes that have no meaning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, parser

import mlc


def program(
    op: str,
    inputs: Sequence[tuple[str, int, list[Any]]],
    rank: int,
    element: int = TensorProto.FLOAT,
    **attributes: Any,
) -> Any:
    """One node on inputs of these names, element types and dims, with a result of the type `element`."""
    nodes = [helper.make_node(op, [name for name, *_ in inputs], ["y"], name="node", **attributes)]
    infos = [helper.make_tensor_value_info(*info) for info in inputs]
    output = helper.make_tensor_value_info("y", element, [None] * rank)
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


def fails(run: Any, message: str, *inputs: np.ndarray) -> None:
    """A call ends with exactly this message."""
    with pytest.raises(ValueError) as failure:
        run(*inputs)
    assert str(failure.value) == message


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
    fails(add, "expand 'node': a1 and a0 do not broadcast, got 3 and 2", ones(2, 4), ones(3, 4))


def test_sizes_that_are_data_are_checked() -> None:
    fill = program("ConstantOfShape", [("s", TensorProto.INT64, [2])], 2)
    assert fill(np.array([2, 3]))[0].shape == (2, 3)
    for sizes in (2**40, 2**40), (2**62, 4):
        fails(fill, f"full 'node': no memory can hold a tensor of shape {sizes}", np.array(sizes))
    fails(fill, "'node': s[0] must be at least 0, got -2 and 0", np.array([-2, -2]))
    fails(fill, "'node': s[1] must be at least 0, got -1 and 0", np.array([3, -1]))
    assert fill(np.array([0, 3]))[0].shape == (0, 3)


def test_a_kernel_of_several_nodes_is_called_by_the_last_one() -> None:
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 21]> g (int64[2] s, float[n] x) => (float[b, c] z)
        { y = Expand(x, s) z = Exp(y) }"""
    )
    expand = mlc.compile(model)
    wrong = "expand_exp 'Exp:z': no memory can hold a tensor of shape (1099511627776, 1099511627776)"
    fails(expand, wrong, np.array([2**40, 2**40]), ones(1))
    fails(expand, "'Expand:y': s[1] must be at least 0, got -1 and 0", np.array([3, -1]), ones(1))
    np.testing.assert_allclose(expand(np.array([2, 1]), ones(1))[0], np.exp(ones(2, 1)), rtol=1e-6)


def test_what_callers_read_of_the_sizes_of_outputs(tmp_path: Path) -> None:
    """A size is named after the dims of inputs that it follows from; else as the model declares it, if it
    does."""
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 21]> g (float[n, 4] x, int64[2] s)
        => (float[twice, 4] y, float[rows, c] e, float[rows, ?] t, int64[2, found] f) {
          y = Concat<axis = 0>(x, x) e = Expand(z, s) z = ReduceSum(x) f = NonZero(x)
          k = Shape(e) t = Expand(z, k)
        }"""
    )
    compiled = mlc.compile(model, cache=False)
    expected = [
        "y: float32[2*n,4]",
        "e: float32[rows,c]",
        "t: float32[rows,?]",
        "f: int64[2,found]",
    ]
    assert [str(spec) for spec in compiled.outputs] == expected
    compiled.save(tmp_path / "model.mlcx")
    assert [str(spec) for spec in mlc.load(tmp_path / "model.mlcx").outputs] == expected
    shapes = [output.shape for output in compiled(ones(3, 4), np.array([2, 5]))]
    assert shapes == [(6, 4), (2, 5), (2, 5), (2, 12)]


def test_sizes_of_too_many_dims_to_be_computed() -> None:
    """The message is cut."""
    fill = program("ConstantOfShape", [("s", TensorProto.INT64, [20])], 20)
    with pytest.raises(ValueError, match="full 'node': no memory can hold a tensor of shape") as failure:
        fill(np.full(20, 2**62))
    assert 255 < len(str(failure.value)) < 300


def test_large_dims_of_nothing_do_not_make_small_results() -> None:
    """2**60 sums of nothing are more bytes than an int64_t counts."""
    total = program(
        "ReduceSum", [("x", TensorProto.FLOAT, ["a", "b"]), ("s", TensorProto.INT64, [1])], 1, keepdims=0
    )
    assert total(ones(3, 4), np.array([1]))[0].shape == (3,)
    wrong = "reduce_sum 'node': no memory can hold a tensor of shape (1152921504606846976,)"
    fails(total, wrong, np.zeros((2**60, 0), np.float32), np.array([1]))


def test_parts_without_elements_have_dims_of_any_size_beside() -> None:
    parts = mlc.compile(
        parser.parse_model(
            """<ir_version: 10, opset_import: ["" : 21]> g (float[1, n] x) => (float[a, b] y, float[c, d] z)
            { sizes = Constant<value_ints = [1, 0]>() e = Exp(x) u, v = Split<axis = 0>(e, sizes)
              y = Neg(u) z = Neg(v) }"""
        )
    )
    for width in (3, 0):
        y, z = parts(ones(1, width))
        np.testing.assert_allclose(y, -np.exp(ones(1, width)), rtol=1e-6)
        assert z.shape == (0, width)


def test_determinants_of_half_floats_of_any_size() -> None:
    """In f32, rounded once."""
    half = TensorProto.FLOAT16
    determinants = program("Det", [("x", half, ["count", "n", "n"])], 1, half)
    for count, size in ((3, 4), (1, 1), (2, 7)):
        x = np.random.default_rng(size).normal(size=(count, size, size)).astype(np.float16)
        expected = np.linalg.det(x.astype(np.float64))
        np.testing.assert_allclose(determinants(x)[0], expected.astype(np.float16), rtol=2e-3)


@pytest.mark.parametrize("shape", [[0, 0, 4, 8], [0, -1, 4, 8], [-1, 0, 4, 8]], ids=str)
def test_tensors_without_elements_are_reshaped(shape: list[int]) -> None:
    """A dim that is given as 0 does not tell another from the count of elements; ONNX's 0 copies."""
    text = f"""<ir_version: 10, opset_import: ["" : 21]>
    g (float[batch, seq, 32] x) => (float[a, b, c, d] y)
    {{ shape = Constant<value_ints = {shape}>() e = Neg(x) y = Reshape(e, shape) }}"""
    reshaped = mlc.compile(parser.parse_model(text), dims={"batch": 0})
    assert reshaped(ones(0, 5, 32))[0].shape == (0, 5, 4, 8)
