"""ONNX operators in JAX. Shapes, axes and indices are NumPy arrays: the trace must know them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from bench.operator_graph import Attributes, Operator, elementwise, reshaped_extents, window


def _conv(attributes: Attributes, x: Any, weight: Any, bias: Any = None) -> Any:
    strides, pads = window(attributes, x.ndim - 2)
    dilations = attributes.get("dilations", [1] * len(pads))
    groups = attributes.get("group", 1)
    y = lax.conv_general_dilated(x, weight, strides, pads, rhs_dilation=dilations, feature_group_count=groups)
    return y if bias is None else y + bias.reshape(1, -1, *[1] * len(pads))


def _batch_normalization(a: Attributes, x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    shape = (1, -1, *[1] * (x.ndim - 2))
    factor = scale * lax.rsqrt(variance + np.float32(a.get("epsilon", 1e-5)))
    return x * factor.reshape(shape) + (bias - mean * factor).reshape(shape)


def _reduce_window(attributes: Attributes, x: Any, start: float, combine: Callable[..., Any]) -> Any:
    kernel, (strides, pads) = attributes["kernel_shape"], window(attributes, x.ndim - 2)
    if attributes.get("ceil_mode", 0):
        extents = zip(x.shape[2:], kernel, strides, pads, strict=True)
        pads = [
            (low, high + -(extent + low + high - size) % step) for extent, size, step, (low, high) in extents
        ]
    return lax.reduce_window(
        x, np.float32(start), combine, (1, 1, *kernel), (1, 1, *strides), [(0, 0), (0, 0), *pads]
    )


def _max_pool(attributes: Attributes, x: Any) -> Any:
    return _reduce_window(attributes, x, -np.inf, lax.max)


def _average_pool(attributes: Attributes, x: Any) -> Any:
    total = _reduce_window(attributes, x, 0, lax.add)
    if attributes.get("count_include_pad", 0):
        if attributes.get("ceil_mode", 0):
            raise NotImplementedError("AveragePool with ceil_mode and count_include_pad")
        return total / np.float32(np.prod(attributes["kernel_shape"]))
    return total / _reduce_window(attributes, jnp.ones((1, 1, *x.shape[2:]), x.dtype), 0, lax.add)


def _lrn(a: Attributes, x: Any) -> Any:
    size = a["size"]
    pads = [(0, 0), ((size - 1) // 2, size // 2), (0, 0), (0, 0)]
    total = lax.reduce_window(x * x, np.float32(0), lax.add, (1, size, 1, 1), (1, 1, 1, 1), pads)
    return x / (a.get("bias", 1.0) + a.get("alpha", 1e-4) / size * total) ** a.get("beta", 0.75)


def _gemm(a: Attributes, x: Any, y: Any, z: Any = None) -> Any:
    product = (x.T if a.get("transA") else x) @ (y.T if a.get("transB") else y)
    product = product * a["alpha"] if a.get("alpha", 1.0) != 1.0 else product
    return product if z is None else product + z * a.get("beta", 1.0)


def _layer_normalization(a: Attributes, x: Any, scale: Any, bias: Any = None) -> Any:
    axes = tuple(range(a.get("axis", -1) % x.ndim, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    factor = lax.rsqrt((centred * centred).mean(axes, keepdims=True) + np.float32(a.get("epsilon", 1e-5)))
    y = centred * factor * scale
    return y if bias is None else y + bias


def _clip(_: Attributes, x: Any, low: Any = None, high: Any = None) -> Any:
    return jnp.clip(x, low, high)


def _flatten(a: Attributes, x: Any) -> Any:
    return x.reshape(int(np.prod(x.shape[: a.get("axis", 1)])), -1)


def _split(a: Attributes, x: Any, sizes: Any = None) -> Any:
    parts = a["num_outputs"] if sizes is None else np.cumsum(sizes)[:-1].tolist()
    return tuple(jnp.split(x, parts, a.get("axis", 0)))


def _slice(_: Attributes, x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    axes = range(len(starts)) if axes is None else axes.tolist()
    steps = [1] * len(starts) if steps is None else steps.tolist()
    index = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, starts.tolist(), ends.tolist(), steps, strict=True):
        index[axis] = slice(start, end, step)
    return x[tuple(index)]


def _reduce_mean(a: Attributes, x: Any, axes: Any = None) -> Any:
    axes = a.get("axes") if axes is None else axes.tolist()
    return x.mean(None if axes is None else tuple(axes), keepdims=bool(a.get("keepdims", 1)))


def _where(_: Attributes, condition: Any, x: Any, y: Any) -> Any:
    return jnp.where(condition, x, y)


OPERATORS: dict[str, Operator] = {
    "Add": elementwise(lambda x, y: x + y),
    "And": elementwise(lambda x, y: x & y),
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_normalization,
    "Clip": _clip,
    "Concat": lambda a, *parts: jnp.concatenate(parts, a["axis"]),
    "Conv": _conv,
    "Div": elementwise(lambda x, y: x / y),
    "Erf": elementwise(lax.erf),
    "Flatten": _flatten,
    "Gather": lambda a, x, indices: jnp.take(x, indices, a.get("axis", 0)),
    "GatherElements": lambda a, x, indices: jnp.take_along_axis(x, indices, a.get("axis", 0)),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda _, x: x.mean(tuple(range(2, x.ndim)), keepdims=True),
    "LRN": _lrn,
    "LayerNormalization": _layer_normalization,
    "MatMul": elementwise(lambda x, y: x @ y),
    "MaxPool": _max_pool,
    "Mul": elementwise(lambda x, y: x * y),
    "Neg": elementwise(lambda x: -x),
    "Pow": elementwise(jnp.power),
    "Reciprocal": elementwise(lambda x: 1 / x),
    "ReduceMean": _reduce_mean,
    "Relu": elementwise(jax.nn.relu),
    "Reshape": lambda _, x, shape: x.reshape(reshaped_extents(x.shape, shape)),
    "Sigmoid": elementwise(jax.nn.sigmoid),
    "Slice": _slice,
    "Softmax": lambda a, x: jax.nn.softmax(x, a.get("axis", -1)),
    "Split": _split,
    "Sqrt": elementwise(jnp.sqrt),
    "Sub": elementwise(lambda x, y: x - y),
    "Tanh": elementwise(jnp.tanh),
    "Transpose": lambda a, x: x.transpose(a.get("perm")),
    "Where": _where,
}
