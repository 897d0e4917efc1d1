"""Pooling and local response normalisation."""

from __future__ import annotations

import math
from dataclasses import replace

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.pool_indices import indices_of_largest
from mlc.frontends.onnx.operators.powers import power_of_abs, root
from mlc.frontends.onnx.operators.windows import Window, window
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("MaxPool")
def max_pool(node: Node) -> list[Value | None]:
    x = node.input(0)
    result = _pool(node, "max_pool", x, ceil_mode=bool(node.attr("ceil_mode", 0)))
    if not node.wants(1):
        return [result, None]
    geometry = window(node, x, list(node.attr("kernel_shape")))
    return [result, indices_of_largest(node, x, geometry, node.shape(result)[2:])]


@onnx_operator("AveragePool")
def average_pool(node: Node) -> Value:
    return _pool(
        node,
        "average_pool",
        node.input(0),
        ceil_mode=bool(node.attr("ceil_mode", 0)),
        count_include_pad=bool(node.attr("count_include_pad", 0)),
    )


@onnx_operator("LpPool")
def lp_pool(node: Node) -> Value:
    """(sum of |x|^p over the window)^(1/p), through the average with padding counted."""
    x, p = node.input(0), node.attr("p", 2)
    powers = power_of_abs(node, x, p)
    geometry = window(node, x, list(node.attr("kernel_shape")))
    if node.attr("ceil_mode", 0):
        geometry = _whole_windows(node, x, geometry)
    mean = _pooled(node, "average_pool", powers, geometry, ceil_mode=False, count_include_pad=True)
    total = node.emit("mul", mean, node.scalar(math.prod(geometry.kernel), mean))
    return root(node, total, p)


def _whole_windows(node: Node, x: Value, geometry: Window) -> Window:
    """The window with as much padding at the ends as windows of ceil_mode reach over them."""
    rank, pads = len(geometry.kernel), list(geometry.pads)
    for i, size in enumerate(node.static(x.shape[2:], "ceil_mode")):
        extent, stride = (geometry.kernel[i] - 1) * geometry.dilations[i] + 1, geometry.strides[i]
        last = -(-(size + pads[i] + pads[rank + i] - extent) // stride) * stride
        if last >= size + pads[i]:
            last -= stride
        pads[rank + i] = max(pads[rank + i], last + extent - size - pads[i])
    return replace(geometry, pads=pads)


def _pool(node: Node, op: str, x: Value, **attributes: bool) -> Value:
    return _pooled(node, op, x, window(node, x, list(node.attr("kernel_shape"))), **attributes)


def _pooled(node: Node, op: str, x: Value, geometry: Window, **attributes: bool) -> Value:
    return node.emit(op, x, kernel=geometry.kernel, **geometry.attributes(), **attributes, layout="NCHW")


@onnx_operator("LRN")
def lrn(node: Node) -> Value:
    attributes = {
        name: float(node.attr(name, d)) for name, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    }
    return node.emit("lrn", node.input(0), size=node.attr("size"), **attributes)
