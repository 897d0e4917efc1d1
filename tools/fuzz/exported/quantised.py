"""Quantised models: QuantizeLinear and DequantizeLinear around layers, dynamic quantisation, integers."""

from __future__ import annotations

import numpy as np

from mlc.tools.fuzz.exported.idioms import activation, concat_shape
from mlc.tools.fuzz.exported.model_draw import ModelDraw


def draw(m: ModelDraw) -> None:
    """Draws a quantised product, convolution or recurrent layer."""
    m.pick(_products, _products, _convolutions, _convolutions, _dynamic_product, _integer_operators)(m)


def _zero_point(m: ModelDraw, dtype: type[np.generic]) -> str:
    return m.constant(int(m.rng.integers(0, 256)) if dtype is np.uint8 else 0, dtype)


def _quantise(m: ModelDraw, x: str) -> str:
    """QuantizeLinear and DequantizeLinear of a value."""
    dtype = m.pick(np.uint8, np.int8)
    scale, zero = m.constant(m.pick(0.02, 0.05, 0.0371), np.float32), _zero_point(m, dtype)
    return m.op("DequantizeLinear", m.op("QuantizeLinear", x, scale, zero), scale, zero)


def _weights(m: ModelDraw, *shape: int, axis: int) -> str:
    """Weights of i8, dequantised per channel of an axis or as a whole."""
    values = m.constant(m.rng.integers(-63, 64, shape), np.int8)
    if m.chance(0.5) or m.opset < 13:
        return m.op("DequantizeLinear", values, m.constant(0.01, np.float32), m.constant(0, np.int8))
    scales = m.constant(0.005 + 0.01 * m.rng.random(shape[axis]), np.float32)
    return m.op("DequantizeLinear", values, scales, m.constant(np.zeros(shape[axis]), np.int8), axis=axis)


def _products(m: ModelDraw) -> None:
    width, result = m.pick(8, 16, 33), m.pick(3, 8, 16)
    x = m.input("x", [m.dim("batch", (1, 2)), m.dim("sequence", (3, 16)), width])
    y = m.op("MatMul", _quantise(m, x), _weights(m, width, result, axis=1))
    y = m.op("Add", y, m.weight(result)) if m.chance(0.6) else y
    y = activation(m, y) if m.chance(0.3) else y
    y = _quantise(m, y)
    if m.chance(0.5):
        flat = m.op("Reshape", y, m.constant([-1, result]))
        flat = m.op("Gemm", flat, _weights(m, 5, result, axis=0), m.weight(5), transB=1)
        y = m.op("Reshape", flat, concat_shape(m, [(x, 0), (x, 1), 5]))
    m.output(y)


def _convolutions(m: ModelDraw) -> None:
    channels, result = m.pick(3, 4, 8), m.pick(4, 8, 16)
    sizes = (7, 8, 15, 16, 17)
    dims = [m.dim(name, (8, 13), sizes, share=0.5) for name in ("height", "width")]
    x = m.input("x", [m.dim("batch", (1, 2), (1, 2, 3)), channels, *dims])
    groups = m.pick(1, 1, channels)
    result = channels if groups > 1 else result
    kernel = m.pick(1, 3)
    y = m.op(
        "Conv",
        _quantise(m, x),
        _weights(m, result, channels // groups, kernel, kernel, axis=0),
        *([m.weight(result)] if m.chance(0.7) else []),
        group=groups if groups > 1 else None,
        pads=[kernel // 2] * 4,
        strides=m.pick(None, [2, 2]),
    )
    y = m.op("Relu", y) if m.chance(0.6) else activation(m, y)
    y = _quantise(m, y)
    if m.chance(0.4):
        other = m.op("Conv", y, _weights(m, result, result, 1, 1, axis=0))
        y = _quantise(m, m.op("Add", _quantise(m, other), y))
    if m.chance(0.3):
        y = _quantise(m, m.op("GlobalAveragePool", y))
    m.output(y)


def _dynamic_product(m: ModelDraw) -> None:
    """DynamicQuantizeLinear, MatMulInteger, and the scales multiplied in floats."""
    width, result = m.pick(8, 16, 33), m.pick(3, 8, 16)
    x = m.input("x", [m.dim("batch", (1, 2)), m.dim("sequence", (3, 16)), width])
    if m.chance(0.3):
        x = activation(m, x)
    data, scale, zero = m.ops("DynamicQuantizeLinear", 3, x)
    dtype = m.pick(np.int8, np.uint8)
    weights = m.constant(m.rng.integers(0 if dtype is np.uint8 else -63, 64, (width, result)), dtype)
    own_zero = m.constant(m.pick(0, 17) if dtype is np.uint8 else 0, dtype)
    total = m.op("Cast", m.op("MatMulInteger", data, weights, zero, own_zero), to=1)
    factor = m.op("Mul", scale, m.constant(m.pick([0.013], 0.013), np.float32))
    m.output(m.op("Add", m.op("Mul", total, factor), m.weight(result)))


def _integer_operators(m: ModelDraw) -> None:
    """QLinearConv or QLinearMatMul on integers, with a float tail."""
    batch = m.dim("batch", (1, 2), (1, 2, 3))
    x_scale, y_scale = (m.constant(value, np.float32) for value in (0.031, 0.09))
    x_zero, y_zero = _zero_point(m, np.uint8), _zero_point(m, np.uint8)
    if m.chance(0.5):
        x = m.input("x", [batch, m.dim("sequence", (3, 17)), 16])
        weights = m.constant(m.rng.integers(-63, 64, (16, 8)), np.int8)
    else:
        x = m.input("x", [batch, 4, m.dim("height", (8, 13), (7, 8, 15, 16)), 11])
        weights = m.constant(m.rng.integers(-63, 64, (8, 4, 3, 3)), np.int8)
    data = m.op("QuantizeLinear", x, x_scale, x_zero)
    operator = "QLinearMatMul" if weights and len(m.constants[weights].shape) == 2 else "QLinearConv"
    of_weights = m.constant(0.01, np.float32), m.constant(0, np.int8)
    y = m.op(operator, data, x_scale, x_zero, weights, *of_weights, y_scale, y_zero)
    m.output(m.op("DequantizeLinear", y, y_scale, y_zero))
