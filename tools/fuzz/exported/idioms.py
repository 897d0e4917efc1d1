"""Idioms of exporters that several families use: shapes read by nodes, activations, normalisations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from mlc.tools.fuzz.exported.model_draw import Dim, ModelDraw

# An element of a target shape: an integer, 0 and -1 included, or the axis of a value whose size it is.
Part = int | tuple[str, int]


def static_size(dim: Dim) -> int | None:
    """Returns the size of a dim that is static."""
    return dim if isinstance(dim, int) else dim.size


def size_of_axis(m: ModelDraw, x: str, axis: int) -> str:
    """Reads the size of an axis as a vector of one element, as one of the exporters does."""
    shape = m.op("Shape", x)
    match m.pick("gather-unsqueeze", "gather-vector", "slice", "keras", "cast"):
        case "gather-unsqueeze":
            return m.axes("Unsqueeze", m.op("Gather", shape, m.constant(axis), axis=0), [0])
        case "gather-vector":
            return m.op("Gather", shape, m.constant([axis]), axis=0)
        case "slice":
            return m.op("Slice", shape, m.constant([axis]), m.constant([axis + 1]), m.constant([0]))
        case "keras":
            part = m.op("Slice", shape, m.constant([axis]), m.constant([axis + 1]), m.constant([0]))
            return m.axes("Unsqueeze", m.axes("Squeeze", part, [0]), [0])
        case _:
            narrow = m.op("Cast", shape, to=TensorProto.INT32)
            part = m.op("Gather", narrow, m.constant([axis]), axis=0)
            return m.op("Cast", part, to=TensorProto.INT64)


def scalar_size(m: ModelDraw, x: str, axis: int) -> str:
    """Reads the size of an axis as a scalar."""
    return m.op("Gather", m.op("Shape", x), m.constant(axis), axis=0)


def concat_shape(m: ModelDraw, parts: Sequence[Part]) -> str:
    """Builds a shape of read sizes and integers by Concat."""
    pieces = [m.constant([part]) if isinstance(part, int) else size_of_axis(m, *part) for part in parts]
    return m.op("Concat", *pieces, axis=0)


def gelu(m: ModelDraw, x: str) -> str:
    """Adds a GELU by Erf or Tanh."""
    if m.chance(0.5):
        scaled = m.op("Div", x, m.constant(np.sqrt(2), np.float32))
        erf = m.op("Add", m.op("Erf", scaled), m.constant(1, np.float32))
        if m.chance(0.5):
            return m.op("Mul", m.op("Mul", x, erf), m.constant(0.5, np.float32))
        return m.op("Mul", m.op("Mul", x, m.constant(0.5, np.float32)), erf)
    cube = m.op("Pow", x, m.constant(3, np.float32)) if m.chance(0.5) else m.op("Mul", x, m.op("Mul", x, x))
    inner = m.op("Add", x, m.op("Mul", cube, m.constant(0.044715, np.float32)))
    tanh = m.op("Tanh", m.op("Mul", inner, m.constant(np.sqrt(2 / np.pi), np.float32)))
    return m.op(
        "Mul", m.op("Mul", x, m.constant(0.5, np.float32)), m.op("Add", tanh, m.constant(1, np.float32))
    )


def activation(m: ModelDraw, x: str) -> str:
    """Adds an activation, some of several nodes."""
    match m.pick("relu", "relu6", "silu", "hard-swish", "leaky", "mish", "gelu", "sigmoid", "hard-swish-op"):
        case "relu":
            return m.op("Relu", x)
        case "relu6":
            return m.op("Clip", x, m.constant(0, np.float32), m.constant(6, np.float32))
        case "silu":
            return m.op("Mul", x, m.op("Sigmoid", x))
        case "hard-swish":
            shifted = m.op("Add", x, m.constant(3, np.float32))
            clipped = m.op("Clip", shifted, m.constant(0, np.float32), m.constant(6, np.float32))
            return m.op("Div", m.op("Mul", x, clipped), m.constant(6, np.float32))
        case "hard-swish-op":
            return m.op("Mul", x, m.op("HardSigmoid", x, alpha=1 / 6))
        case "leaky":
            return m.op("LeakyRelu", x, alpha=0.1)
        case "mish":
            return m.op("Mul", x, m.op("Tanh", m.op("Softplus", x)))
        case "sigmoid":
            return m.op("Sigmoid", x)
        case _:
            return gelu(m, x)


def layer_norm(m: ModelDraw, x: str, width: int) -> str:
    """Adds a layer or RMS normalisation of the last axis: as one node, or decomposed."""
    scale, bias = m.weight(width), m.weight(width)
    styles = ["decomposed", "decomposed-mul", "rms", *(["node"] if m.opset >= 17 else [])]
    style = m.pick(*styles)
    if style == "node":
        return m.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)
    if style == "rms":
        mean = _mean(m, m.op("Pow", x, m.constant(2, np.float32)))
        root = m.op("Sqrt", m.op("Add", mean, m.constant(1e-6, np.float32)))
        normal = m.op("Mul", x, m.op("Reciprocal", root)) if m.chance(0.5) else m.op("Div", x, root)
        return m.op("Mul", scale, normal)
    centred = m.op("Sub", x, _mean(m, x))
    square = (
        m.op("Pow", centred, m.constant(2, np.float32)) if m.chance(0.6) else m.op("Mul", centred, centred)
    )
    root = m.op("Sqrt", m.op("Add", _mean(m, square), m.constant(1e-5, np.float32)))
    if style == "decomposed":
        return m.op("Add", m.op("Mul", m.op("Div", centred, root), scale), bias)
    factor = m.op("Mul", m.op("Reciprocal", root), scale)
    return m.op("Add", m.op("Mul", centred, factor), bias)


def _mean(m: ModelDraw, x: str) -> str:
    return m.axes("ReduceMean", x, [-1], since=18, keepdims=1)


def linear(m: ModelDraw, x: str, width: int, result: int, bias: bool = True) -> str:
    """Adds a linear layer on the last axis, of any rank: MatMul and Add."""
    product = m.op("MatMul", x, m.weight(width, result))
    if not bias:
        return product
    vector = m.weight(result)
    return m.op("Add", product, vector) if m.chance(0.5) else m.op("Add", vector, product)


def reshape(m: ModelDraw, x: str, dims: Sequence[Dim], like: Sequence[tuple[str, int] | None]) -> str:
    """Reshapes x to dims. `like` names for each an axis of a value with the same size, or None for static
    dims. The shape is constant with a -1 or 0 where it can be, or read by nodes."""
    static = [static_size(dim) for dim in dims]
    unknown = [index for index, size in enumerate(static) if size is None]
    choices = ["read"] if unknown else ["constant", "minus-one"]
    if len(unknown) == 1:
        choices.append("minus-one")
    zeros = {index for index, source in enumerate(like) if source == (x, index)}
    if all(index in zeros for index in unknown[1:]) or all(index in zeros for index in unknown[:-1]):
        choices += ["zeros"]
    match m.pick(*choices):
        case "constant":
            return m.op("Reshape", x, m.constant(static))
        case "minus-one":
            free = unknown[0] if unknown else int(m.rng.integers(len(static)))
            return m.op(
                "Reshape", x, m.constant([-1 if i == free else size for i, size in enumerate(static)])
            )
        case "zeros":
            left = [index for index in unknown if index not in zeros]
            shape = [
                0 if index in zeros else -1 if index in left else size for index, size in enumerate(static)
            ]
            return m.op("Reshape", x, m.constant(shape))
        case _:
            return m.op("Reshape", x, concat_shape(m, _parts(m, static, like)))


def _parts(m: ModelDraw, static: Sequence[int | None], like: Sequence[tuple[str, int] | None]) -> list[Part]:
    """Returns the parts of a shape; at times a static dim is read as well, or one is -1."""
    parts: list[Part] = []
    for size, source in zip(static, like, strict=True):
        read = source is not None and (size is None or m.chance(0.4))
        parts.append(source if read and source is not None else size if size is not None else -1)
    if -1 not in parts and m.chance(0.4):
        parts[int(m.rng.integers(len(parts)))] = -1
    return parts
