"""Gradient against differences of the function itself, in f64: along a random direction per input, at
distance 1e-6, so that what is left is about 1e-12 of the third derivative and 1e-10 of rounding."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from graph_evaluator import evaluate
from onnx import helper, parser
from oracle import Arrays, compile_model

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

STEP, TOLERANCE = 1e-6, 1e-6
DOMAIN = "ai.onnx.preview.training"
Shapes = tuple[list[int], ...]

UNARY = (
    "Neg", "Abs", "Exp", "Log", "Sqrt", "Reciprocal", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh",
    "Cosh", "Tanh", "Asinh", "Atanh", "Erf", "Sigmoid", "Relu", "LeakyRelu", "Elu", "Softplus", "Gelu",
    "Swish", "Floor", "Round", "Sign", "Identity", "Softmax", "LogSoftmax",
)  # fmt: skip
HALF = "half = Constant<value = double {0.5}>()"
FORMS: dict[str, tuple[str, Shapes]] = {
    **{name: (f"t = {name}(a) y = Mul(t, a)", ([3, 4],)) for name in UNARY},
    **{f"{name} below 0": (f"{HALF} s = Sub(a, half) t = {name}(s) y = Mul(t, a)", ([3, 4],))
       for name in UNARY if name not in ("Log", "Sqrt", "Reciprocal")},
    "tanh gelu": ('y = Gelu<approximate = "tanh">(a)', ([3, 4],)),
    "acosh": ("one = Constant<value = double {1.5}>() t = Add(a, one) y = Acosh(t)", ([3, 4],)),
    "clip": ("low = Constant<value = double {0.3}>() high = Constant<value = double {0.6}>()"
             " t = Clip(a, low, high) y = Mul(t, t)", ([3, 4],)),
    "broadcast": ("s = Add(a, b) t = Mul(s, c) u = Sub(t, a) y = Div(u, b)", ([2, 3, 4], [3, 1], [4])),
    "power": ("y = Pow(a, b)", ([3, 4], [4])),
    "square": ("two = Constant<value = double {2}>() y = Pow(a, two)", ([3, 4],)),
    "extremes": ("t = Max(a, b) u = Min(a, c) y = Mul(t, u)", ([3, 4], [3, 4], [4])),
    "where": ("c = Greater(a, b) y = Where(c, a, b)", ([3, 4], [4])),
    "products": ("t = MatMul(a, b) y = MatMul(t, c)", ([2, 3, 4], [4, 5], [2, 5, 3])),
    "vectors": ("t = MatMul(a, b) u = MatMul(t, c) y = Mul(u, u)", ([4], [4, 5], [5])),
    "gemm": ("y = Gemm<alpha = 0.5, beta = 2.0, transA = 1, transB = 1>(a, b, c)", ([4, 3], [5, 4], [5])),
    "moved": ("s = Constant<value_ints = [4, 6]>() t = Transpose<perm = [2, 0, 1]>(a) u = Reshape(t, s)"
              " v = Concat<axis = 0>(u, b) y = Mul(v, v)", ([2, 3, 4], [1, 6])),
    "taken": ("i = Constant<value = int64[2, 2] {0, 2, -1, 0}>() t = Gather<axis = 1>(a, i)"
              " u, v = Split<axis = 2, num_outputs = 2>(t) w = Mul(u, v) y = Squeeze(w)", ([2, 3],)),
    "expanded": ("s = Constant<value_ints = [2, 3, 4]>() t = Expand(a, s) y = Mul(t, b)", ([3, 1], [4])),
    **{name: (f"x = Constant<value_ints = [1]>() t = {name}<keepdims = {kept}>(a, x) y = Mul(t, t)",
              ([3, 4],))
       for name, kept in (("ReduceSum", 0), ("ReduceMean", 1), ("ReduceMax", 0), ("ReduceMin", 1),
                          ("ReduceL1", 1), ("ReduceL2", 0), ("ReduceSumSquare", 0), ("ReduceLogSum", 0),
                          ("ReduceLogSumExp", 1))},
    "normalised": ("y = LayerNormalization<axis = 1>(a, b, c)", ([3, 4], [4], [4])),
    "rms": ("y = RMSNormalization<axis = 1>(a, b)", ([3, 4], [4])),
    "perceptron": ("h = MatMul(a, b) r = Tanh(h) o = MatMul(r, c) p = LogSoftmax<axis = 1>(o)"
                   " y = ReduceMean(p)", ([5, 4], [4, 6], [6, 3])),
}  # fmt: skip


def model(
    text: str, shapes: Shapes, element_type: str = "double", **attributes: list[str]
) -> onnx.ModelProto:
    """The nodes of a text, whose result y is differentiated by all inputs."""
    names = "abc"[: len(shapes)]
    inputs = ", ".join(f"{element_type}{shape} {name}" for shape, name in zip(shapes, names, strict=True))
    opsets = f'["": 24, "{DOMAIN}": 1]'
    proto = parser.parse_model(
        f"<ir_version: 10, opset_import: {opsets}> g ({inputs}) => ({element_type} y) {{ {text} }}"
    )
    given = {"xs": list(names)} | attributes
    outputs = [f"d{name}" for name in given["xs"]]
    node = helper.make_node("Gradient", names, outputs, name="slope", domain=DOMAIN, y="y")
    node.attribute.extend(helper.make_attribute(key, value) for key, value in given.items())
    proto.graph.node.append(node)
    onnx_type = proto.graph.input[0].type.tensor_type.elem_type
    infos = [helper.make_tensor_value_info(name, onnx_type, None) for name in outputs]
    proto.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", onnx_type, None))
    proto.graph.output.extend(infos)
    return proto


def arrays(shapes: Shapes, dtype: type = np.float64) -> Arrays:
    rng = np.random.default_rng(8)
    return {
        name: rng.uniform(0.15, 0.9, shape).astype(dtype) for name, shape in zip("abc", shapes, strict=False)
    }


@pytest.mark.parametrize("name", FORMS)
def test_gradients_are_slopes(name: str) -> None:
    text, shapes = FORMS[name]
    imported, values = import_model(model(text, shapes)), arrays(shapes)
    assert imported.module.operation.verify()

    def run(changed: Arrays) -> list[np.ndarray]:
        return evaluate(imported.module, list((values | changed).values()), imported.weights)

    _, *gradients = run({})
    rng = np.random.default_rng(9)
    for (key, value), gradient in zip(values.items(), gradients, strict=True):
        assert gradient.shape == value.shape
        direction = rng.choice([-1.0, 1.0], value.shape) * rng.uniform(0.5, 1, value.shape)
        above, below = (run({key: value + sign * STEP * direction})[0].sum() for sign in (1, -1))
        slope = (above - below) / (2 * STEP)
        assert abs((gradient * direction).sum() - slope) <= TOLERANCE * max(1, abs(slope)), key


def test_the_gradient_of_a_gradient() -> None:
    """If y = a^3 b, then d2y/da2 = 6 a b and d2y/dadb = 3 a^2."""
    proto = model("three = Constant<value = double {3}>() p = Pow(a, three) y = Mul(p, b)", ([3], [3]))
    second = helper.make_node("Gradient", ["a", "b"], ["daa", "dab"], domain=DOMAIN, xs=["a", "b"], y="da")
    proto.graph.node.append(second)
    for name in ("daa", "dab"):
        proto.graph.output.add().CopyFrom(helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, None))
    imported, values = import_model(proto), arrays(([3], [3]))
    *_, daa, dab = evaluate(imported.module, list(values.values()), imported.weights)
    np.testing.assert_allclose(daa, 6 * values["a"] * values["b"], 1e-12)
    np.testing.assert_allclose(dab, 3 * values["a"] ** 2, 1e-12)


def test_other_values_and_a_value_between() -> None:
    """The slope at values that are given, by a value that is computed itself, with another one held."""
    proto = model("h = Exp(a) y = Mul(h, b)", ([3], [3], [3]), xs=["h"], zs=["b", "c"])
    imported, values = import_model(proto), arrays(([3], [3], [3]))
    _, found = evaluate(imported.module, list(values.values()), imported.weights)
    # The node's inputs are a, b and c: h is replaced by a, which its slope b does not depend on.
    np.testing.assert_allclose(found, values["b"], 1e-12)


def test_what_does_not_matter_has_no_slope() -> None:
    imported, values = import_model(model("y = Exp(a)", ([3], [2]))), arrays(([3], [2]))
    _, _, found = evaluate(imported.module, list(values.values()), imported.weights)
    np.testing.assert_array_equal(found, np.zeros(2))


def test_an_op_without_a_rule_is_named() -> None:
    text = "k = Constant<value_ints = [2]>() y, i = TopK(a, k)"
    with pytest.raises(ModelError, match=r"no rule to differentiate 'graph.top_k' of .*TopK:y.*'slope'"):
        import_model(model(text, ([3, 4],)))


@pytest.mark.slow
def test_a_compiled_gradient() -> None:
    """Compares f32 with the evaluation in f64: 1e-5 of the largest element."""
    text, shapes = FORMS["perceptron"]
    inputs = arrays(shapes, np.float32)
    actual = compile_model(model(text, shapes, "float")).run(inputs)
    imported = import_model(model(text, shapes))
    expected = evaluate(
        imported.module, [value.astype(np.float64) for value in inputs.values()], imported.weights
    )
    for one, other in zip(actual.values(), expected, strict=True):
        np.testing.assert_allclose(one, other, 1e-5, 1e-5 * abs(other).max())
