"""ONNX models of images and of plain layers as PyTorch modules: no Python is left between their operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.fx.proxy import GraphAppendingTracer, Proxy
from torch.nn import functional

from bench.importers import onnx_graph
from bench.operator_graph import Operator, check, evaluate, window

Attributes = Mapping[str, Any]


def imported(path: Path) -> torch.fx.GraphModule:
    """The model of an ONNX file as a module that takes its inputs in order.

    Floats become parameters; integers, which are shapes and axes, are constants of the trace.
    Raises NotImplementedError for operators that are not in `OPERATORS`.
    """
    model = onnx_graph.read(path)
    check(model, OPERATORS)
    graph, parameters = torch.fx.Graph(), {}
    tracer = GraphAppendingTracer(graph)
    values: dict[str, Any] = dict(model.constants)
    for index, name in enumerate(model.inputs):
        values[name] = Proxy(graph.placeholder(f"input_{index}"), tracer)
    for index, (name, value) in enumerate(model.constants.items()):
        if value.dtype.kind == "f" and value.ndim:
            parameters[f"weight_{index}"] = torch.nn.Parameter(torch.tensor(value))
            values[name] = Proxy(graph.get_attr(f"weight_{index}"), tracer)
    outputs = evaluate(model, values, OPERATORS)
    graph.output(tuple(output.node for output in outputs))
    return torch.fx.GraphModule(parameters, graph)


def _padded(x: Any, pads: list[tuple[int, int]], value: float = 0.0) -> tuple[Any, tuple[int, ...]]:
    """`x` and the paddings that are left to the operator, which knows only symmetric ones."""
    if all(low == high for low, high in pads):
        return x, tuple(low for low, _ in pads)
    # The last dim comes first.
    extents = [extent for pair in reversed(pads) for extent in pair]
    return functional.pad(x, extents, value=value), (0,) * len(pads)


def _conv(a: Attributes, x: Any, weight: Any, bias: Any = None) -> Any:
    strides, pads = window(a)
    x, padding = _padded(x, pads)
    return functional.conv2d(
        x, weight, bias, strides, padding, tuple(a.get("dilations", (1, 1))), a.get("group", 1)
    )


def _batch_normalization(a: Attributes, x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return functional.batch_norm(x, mean, variance, scale, bias, False, 0.0, a.get("epsilon", 1e-5))


def _max_pool(a: Attributes, x: Any) -> Any:
    strides, pads = window(a)
    x, padding = _padded(x, pads, -math.inf)
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
    means = average(_padded(x, pads)[0])
    # The share of each window that is no padding.
    return means if counted else means / average(_padded(torch.ones_like(x[:1, :1]), pads)[0])


def _clip(_: Attributes, x: Any, low: Any = None, high: Any = None) -> Any:
    return torch.clamp(x, *(None if bound is None else float(bound) for bound in (low, high)))


def _gemm(a: Attributes, x: Any, y: Any, z: Any = None) -> Any:
    if a.get("alpha", 1.0) != 1.0 or a.get("beta", 1.0) != 1.0:
        raise NotImplementedError("Gemm with alpha or beta")
    return functional.linear(x.t() if a.get("transA") else x, y if a.get("transB") else y.t(), z)


def _reshape(_: Attributes, x: Any, shape: np.ndarray) -> Any:
    return x.reshape(
        [x.size(index) if extent == 0 else extent for index, extent in enumerate(shape.tolist())]
    )


def _lrn(a: Attributes, x: Any) -> Any:
    return functional.local_response_norm(
        x, a["size"], a.get("alpha", 1e-4), a.get("beta", 0.75), a.get("bias", 1.0)
    )


def _elementwise(function: Callable[..., Any]) -> Operator:
    return lambda _, *operands: function(*operands)


OPERATORS: dict[str, Operator] = {
    "Add": _elementwise(lambda x, y: x + y),
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_normalization,
    "Clip": _clip,
    "Concat": lambda a, *parts: torch.cat(parts, a["axis"]),
    "Conv": _conv,
    "Flatten": lambda a, x: x.flatten(a.get("axis", 1)),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda _, x: x.mean((2, 3), keepdim=True),
    "LRN": _lrn,
    "MatMul": _elementwise(lambda x, y: x @ y),
    "MaxPool": _max_pool,
    "Mul": _elementwise(lambda x, y: x * y),
    "Relu": _elementwise(functional.relu),
    "Reshape": _reshape,
    "Softmax": lambda a, x: functional.softmax(x, a.get("axis", -1)),
    "Transpose": lambda a, x: x.permute(a["perm"]),
}
