"""Elementwise arithmetic and activations."""

from __future__ import annotations

from functools import reduce

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.checked_data import expect_nonzero
from mlc.frontends.onnx.operators.common.legacy_broadcasting import legacy_operands
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import OnnxValue, Value

# ONNX operator -> graph op, where the two mean the same
_UNARY = {
    "Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh", "Atan": "atan",
    "Atanh": "atanh", "Ceil": "ceil", "Cos": "cos", "Cosh": "cosh", "Erf": "erf", "Exp": "exp",
    "Floor": "floor", "HardSwish": "hard_swish", "Log": "log", "Mish": "mish", "Neg": "neg",
    "Reciprocal": "reciprocal", "Relu": "relu", "Round": "round", "Sigmoid": "sigmoid", "Sign": "sign",
    "Sin": "sin", "Sinh": "sinh", "Softplus": "softplus", "Softsign": "softsign", "Sqrt": "sqrt",
    "Tan": "tan", "Tanh": "tanh",
}  # fmt: skip
_BINARY = {"Add": "add", "Sub": "sub", "Mul": "mul"}
_VARIADIC = {"Sum": "add", "Max": "max", "Min": "min"}
# ONNX operator -> graph op, and its attributes with their defaults (the same in every opset)
_WITH_ATTRIBUTES = {
    "LeakyRelu": ("leaky_relu", {"alpha": 0.01}),
    "ThresholdedRelu": ("thresholded_relu", {"alpha": 1.0}),
    "HardSigmoid": ("hard_sigmoid", {"alpha": 0.2, "beta": 0.5}),
    "Elu": ("elu", {"alpha": 1.0}),
    "Celu": ("celu", {"alpha": 1.0}),
}


@onnx_operator(*_UNARY)
def unary(node: Node) -> Value:
    """Imports elementwise operators of one input."""
    return node.emit(_UNARY[node.op_type], node.input(0))


@onnx_operator("Identity")
def identity(node: Node) -> list[OnnxValue]:
    """Imports Identity of any value."""
    return [node.any_input(0)]


@onnx_operator(*_BINARY)
def binary(node: Node) -> Value:
    """Imports Add, Sub and Mul."""
    return node.emit(_BINARY[node.op_type], *legacy_operands(node))


@onnx_operator("Div")
def divide(node: Node) -> Value:
    """Imports Div. Integers divided by 0 fail the call."""
    a, b = legacy_operands(node)
    expect_nonzero(node, b)
    return node.emit("div", a, b)


@onnx_operator(*_VARIADIC)
def variadic(node: Node) -> Value:
    """Imports Sum, Max and Min of any number of inputs."""
    values = [node.input(i) for i in range(len(node.inputs))]
    if not values:
        raise NodeError("it has no input")
    return reduce(lambda a, b: node.emit(_VARIADIC[node.op_type], a, b), values)


@onnx_operator("Mean")
def mean(node: Node) -> Value:
    """Imports Mean of any number of inputs."""
    values = [node.input(i) for i in range(len(node.inputs))]
    total = reduce(lambda a, b: node.emit("add", a, b), values)
    return node.emit("div", total, node.scalar(len(values), total)) if len(values) > 1 else total


@onnx_operator(*_WITH_ATTRIBUTES)
def activation(node: Node) -> Value:
    """Imports activations with attributes."""
    op, defaults = _WITH_ATTRIBUTES[node.op_type]
    # Attributes are f32, and so are their defaults.
    values = {name: float(np.float32(node.attr(name, default))) for name, default in defaults.items()}
    return node.emit(op, node.input(0), **values)


@onnx_operator("Selu")
def selu(node: Node) -> Value:
    """Imports Selu."""
    # Opsets 1 and 6 round the constants differently.
    alpha, gamma = (
        (1.6732, 1.0507) if node.opset < 6 else (1.67326319217681884765625, 1.05070102214813232421875)
    )
    return node.emit("selu", node.input(0), alpha=node.attr("alpha", alpha), gamma=node.attr("gamma", gamma))


@onnx_operator("Gelu", since=20)
def gelu(node: Node) -> Value:
    """Imports Gelu."""
    return node.emit("gelu", node.input(0), approximate=node.attr("approximate", "none"))


@onnx_operator("Shrink", since=9)
def shrink(node: Node) -> Value:
    """Imports Shrink. Integers are compared and moved as floats, since the bounds need not be integral."""
    x, bound, bias = node.input(0), node.attr("lambd", 0.5), node.attr("bias", 0.0)
    is_integer = np.issubdtype(x.dtype, np.integer)
    wide = TensorProto.DOUBLE if x.dtype.itemsize > 2 else TensorProto.FLOAT
    y = node.cast(x, wide) if is_integer else x
    zero, low, high, moved = (node.scalar(value, y) for value in (0.0, -bound, bound, bias))
    above = node.emit("where", node.emit("greater", y, high), node.emit("sub", y, moved), zero)
    shrunk = node.emit("where", node.emit("less", y, low), node.emit("add", y, moved), above)
    return node.cast(shrunk, x.onnx_type) if is_integer else shrunk


@onnx_operator("Swish", since=24)
def swish(node: Node) -> Value:
    """Imports Swish: x * sigmoid(alpha * x)."""
    x, alpha = node.input(0), node.attr("alpha", 1.0)
    if alpha == 1.0:
        return node.emit("silu", x)
    return node.emit("mul", x, node.emit("sigmoid", node.emit("mul", x, node.scalar(alpha, x))))


@onnx_operator("PRelu")
def prelu(node: Node) -> Value:
    """Imports PRelu; before opset 7 a slope of rank 1 runs along the channels."""
    x, slope = node.input(0), node.input(1)
    if node.opset < 7 and slope.rank == 1 and slope.shape != (1,) and x.rank > 2:
        slope = node.reshape(slope, [*slope.shape, *[1] * (x.rank - 2)])
    return node.emit("prelu", x, slope)


@onnx_operator("Pow")
def pow_(node: Node) -> Value:
    """Imports Pow; integers with exponents of floats are computed in f64."""
    base, exponent = legacy_operands(node)
    if np.issubdtype(base.dtype, np.integer) and not np.issubdtype(exponent.dtype, np.integer):
        # f32 would round 3 ** 6 to less than 729, which the cast truncates to 728.
        power = node.emit("pow", node.cast(base, TensorProto.DOUBLE), node.cast(exponent, TensorProto.DOUBLE))
        return node.cast(power, base.onnx_type)
    return node.emit("pow", base, node.cast(exponent, base.onnx_type))


@onnx_operator("Mod")
def mod(node: Node) -> Value:
    """Imports Mod. The result has the divisor's sign, or with fmod the dividend's."""
    a, b, fmod = node.input(0), node.input(1), bool(node.attr("fmod", 0))
    if fmod or np.issubdtype(a.dtype, np.integer):
        expect_nonzero(node, b)
        return node.emit("mod", a, b, fmod=fmod)
    rest = node.emit("mod", a, b, fmod=True)
    # Where the signs differ and something is left, the divisor is added once.
    zero = node.scalar(0, rest)
    signs_differ = node.emit("less", node.emit("mul", node.emit("sign", rest), node.emit("sign", b)), zero)
    return node.emit("where", signs_differ, node.emit("add", rest, b), rest)


@onnx_operator("Clip", until=10)
def clip_attributes(node: Node) -> Value:
    """Imports Clip with bounds that are attributes (up to opset 10)."""
    bounds = {name: float(node.attributes[name]) for name in ("min", "max") if name in node.attributes}
    return node.emit("clamp", node.input(0), **bounds) if bounds else node.input(0)


@onnx_operator("Clip", since=11)
def clip(node: Node) -> Value:
    """Imports Clip with bounds that are inputs."""
    x = node.input(0)
    given = {name: v for name, v in (("min", node.optional(1)), ("max", node.optional(2))) if v is not None}
    if all(v.is_constant and v.known is not None and v.known.size == 1 for v in given.values()):
        bounds = {name: v.known.reshape(-1)[0].item() for name, v in given.items() if v.known is not None}
        # A bound of NaN clips nothing.
        bounds = {name: bound for name, bound in bounds.items() if not np.isnan(bound)}
        return node.emit("clamp", x, **bounds) if bounds else x
    # The lower bound first: ONNX lets the upper one win where they cross.
    for name, value in given.items():
        bound = node.reshape(value, [])
        outside = node.emit("less", *((x, bound) if name == "min" else (bound, x)))
        x = node.emit("where", outside, bound, x)
    return x
