"""ONNX operators by torch that the model importer and the GPU runner's references share."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from bench.operator_graph import Attributes, Operator, window


def _pad(x: Any, pads: list[tuple[int, int]], value: float = 0.0) -> tuple[Any, tuple[int, ...]]:
    """Pads `x` unless the operator can, which supports symmetric paddings only; returns its paddings too."""
    if all(low == high for low, high in pads):
        return x, tuple(low for low, _ in pads)
    # The last dim comes first.
    extents = [extent for pair in reversed(pads) for extent in pair]
    return functional.pad(x, extents, value=value), (0,) * len(pads)


def _conv(a: Attributes, x: Any, weight: Any, bias: Any = None) -> Any:
    strides, pads = window(a)
    x, padding = _pad(x, pads)
    dilations = tuple(a.get("dilations", (1, 1)))
    return functional.conv2d(x, weight, bias, strides, padding, dilations, a.get("group", 1))


def _batch_normalization(a: Attributes, x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return functional.batch_norm(x, mean, variance, scale, bias, False, 0.0, a.get("epsilon", 1e-5))


def _max_pool(a: Attributes, x: Any) -> Any:
    strides, pads = window(a)
    x, padding = _pad(x, pads, -math.inf)
    ceil = bool(a.get("ceil_mode", 0))
    return functional.max_pool2d(x, tuple(a["kernel_shape"]), strides, padding, ceil_mode=ceil)


def _average_pool(a: Attributes, x: Any) -> Any:
    strides, pads = window(a)
    counted, ceil = bool(a.get("count_include_pad", 0)), bool(a.get("ceil_mode", 0))
    kernel = tuple(a["kernel_shape"])
    if all(low == high for low, high in pads):
        padding = tuple(low for low, _ in pads)
        return functional.avg_pool2d(x, kernel, strides, padding, ceil, counted)
    average = partial(functional.avg_pool2d, kernel_size=kernel, stride=strides, ceil_mode=ceil)
    means = average(_pad(x, pads)[0])
    # The share of each window without padding.
    return means if counted else means / average(_pad(torch.ones_like(x[:1, :1]), pads)[0])


def linear(a: Attributes, x: Any, y: Any, z: Any = None) -> Any:
    """Computes Gemm with `alpha` and `beta` of 1."""
    return functional.linear(x.t() if a.get("transA") else x, y if a.get("transB") else y.t(), z)


BY_TORCH: dict[str, Operator] = {
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_normalization,
    "Concat": lambda a, *parts: torch.cat(parts, a["axis"]),
    "Conv": _conv,
    "GlobalAveragePool": lambda _, x: x.mean((2, 3), keepdim=True),
    "MaxPool": _max_pool,
    "Softmax": lambda a, x: functional.softmax(x, a.get("axis", -1)),
}
