"""If, Loop and Scan compute what ONNX Runtime says, whatever course a run takes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from control_models import BOOL, I64, body, info, model
from onnx import helper
from oracle import Arrays, compile_model, differences, runtime

from mlc.frontends.errors import ModelError

RNG = np.random.default_rng(3)
X = RNG.uniform(-1, 1, (2, 3)).astype(np.float32)


def check(built: onnx.ModelProto, *runs: Arrays, tolerance: float = 1e-5) -> None:
    """One executable, run with each of the inputs."""
    executable = compile_model(built)
    for inputs in runs:
        expected = runtime(built, inputs)
        assert expected is not None
        assert not differences(executable.run(inputs), expected, tolerance), inputs


def _boolean(value: bool) -> np.ndarray:
    return np.asarray(value)


def _count(value: int) -> np.ndarray:
    return np.asarray(value, np.int64)


def test_branches_that_compute_that_pass_on_and_that_are_constants() -> None:
    then = body(
        "t () => (float[2,3] a, float[2,3] b, float[2] c) {"
        " s = Add(x, y) a = Exp(s) b = Identity(x) c = Constant<value = float[2] {1, 2}>() }"
    )
    other = body(
        "e () => (float[2,3] a, float[2,3] b, float[2] c) {"
        " a = Neg(x) b = MatMul(x, w) c = Constant<value = float[2] {3, 4}>() }"
    )
    nodes = [
        helper.make_node("Mul", ["x0", "x0"], ["x"]),
        helper.make_node(
            "If", ["condition"], ["a", "b", "c"], name="choice", then_branch=then, else_branch=other
        ),
        helper.make_node("Add", ["b", "y"], ["d"]),
    ]  # fmt: skip
    built = model(
        nodes,
        [info("condition", [], BOOL), info("x0", [2, 3]), info("y", [2, 3])],
        [info("a", None), info("d", None), info("c", None)],
        {"w": RNG.uniform(-1, 1, (3, 3)).astype(np.float32)},
    )
    check(built, *({"condition": _boolean(value), "x0": X, "y": X + 1} for value in (True, False)))


def test_carried_values_that_are_exchanged() -> None:
    """A Fibonacci sequence, a value that is carried as it was before, one that stays, and the iteration."""
    loop = body(
        "b (int64 i, bool c, float[2,3] a, float[2,3] b, float[2,3] k) =>"
        " (bool c2, float[2,3] b2, float[2,3] s, float[2,3] k2, float[2,3] old, int64 j)"
        " { c2 = Identity(c) b2 = Identity(b) s = Add(a, b) k2 = Identity(k) old = Identity(a)"
        " j = Identity(i) }"
    )
    node = helper.make_node(
        "Loop", ["n", "", "x", "y", "x"], ["u", "v", "w", "stack", "iterations"], name="loop", body=loop
    )
    built = model(
        [node],
        [info("x", [2, 3]), info("y", [2, 3])],
        [
            info("u", None),
            info("v", None),
            info("w", None),
            info("stack", None),
            info("iterations", None, I64),
        ],
        {"n": _count(5)},
    )
    check(built, {"x": X, "y": X + 1})


def test_a_loop_whose_body_says_when_it_ends() -> None:
    loop = body(
        "b (int64 i, bool c, float[2,3] a) => (bool c2, float[2,3] a2) {"
        " a2 = Mul(a, two) s = ReduceSum<keepdims = 0>(a2) c2 = Less(s, limit) }"
    )
    node = helper.make_node("Loop", ["n", "c", "x"], ["y"], name="loop", body=loop)
    built = model(
        [node],
        [info("n", [], I64), info("c", [], BOOL), info("x", [2, 3]), info("limit", [])],
        [info("y", None)],
        {"two": np.float32(2)},
    )
    runs = [
        (9, True, 50.0),
        (2, True, 50.0),
        (0, True, 50.0),
        (-1, True, 50.0),
        (9, False, 50.0),
        (9, True, 0.0),
    ]
    check(
        built,
        *(
            {"n": _count(n), "c": _boolean(c), "x": np.abs(X), "limit": np.asarray(limit, np.float32)}
            for n, c, limit in runs
        ),
    )  # fmt: skip


def test_rows_of_what_is_around_and_loops_in_loops() -> None:
    inner = body(
        "b (int64 j, bool d, float[3] t) => (bool d2, float[3] t2, float[3] r) {"
        " d2 = Identity(d) row = Gather(m, j) u = Add(row, a) t2 = Add(t, u) r = Exp(t2) }"
    )
    outer = body(
        "b (int64 i, bool c, float[3] a) => (bool c2, float[3] a2, float[4,3] rows) {"
        " c2 = Identity(c) z = Gather(m, i) }"
    )
    outer.node.append(helper.make_node("Loop", ["four", "", "z"], ["a2", "rows"], name="inner", body=inner))
    node = helper.make_node("Loop", ["two", "", "first"], ["y", "all"], name="outer", body=outer)
    built = model(
        [node],
        [info("m", [4, 3]), info("first", [3])],
        [info("y", None), info("all", None)],
        {"two": _count(2), "four": _count(4)},
    )
    values = RNG.uniform(-1, 1, (4, 3)).astype(np.float32)
    check(built, {"m": values, "first": values[0] * 0.5})


def test_a_choice_in_a_loop() -> None:
    then = body("t () => (float[2,3] r) { r = MatMul(a, w) }")
    other = body("e () => (float[2,3] r) { r = Identity(a) }")
    loop = body("b (int64 i, bool c, float[2,3] a) => (bool c2, float[2,3] r, float[2,3] q) {"
                " c2 = Identity(c) odd = Mod(i, two) which = Cast<to = 9>(odd) q = Relu(a) }")  # fmt: skip
    choice = helper.make_node("If", ["which"], ["r"], name="choice", then_branch=then, else_branch=other)
    loop.node.append(choice)
    node = helper.make_node("Loop", ["n", "", "x"], ["y", "stack"], name="loop", body=loop)
    built = model(
        [node],
        [info("x", [2, 3]), info("w", [3, 3])],
        [info("y", None), info("stack", None)],
        {"n": _count(4), "two": _count(2)},
    )
    check(built, {"x": X, "w": RNG.uniform(-1, 1, (3, 3)).astype(np.float32)})


def test_declared_rows_where_only_the_run_knows_the_trip_count() -> None:
    loop = body(
        "b (int64 i, bool c, float[2] a) => (bool c2, float[2] a2, float[2] s) {"
        " c2 = Identity(c) a2 = Add(a, a) s = Identity(a2) }"
    )
    nodes = [
        helper.make_node("Loop", ["n", "c", "x"], ["y", "scanned"], name="loop", body=loop),
        helper.make_node("Identity", ["scanned"], ["stack"]),
    ]
    inputs = [info("n", [], I64), info("c", [], BOOL), info("x", [2])]
    built = model(nodes, inputs, [info("y", None), info("stack", [3, 2])])
    x = np.array([1, 2], np.float32)
    check(built, {"n": _count(3), "c": _boolean(True), "x": x})
    # What the model declared wrongly writes nothing that is not its own.
    found = compile_model(built).run({"n": _count(7), "c": _boolean(True), "x": x})
    np.testing.assert_array_equal(found["y"], x * 128)
    np.testing.assert_array_equal(found["stack"], np.stack([x * 2, x * 4, x * 128]))


@pytest.mark.slow
def test_scan_along_axes_and_backwards() -> None:
    step = body(
        "b (float[2] s, float[2] p, float[3] q) => (float[2] s2, float[2] o, float[3] r) {"
        " s2 = Add(s, p) o = Mul(s2, p) r = Exp(q) }"
    )
    node = helper.make_node(
        "Scan", ["s", "p", "q"], ["end", "o", "r"], name="scan", body=step, num_scan_inputs=2,
        scan_input_axes=[1, -1], scan_input_directions=[1, 0],
        scan_output_axes=[-1, 0], scan_output_directions=[0, 1],
    )  # fmt: skip
    built = model(
        [node],
        [info("s", [2]), info("p", [2, 4]), info("q", [3, 4])],
        [info("end", None), info("o", None), info("r", None)],
    )
    inputs = {"s": X[:, 0], "p": RNG.uniform(-1, 1, (2, 4)), "q": RNG.uniform(-1, 1, (3, 4))}
    check(built, {name: np.ascontiguousarray(array, np.float32) for name, array in inputs.items()})


@pytest.mark.slow
def test_scan_of_batches() -> None:
    step = body("b (float[2] s, float[2] p) => (float[2] s2, float[2] o) { s2 = Add(s, p) o = Mul(s2, p) }")
    node = helper.make_node("Scan", ["", "s", "p"], ["end", "o"], name="scan", body=step, num_scan_inputs=1)
    shapes = [info("s", [3, 2]), info("p", [3, 5, 2])]
    built = model([node], shapes, [info("end", None), info("o", None)], opset=8)
    s, p = (RNG.uniform(-1, 1, shape).astype(np.float32) for shape in ((3, 2), (3, 5, 2)))
    sums = s[:, None] + np.cumsum(p, 1)
    found = compile_model(built).run({"s": s, "p": p})
    np.testing.assert_allclose(found["end"], sums[:, -1], 1e-5, 1e-5)
    np.testing.assert_allclose(found["o"], sums * p, 1e-5, 1e-5)


def test_as_many_values_as_the_cache_of_a_decoder_has() -> None:
    """Merged decoders choose by an If whose results are the keys and values of all layers."""
    names = [f"x{index}" for index in range(40)]

    def apply(op: str) -> str:
        """Returns a graph of an elementwise op on all of them."""
        nodes = " ".join(f"{op}_{name} = {op}({name})" for name in names)
        return f"{op} () => ({declare(op)}) {{ {nodes} }}"

    def declare(prefix: str) -> str:
        return ", ".join(f"float[r,3] {prefix}_{name}" for name in names)

    products = " ".join(f"b_{name} = Mul(a_{name}, a_x0)" for name in names)
    iteration = (
        f"b (int64 i, bool c, {declare('a')}) => (bool d, {declare('b')}) {{ d = Identity(c) {products} }}"
    )
    chosen, carried = [f"c_{name}" for name in names], [f"z_{name}" for name in names]
    branches = {"then_branch": body(apply("Neg")), "else_branch": body(apply("Abs"))}
    nodes = [
        helper.make_node("If", ["c"], chosen, **branches),
        helper.make_node("Loop", ["n", "", *chosen], carried, body=body(iteration)),
    ]
    inputs = [info("c", [], BOOL), info("n", [], I64), *(info(name, ["r", 3]) for name in names)]
    built = model(nodes, inputs, [info(name, [None, 3]) for name in carried])
    runs = []
    for choice, count, rows in ((True, 2, 2), (False, 1, 4)):
        arrays = {name: RNG.uniform(-1, 1, (rows, 3)).astype(np.float32) for name in names}
        runs.append({"c": _boolean(choice), "n": _count(count)} | arrays)
    check(built, *runs)


def test_what_is_not_supported_is_named() -> None:
    grows = body(
        "b (int64 i, bool c, float[2] a) => (bool c2, float[1,2] a2) {"
        " c2 = Identity(c) o = Constant<value_ints = [1, 2]>() a2 = Reshape(a, o) }"
    )
    differs = {
        "then_branch": body("t () => (float[2] r) { r = Exp(x) }"),
        "else_branch": body("e () => (double[2] r) { r = Cast<to = 11>(x) }"),
    }
    unknown = body(
        "b (int64 i, bool c, float[2] a) => (bool c2, float[2] a2) { c2 = Identity(c) a2 = Mystery(a) }"
    )
    nodes = [
        helper.make_node("Loop", ["n", "", "x"], ["a"], name="grows", body=grows),
        helper.make_node("If", ["c"], ["r"], name="differs", **differs),
        helper.make_node("Loop", ["n", "", "x"], ["u"], name="unknown", body=unknown),
    ]
    inputs = [info("n", [], I64), info("c", [], BOOL), info("x", [2])]
    with pytest.raises(ModelError) as failure:
        compile_model(model(nodes, inputs, [info(name, None) for name in "aru"]))
    text = str(failure.value)
    assert "3 nodes cannot be imported" in text
    for part in (
        "its carried value 0 is of rank 1 of FLOAT at first and then of rank 2 of FLOAT",
        "its branches give values of different types: FLOAT and DOUBLE",
        "'unknown/Mystery:a2'",
    ):
        assert part in text


def test_branches_have_equally_many_outputs() -> None:
    then, other = (
        body("g () => (float[2] r) { r = Exp(x) }"),
        body("g () => (float[2] r, float[2] s) { r = Exp(x) s = Neg(x) }"),
    )
    node = helper.make_node("If", ["c"], ["r"], name="choice", then_branch=then, else_branch=other)
    built = model([node], [info("c", [], BOOL), info("x", [2])], [info("r", None)])
    with pytest.raises(ModelError, match=r"'choice' \(If\): its branches have 1 and 2 outputs"):
        compile_model(built)


def test_gpus_refuse_control_flow() -> None:
    then, other = (body(f"g () => (float[2] r) {{ r = {op}(x) }}") for op in ("Exp", "Neg"))
    node = helper.make_node("If", ["c"], ["r"], name="choice", then_branch=then, else_branch=other)
    built = model([node], [info("c", [], BOOL), info("x", [2])], [info("r", None)])
    with pytest.raises(Exception, match=r"'graph\.if' op cannot be part of a kernel or of a GPU's program"):
        compile_model(built, target="cuda:sm_80")
