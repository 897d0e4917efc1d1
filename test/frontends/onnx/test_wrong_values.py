"""Wrong dynamic axes, steps, counts and lengths raise one ValueError that names the node."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from numpy.typing import ArrayLike
from onnx import helper, parser
from onnx.reference import ReferenceEvaluator

import mlc
from mlc.frontends.errors import ModelError

HEAD = '<ir_version: 10, opset_import: ["" : 23]>\n'
# Single precision of the sums of a few small integers is exact, so results are compared bit by bit.
X = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
AXIS = "an axis is outside of [-2, 1]"
NEW = "an axis is outside of [-3, 2]"
TWICE = "the axes name an axis twice"
BINS = "frequencies reach beyond the bins of the transform"
K = "k is larger than the dim of axis 1"
PARTS = "the parts do not make up the dim of axis 1"
PADS = "negative pads take more elements than there are along an axis"
DECLARED = "'s' does not hold 2 integers, and a result of rank 2 is declared"
Wrong = tuple[ArrayLike, str]
# The graph; values of `s` that it takes, and others with what is wrong with them.
CASES: dict[str, tuple[str, list[ArrayLike], list[Wrong]]] = {
    "TopK": (
        "(float[n,m] x, int64[1] s) => (float[n,q] y) { y, i = TopK<axis=1>(x, s) }",
        [[4], [0]], [([5], K), ([1 << 40], K)],
    ),
    "TopK of sizes": (
        "(float[n,m] x, float[k] s) => (float[n,k] y) { z = Shape(s) y, i = TopK<axis=1>(x, z) }",
        [[1, 2, 3, 4], [1]], [([1, 2, 3, 4, 5], K)],
    ),
    "Split": (
        "(float[n,m] x, int64[2] s) => (float[n,p] y, float[n,q] z) { y, z = Split<axis=1>(x, s) }",
        [[1, 3], [0, 4]],
        [([1, 2], PARTS), ([2, 4], PARTS)],
    ),
    "ReduceSum": (
        "(float[n,m] x, int64[k] s) => (float[p,q] y) { y = ReduceSum(x, s) }",
        [[0], [-2], [1, 0], []], [([2], AXIS), ([-3], AXIS), ([0, 2], AXIS), ([1 << 40], AXIS)],
    ),
    "ReduceMax": (
        "(float[n,m] x, int64[1] s) => (float[p] y) { y = ReduceMax<keepdims=0>(x, s) }",
        [[1], [-1]], [([2], AXIS), ([-3], AXIS)],
    ),
    "CumSum": (
        "(float[3,4] x, int64 s) => (float[3,4] y) { y = CumSum(x, s) }", [1, -2], [(2, AXIS), (-3, AXIS)]
    ),
    "Unsqueeze": (
        "(float[n,m] x, int64[1] s) => (float[p,q,r] y) { y = Unsqueeze(x, s) }",
        [[2], [-3]], [([3], NEW), ([-4], NEW)],
    ),
    "Squeeze": (
        "(float[n,m] x, int64[1] s) => (float[p] y) { y = Squeeze(x, s) }", [], [([2], AXIS), ([-3], AXIS)]
    ),
    "Slice": (
        "(float[n,m] x, int64[1] s) => (float[p,q] y) {"
        " o = Constant<value_ints=[1]>() e = Constant<value_ints=[3]>() y = Slice(x, o, e, s, o) }",
        [[1], [-2]], [([2], AXIS), ([-3], AXIS)],
    ),
    "Slice axes": (
        "(float[n,m] x, int64[2] s) => (float[p,q] y) {"
        " o = Constant<value_ints=[0, 1]>() e = Constant<value_ints=[2, 3]>() y = Slice(x, o, e, s) }",
        [[0, 1], [-1, 0]], [([0, 0], TWICE), ([1, -1], TWICE)],
    ),
    "Unsqueeze twice": (
        "(float[n,m] x, int64[2] s) => (float[p,q,r,t] y) { y = Unsqueeze(x, s) }",
        [[0, 1], [3, 1]], [([2, 2], TWICE), ([0, -4], TWICE)],
    ),
    "Squeeze twice": (
        "(float[n,m] x, int64[2] s) => (float[p] y) {"
        " o = Constant<value_ints=[0]>() z = ReduceSum(x, o) u = Unsqueeze(z, o) y = Squeeze(u, s) }",
        [[0, 1], [-2, 0]], [([0, 0], TWICE), ([1, -2], TWICE)],
    ),
    "Pad axes twice": (
        "(float[n,m] x, int64[2] s) => (float[p,q] y) {"
        " a = Constant<value_ints=[1, 2, 0, 1]>() y = Pad(x, a, , s) }",
        [[0, 1], [1, -2]], [([0, 0], TWICE), ([1, -1], TWICE)],
    ),
    "Slice steps": (
        "(float[n,m] x, int64[2] s) => (float[p,q] y) {"
        " o = Constant<value_ints=[0, 1]>() e = Constant<value_ints=[3, 3]>() y = Slice(x, o, e, o, s) }",
        [[1, 2]], [([1, 0], "a step is 0")],
    ),
    "Pad": (
        "(float[n,m] x, int64[4] s) => (float[p,q] y) { y = Pad(x, s) }",
        [[2, 0, 0, 1]],
        [([-4, 0, 0, 0], PADS),
         ([0, -3, 0, -2], PADS), ([-4, 0, 9, 0], PADS)],
    ),
    "Pad axes": (
        "(float[n,m] x, int64[1] s) => (float[p,q] y) {"
        " a = Constant<value_ints=[1, 2]>() y = Pad(x, a, , s) }", [[1], [-2]], [([2], AXIS), ([-3], AXIS)],
    ),
    "Range": (
        "(int64 s) => (int64[p] y) {"
        " o = Constant<value_int=1>() e = Constant<value_int=7>() y = Range(o, e, s) }",
        [2, -1], [(0, "delta is 0")],
    ),
    "MelWeightMatrix": (
        "(float s) => (float[p,q] y) { c = Constant<value_int=8>() n = Constant<value_int=16>()"
        " r = Constant<value_int=8192>() z = Constant<value_float=0.0>()"
        " y = MelWeightMatrix(c, n, r, z, s) }",
        [4096, 2000], [(np.inf, BINS), (20000, BINS)],
    ),
    "ConstantOfShape": (
        "(int64[k] s) => (float[p,q] y) { y = ConstantOfShape(s) }", [[2, 3], [0, 1]], [([2, 3, 4], DECLARED)]
    ),
    "ConstantOfShape of a scalar": (
        "(int64[k] s) => (float y) { y = ConstantOfShape(s) }",
        [[]], [([2], "'s' does not hold 0 integers, and a result of rank 0 is declared")],
    ),
    "Reshape": (
        "(float[n,m] x, int64[k] s) => (float[p,q] y) { y = Reshape(x, s) }",
        [[2, 6], [-1, 3]], [([2, 2, 3], DECLARED)],
    ),
    "Expand": (
        "(float[n,m] x, int64[k] s) => (float[p,q] y) { y = Expand(x, s) }",
        [[3, 1], [1]], [([2, 3, 4], "'s' holds more than 2 integers, and a result of rank 2 is declared")],
    ),
}  # fmt: skip

# What make check runs of these; all sizes of the first are known.
QUICK = ("CumSum", "Slice axes", "Slice steps")


def _feeds(model: onnx.ModelProto, s: ArrayLike) -> dict[str, np.ndarray]:
    onnx_types = {
        graph_input.name: graph_input.type.tensor_type.elem_type for graph_input in model.graph.input
    }
    dtype = helper.tensor_dtype_to_np_dtype(onnx_types["s"])
    feeds = {"x": X, "s": np.array(s, dtype)}
    return {name: feeds[name] for name in onnx_types}


@pytest.mark.parametrize(
    "name", [case if case in QUICK else pytest.param(case, marks=pytest.mark.slow) for case in CASES]
)
def test_wrong_values(name: str) -> None:
    text, right, wrong = CASES[name]
    model = parser.parse_model(f"{HEAD}g {text}")
    program, reference = mlc.compile(model, specialise="off"), ReferenceEvaluator(model)
    for s in right:
        feeds = _feeds(model, s)
        expected = reference.run(None, feeds)
        for one, other in zip(program.run(feeds).values(), expected, strict=True):
            np.testing.assert_array_equal(one, other)
    for s, message in wrong:
        with pytest.raises(ValueError) as failure:
            program.run(_feeds(model, s))
        assert str(failure.value) == f"{name.partition(' ')[0]} 'y': {message}"


@pytest.mark.slow
def test_pads_that_take_all() -> None:
    text, _, _ = CASES["Pad"]
    model = parser.parse_model(f"{HEAD}g {text}")
    program = mlc.compile(model, specialise="off")
    for pads, expected in (
        ([-3, 0, 0, 0], X[3:]),
        ([-1, -1, -2, -1], X[1:1, 1:3]),
        ([0, -1, -1, -3], X[:2, 1:1]),
    ):
        np.testing.assert_array_equal(program.run(_feeds(model, pads))["y"], expected)


RANGES = [(0, 1, 0, "delta is 0")] + [
    (*values, "the number of elements is not finite")
    for values in ((np.nan, 1, 1), (0, np.inf, 1), (0, 1, np.nan))
]


@pytest.mark.slow
def test_ranges_of_floats() -> None:
    program = mlc.compile(
        parser.parse_model(f"{HEAD}g (float a, float b, float c) => (float[k] y) {{ y = Range(a, b, c) }}"),
        specialise="off",
    )
    result = program.run({"a": np.float32(5), "b": np.float32(0), "c": np.float32(-2)})
    assert result["y"].tolist() == [5, 3, 1]
    for *bounds, message in RANGES:
        with pytest.raises(ValueError) as failure:
            program.run(dict(zip("abc", map(np.float32, bounds), strict=True)))
        assert str(failure.value) == f"Range 'y': {message}"


def test_a_known_k_beyond_a_dim() -> None:
    text = "(float[n,m] x) => (float[n,q] y) { k = Constant<value_ints=[5]>() y, i = TopK(x, k) }"
    program = mlc.compile(parser.parse_model(f"{HEAD}g {text}"), specialise="off")
    with pytest.raises(ValueError) as failure:
        program.run({"x": X})
    assert str(failure.value) == (
        "slice 'TopK:y': it takes elements after the last one: m must be at least 5, got 4 and 5"
    )


@pytest.mark.slow
def test_known_parts_of_a_dim_of_any_size() -> None:
    text = "(float[n,m] x) => (float[n,p] y, float[n,q] z) { y, z = Split<axis=1>(x, s) }"
    text = text.replace("{", "{ s = Constant<value_ints=[1, 3]>()")
    program = mlc.compile(parser.parse_model(f"{HEAD}g {text}"), specialise="off")
    assert [value.shape for value in program.run({"x": X}).values()] == [(3, 1), (3, 3)]
    with pytest.raises(ValueError) as failure:
        program.run({"x": np.ones((2, 5), np.float32)})
    assert str(failure.value) == "reshape 'Split:y': m*n must be 4*n, got 10 and 8"


def test_a_check_that_never_holds_is_refused_at_import() -> None:
    text = (
        "(int64[4] x, int64[1] s) => (int64[p] y) { e = Constant<value_ints=[0]>() y = Slice(x, s, s, e, e) }"
    )
    with pytest.raises(ModelError, match="a step is 0"):
        mlc.compile(parser.parse_model(f"{HEAD}g {text}"))
