"""Sequences and optionals inside a graph compute what ONNX's reference says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from control_models import BOOL, I64, body, info, model
from graph_evaluator import evaluate
from onnx import NodeProto, helper, parser
from onnx.reference import ReferenceEvaluator
from oracle import Arrays

from mlc import compile
from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

RNG = np.random.default_rng(11)
X = RNG.uniform(-1, 1, (4, 3)).astype(np.float32)


def nodes(text: str) -> list[NodeProto]:
    """Nodes in ONNX's text syntax."""
    return list(parser.parse_graph(f"g () => () {{ {text} }}").node)


def build(text: str, outputs: Sequence[str], dims: Sequence[int | str] = (4, 3)) -> onnx.ModelProto:
    inputs = [info("x", dims), info("y", dims), info("at", [], I64), info("c", [], BOOL), info("n", [3], I64)]
    constants = {"one": np.array(1, np.int64), "minus": np.array(-1, np.int64)}
    results = [helper.make_tensor_value_info(name, 7 if name == "k" else 1, None) for name in outputs]
    return model(nodes(text), inputs, results, constants)


def inputs_of(at: int = 0, condition: bool = True) -> Arrays:
    arrays = {"x": X, "y": X + 1, "at": np.array(at), "c": np.array(condition)}
    return {**arrays, "n": np.array([2, 0, 2])}


def check_compiled(made: onnx.ModelProto, at: int) -> None:
    """Compares with the reference evaluator; `at` is a dynamic index."""
    inputs = inputs_of(at)
    found = compile(made).run(inputs).values()
    for array, wanted in zip(found, ReferenceEvaluator(made).run(None, inputs), strict=True):
        assert array.shape == np.shape(wanted)
        np.testing.assert_allclose(array, wanted, 1e-6, 1e-6)


def check(
    made: onnx.ModelProto, condition: bool = True, expected: Sequence[np.ndarray] | None = None
) -> None:
    inputs = inputs_of(condition=condition)
    wanted_values = list(ReferenceEvaluator(made).run(None, inputs)) if expected is None else expected
    imported = import_model(made)
    assert imported.module.operation.verify()
    found = evaluate(imported.module, [inputs[name] for name in imported.inputs], imported.weights)
    for array, wanted in zip(found, wanted_values, strict=True):
        assert array.shape == np.shape(wanted)
        np.testing.assert_allclose(array, wanted, 1e-6, 1e-6)


@pytest.mark.parametrize("position", ["one", "minus"])
@pytest.mark.parametrize("dims", [(4, 3), ("a", "b")], ids=["known", "named"])
def test_values_that_come_and_go(position: str, dims: Sequence[int | str]) -> None:
    text = (
        f"a = SequenceConstruct(x, y) b = SequenceInsert(a, y, {position}) d = SequenceInsert(b, x)"
        f" e = SequenceErase(d, {position}) f = SequenceErase(e) k = SequenceLength(f)"
        f" z = SequenceAt(e, {position}) w = ConcatFromSequence<axis = -1>(d)"
        " v = ConcatFromSequence<axis = -1, new_axis = 1>(f)"
    )
    check(build(text, ["k", "z", "w", "v"], dims))


@pytest.mark.parametrize("at", [0, 1, -1])
@pytest.mark.parametrize("dims", [(4, 3), ("a", "b")], ids=["known", "named"])
@pytest.mark.parametrize("attributes", ["axis = 0", "axis = 1, keepdims = 0"])
def test_parts_of_one_element(attributes: str, dims: Sequence[int | str], at: int) -> None:
    text = f"s = SplitToSequence<{attributes}>(x) k = SequenceLength(s) z = SequenceAt(s, at)"
    check_compiled(build(text, "kz", dims), at)


@pytest.mark.parametrize("at", [0, 1, -1])
def test_parts_as_long_as_the_run_says(at: int) -> None:
    text = "s = SplitToSequence(x, n) k = SequenceLength(s) z = SequenceAt(s, at)"
    check_compiled(build(text, "kz", ("a", 3)), at)


# `torch.repeat_interleave(x, times, 0)` as PyTorch exports it.
REPEAT = """<ir_version: 8, opset_import: ["" : 17]>
g (float[n,4] x, int64[n] times) => (float[m,4] y)
<int64[1] one = {1}, int64[1] four = {4}, int64[2] flat = {-1, 4}> {
  s = Shape(times) ones = ConstantOfShape<value = int64[1] {1}>(s)
  rows = SplitToSequence<axis = 0>(x, ones) counts = SplitToSequence<axis = 0>(times, ones)
  k = SequenceLength(rows) yes = Constant<value = bool {1}>() e = SequenceEmpty()
  all = Loop(k, yes, e) <body = b (int64 i, bool c, seq(float[]) given) => (bool d, seq(float[]) more) {
    r = SequenceAt(rows, i) t = SequenceAt(counts, i) u = Unsqueeze(r, one)
    shape = Concat<axis = 0>(one, t, four) v = Expand(u, shape) w = Reshape(v, flat)
    more = SequenceInsert(given, w) d = Identity(c)
  }>
  y = ConcatFromSequence<axis = 0>(all)
}"""


def test_rows_repeated_as_often_as_the_run_says() -> None:
    program = compile(parser.parse_model(REPEAT))
    x = RNG.uniform(-1, 1, (4, 4)).astype(np.float32)
    for times in ([2, 0, 3, 1], [1, 1, 1, 0]):
        found = program.run({"x": x, "times": np.array(times)})["y"]
        np.testing.assert_array_equal(found, np.repeat(x, times, 0))


def test_parts_of_two_elements() -> None:
    text = (
        "t = Constant<value_int = 3>() s = SplitToSequence(x, t) z = SequenceAt(s, one) k = SequenceLength(s)"
    )
    check(build(text, "zk"))


def test_a_body_for_each_position() -> None:
    graph = body(
        "b (float[p,q] u, float[p,q] v) => (float[p,q] s, float[p] t) { s = Mul(u, v) t = ReduceSum(u, o) }"
    )
    graph.node.insert(0, helper.make_node("Constant", [], ["o"], value_ints=[1]))
    made = build(
        "a = SequenceConstruct(x, y) z = SequenceAt(s, minus) w = ConcatFromSequence<axis = 0>(t)", "zw"
    )
    node = helper.make_node("SequenceMap", ["a", "y"], ["s", "t"], body=graph)
    made.graph.node.insert(1, node)
    check(made)


@pytest.mark.parametrize("condition", [True, False])
def test_sequences_of_branches(condition: bool) -> None:
    then = parser.parse_graph("t () => (seq(float[4,3]) s) { s = SequenceConstruct(x, y) }")
    other = parser.parse_graph("e () => (seq(float[4,3]) s) { d = Neg(x) s = SequenceConstruct(d, x) }")
    made = build("z = ConcatFromSequence<axis = 0>(s)", "z")
    made.graph.node.insert(0, helper.make_node("If", ["c"], ["s"], then_branch=then, else_branch=other))
    check(made, condition=condition)


def test_optionals() -> None:
    text = (
        "a = Optional(x) b = OptionalHasElement(a) z = OptionalGetElement(a)"
        " e = SequenceConstruct(x, y) d = Optional(e) f = OptionalGetElement(d) k = SequenceLength(f)"
    )
    # The reference gives a list of the element.
    check(build(text, "zk"), expected=[X, np.array(2)])


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("z = SequenceConstruct(x)", "output 'z' is declared as float32, but is sequence(float32)"),
        ("a = SequenceConstruct(x) z = Neg(a)", "input 0 is a sequence, which this operator does not take"),
        ("a = SequenceConstruct(x) z = SequenceAt(a, one)", "position 1 is outside a sequence of 1 values"),
        ("a = Optional<type = float[2]>() z = OptionalGetElement(a)", "its optional has no element"),
        ("a = SequenceEmpty() z = ConcatFromSequence<axis = 0>(a)", "its sequence is empty"),
        ("a = SequenceConstruct(x, n) z = SequenceAt(a, at)", "of different types: float32 and int64"),
    ],
)
def test_what_is_refused(text: str, cause: str) -> None:
    with pytest.raises(ModelError) as failure:
        import_model(build(text, "z"))
    assert cause in str(failure.value)
