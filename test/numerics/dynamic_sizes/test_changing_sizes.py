"""Values that leave bodies of control flow with dynamic dims: the imported graph, evaluated in
NumPy, and the compiled model equal ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from control_models import BOOL, I64, body, info, model
from graph_evaluator import evaluate
from onnx import GraphProto, helper
from oracle import Arrays, compile_model, differences, runtime

from mlc.frontends.onnx import import_model

X = np.arange(1, 7, dtype=np.float32).reshape(3, 2)


def check(built: onnx.ModelProto, *runs: Arrays) -> None:
    """The imported model is right for each of the inputs, and so is the compiled one."""
    imported = import_model(built)
    assert imported.module.operation.verify()
    executable = compile_model(built)
    for inputs in runs:
        expected = runtime(built, inputs)
        assert expected is not None
        found = evaluate(imported.module, [inputs[name] for name in imported.inputs], imported.weights)
        for array, wanted in zip(found, expected.values(), strict=True):
            assert array.shape == wanted.shape
            np.testing.assert_allclose(array, wanted, 1e-6, 1e-6)
        assert not differences(executable.run(inputs), expected, 1e-6), inputs


def scalar(value: int | bool) -> np.ndarray:
    return np.asarray(value, np.bool_ if isinstance(value, bool) else np.int64)


def loop(graph: GraphProto, outputs: Sequence[str], condition: str = "") -> onnx.NodeProto:
    return helper.make_node("Loop", ["n", condition, "x"], list(outputs), body=graph)


@pytest.mark.parametrize("dims", [[3, 2], ["a", "b"]], ids=["known", "named"])
def test_branches_of_different_sizes(dims: list[int | str]) -> None:
    """Both results are used after it: one in a sum with itself, one in a product of known dims."""
    then = body("t () => (float[p,q] r, float[u,v] s) { r = Concat<axis = 0>(x, x) s = Exp(x) }")
    other = body("e () => (float[p,q] r, float[u,v] s) { r = Neg(x) s = Concat<axis = 0>(x, x, x) }")
    nodes = [
        helper.make_node("If", ["c"], ["r", "s"], then_branch=then, else_branch=other),
        helper.make_node("Add", ["r", "r"], ["y"]),
        helper.make_node("Transpose", ["s"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["s", "t"], ["z"]),
    ]
    built = model(
        nodes, [info("c", [], BOOL), info("x", dims)], [info("y", [None, None]), info("z", [None, None])]
    )
    check(built, *({"c": scalar(condition), "x": X} for condition in (True, False)))


def test_carried_value_that_grows() -> None:
    """Its rows are doubled in each iteration; another value with as many rows grows with it."""
    grows = body(
        "b (int64 i, bool c, float[p,q] a) => (bool c2, float[r,q] a2) {"
        " c2 = Identity(c) d = Concat<axis = 0>(a, a) a2 = Mul(d, d) }"
    )
    nodes = [loop(grows, ["a"]), helper.make_node("Exp", ["a"], ["y"])]
    built = model(nodes, [info("n", [], I64), info("x", [None, 2])], [info("y", [None, 2])])
    check(built, *({"n": scalar(count), "x": X / 10} for count in (0, 1, 3)))


def test_carried_value_whose_last_size_is_unused() -> None:
    """The body uses it, and says that it has two elements from the second iteration on."""
    iteration = body(
        "b (int64 i, bool c, float[p] a, float[q] e) => (bool c2, float[r] a2, float[s] e2) {"
        " c2 = Identity(c) a2 = Add(e, two) e2 = Add(a, two) }"
    )
    nodes = [helper.make_node("Loop", ["n", "", "x", "x"], ["y", "unused"], body=iteration)]
    two = {"two": np.array([1, 2], np.float32)}
    built = model(nodes, [info("n", [], I64), info("x", ["w"])], [info("y", [None])], two)
    check(built, *({"n": scalar(count), "x": X[0, :width]} for count in (1, 3) for width in (1, 2)))


_STACKS = (
    "b (int64 i, bool c, float[2] a) => (bool c2, float[2] a2, float[2] s, float t) {"
    " a2 = Add(a, a) s = Identity(a) t = ReduceSum<keepdims = 0>(a)"
)


@pytest.mark.slow
@pytest.mark.parametrize("dim", [2, "w"])
def test_stack_of_as_many_rows_as_the_run_says(dim: int | str) -> None:
    graph = body(_STACKS + " c2 = Identity(c) }")
    built = model(
        [loop(graph, ["a", "s", "t"]), helper.make_node("Neg", ["s"], ["y"])],
        [info("n", [], I64), info("x", [dim])],
        [info("a", [None]), info("y", [None, None]), info("t", [None])],
    )
    check(built, *({"n": scalar(count), "x": X[0]} for count in (1, 4)))


@pytest.mark.parametrize("trips", [pytest.param("n", marks=pytest.mark.slow), ""])
def test_stack_that_a_condition_ends(trips: str) -> None:
    """Without a trip count too, as exporters write loops with `while`."""
    graph = body(
        _STACKS + " limit = Constant<value = float {9}>() u = ReduceSum<keepdims = 0>(a2)"
        " c2 = Less(u, limit) }"
    )
    node = helper.make_node("Loop", [trips, "", "x"], ["a", "s", "t"], body=graph)
    built = model(
        [node, helper.make_node("Neg", ["s"], ["y"])],
        [info("n", [], I64), info("x", [2])],
        [info("a", [None]), info("y", [None, None]), info("t", [None])],
    )
    check(built, *({"n": scalar(count), "x": X[0]} for count in (1, 5)))


@pytest.mark.slow
def test_rows_of_a_stack_whose_dims_the_body_gives() -> None:
    graph = body(
        "b (int64 i, bool c, float[2] a) => (bool c2, float[2] a2, float[p] s) {"
        " c2 = Identity(c) a2 = Identity(a) one = Constant<value_ints = [1]>() k = Add(m, one)"
        " u = ReduceSum<keepdims = 1>(a) s = Expand(u, k) }"
    )
    built = model(
        [loop(graph, ["a", "s"])],
        [info("n", [], I64), info("x", [2]), info("m", [1], I64)],
        [info("a", [None]), info("s", [None, None])],
    )
    check(built, *({"n": scalar(3), "x": X[0], "m": np.array([m])} for m in (0, 3)))


@pytest.mark.slow
def test_loop_in_a_loop_that_grows() -> None:
    inner = body(
        "i (int64 j, bool d, float[p] b) => (bool d2, float[q] b2) {"
        " d2 = Identity(d) b2 = Concat<axis = 0>(b, x) }"
    )
    outer = body(
        "o (int64 i, bool c, float[p] a) => (bool c2, float[q] a2) {"
        " c2 = Identity(c) yes = Constant<value = bool {1}>() a2 = Neg(a) }"
    )
    outer.node.insert(2, helper.make_node("Loop", ["i", "", "a"], ["grown"], body=inner))
    outer.node[3].input[0] = "grown"
    built = model([loop(outer, ["y"])], [info("n", [], I64), info("x", [2])], [info("y", [None])])
    check(built, *({"n": scalar(count), "x": X[0]} for count in (1, 3)))


def test_branches_that_give_one_element_of_other_ranks() -> None:
    """A scalar, or a vector of one element, that is broadcast afterwards."""
    then = body("t () => (float r) { r = Constant<value = float {0}>() }")
    other = body("e () => (float[1] r) { r = ReduceSum(v, axes) }")
    nodes = [
        helper.make_node("If", ["c"], ["r"], then_branch=then, else_branch=other),
        helper.make_node("Add", ["x", "r"], ["y"]),
    ]
    inputs = [info("c", [], BOOL), info("x", [3, 2]), info("v", [4])]
    built = model(nodes, inputs, [info("y", [3, 2])], {"axes": np.array([0])})
    v = np.arange(4, dtype=np.float32)
    check(built, *({"c": scalar(condition), "x": X, "v": v} for condition in (True, False)))


def test_squeezed_dynamic_dims() -> None:
    nodes = [helper.make_node("Squeeze", ["x"], ["s"], name="short"), helper.make_node("Exp", ["s"], ["y"])]
    built = model(nodes, [info("x", ["a", 1, "b", 1])], [info("y", None)])
    check(built, {"x": X.reshape(3, 1, 2, 1)}, {"x": X.reshape(2, 1, 3, 1)})
    # The result would have one dim less.
    with pytest.raises(ValueError, match=r"reshape 'short': a\*b must be .*, got 6 and 0"):
        compile_model(built).run({"x": X.reshape(1, 1, 6, 1)})


@pytest.mark.parametrize("dims", [[3, 2], ["a", 2]], ids=["known", "named"])
def test_dims_that_a_shape_cannot_change(dims: list[int | str]) -> None:
    """The last dim of the result is known, whatever the shape says."""
    built = model(
        [helper.make_node("Expand", ["x", "s"], ["y"])],
        [info("x", dims), info("s", [3], I64)],
        [info("y", [None] * 3)],
    )
    check(built, *({"x": X, "s": np.array(shape)} for shape in ([2, 3, 2], [1, 1, 1], [4, 3, 1])))
    with pytest.raises(ValueError, match=r"Expand 'y': \[.*, 2\] does not broadcast to the shape in 's'"):
        compile_model(built).run({"x": X, "s": np.array([1, 1, 6])})


def test_constant_in_a_shape_that_is_read() -> None:
    """A view of a small constant: kernels and callers read a buffer, which the constant has not."""
    nodes = [
        helper.make_node("Constant", [], ["c"], value_floats=[1.0, 2.0, 3.0, 4.0]),
        helper.make_node("Reshape", ["c", "s"], ["r"]),
        helper.make_node("MatMul", ["r", "x"], ["y"]),
    ]
    built = model(
        nodes,
        [info("s", [2], I64), info("x", ["k", 2])],
        [info("y", [None, 2]), info("r", [None, None])],
    )
    check(built, {"s": np.array([2, 2]), "x": X[:2]}, {"s": np.array([4, 1]), "x": X[:1]})


def test_padding_to_another_size_keeps_the_channels() -> None:
    """Pads a decoded image to the size of an encoded one, as networks do: channels get nothing."""
    nodes = [
        helper.make_node("Constant", [], ["none"], value_ints=[0, 0]),
        *(helper.make_node("Shape", [name], [f"{name}_size"], start=2) for name in ("x", "z")),
        helper.make_node("Sub", ["z_size", "x_size"], ["more"]),
        helper.make_node("Concat", ["none", "none", "none", "more"], ["pads"], axis=0),
        helper.make_node("Pad", ["x", "pads"], ["y"]),
    ]
    built = model(
        nodes, [info("x", ["n", 3, "h", "w"]), info("z", ["n", 3, "i", "j"])], [info("y", [None] * 4)]
    )
    assert "tensor<?x3x?x?xf32>" in str(import_model(built).module).rpartition("return")[2]
    images = [np.ones((2, 3, *size), np.float32) for size in ((4, 5), (6, 5), (3, 7))]
    check(built, *({"x": images[0], "z": other} for other in images))


def test_filters_give_known_channels() -> None:
    """The channels of the image are an open dim: a convolution of known filters has known ones."""
    filters = np.ones((8, 3, 3, 3), np.float32)
    nodes = [
        helper.make_node("Constant", [], ["f"], value=onnx.numpy_helper.from_array(filters)),
        helper.make_node("Conv", ["x", "f"], ["y"]),
    ]
    built = model(nodes, [info("x", ["n", "c", "h", "w"])], [info("y", [None] * 4)])
    assert "tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>" in str(import_model(built).module)
    check(built, {"x": np.ones((2, 3, 5, 4), np.float32)}, {"x": np.ones((1, 3, 9, 16), np.float32)})
    shapes = r"input 0 \('x'\) has the shape \[n, c, h, w\], not \[n, 3, h, w\]"
    wrong = rf"^Conv 'Conv:y': {shapes}: c must be 3, got 4 and 3$"
    with pytest.raises(ValueError, match=wrong):
        compile_model(built).run({"x": np.ones((1, 4, 5, 5), np.float32)})


def test_rows_without_elements() -> None:
    """LayerNormalization has no mean of nothing: the call fails, as the import does for known dims."""
    node = helper.make_node("LayerNormalization", ["x", "scale"], ["y"], axis=1)
    built = model([node], [info("x", ["n", "rows", 4]), info("scale", [1])], [info("y", ["n", "rows", 4])])
    check(built, {"x": np.ones((2, 3, 4), np.float32), "scale": np.ones(1, np.float32)})
    wrong = r"^LayerNormalization .*: the rows of x of shape \[n, rows, 4\] have no elements: rows must be"
    with pytest.raises(ValueError, match=wrong):
        compile_model(built).run({"x": np.ones((2, 0, 4), np.float32), "scale": np.ones(1, np.float32)})


def test_rotations_need_a_column_for_each_pair() -> None:
    """Tables that have columns for more elements than the open head size fail the call."""
    node = helper.make_node("RotaryEmbedding", ["x", "cosines", "sines"], ["y"])
    tables = [info(name, ["b", "s", "columns"]) for name in ("cosines", "sines")]
    shape = ["b", "n", "s", "d"]
    built = model([node], [info("x", shape), *tables], [info("y", shape)])
    built.opset_import[0].version = 23

    def call(size: int, columns: int) -> Arrays:
        table = np.full((1, 2, columns), 0.5, np.float32)
        return {"x": np.ones((1, 3, 2, size), np.float32), "cosines": table, "sines": table}

    compile_model(built).run(call(4, 2))
    with pytest.raises(
        ValueError, match=r"input 1 \('cosines'\) .*: columns must be floordiv\(d, 2\), got 2 and 1"
    ):
        compile_model(built).run(call(2, 2))
