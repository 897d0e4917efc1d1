"""Pooling and local response normalisation."""

from __future__ import annotations

from dataclasses import replace

from mlc.dialects.graph.sizes import maximum, minimum, product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.formulas import filled_with
from mlc.frontends.onnx.operators.pool_indices import indices_of_largest, told_indices_of_largest
from mlc.frontends.onnx.operators.powers import power_of_abs, root
from mlc.frontends.onnx.operators.windows import Window, lowest, window
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("MaxPool")
def max_pool(node: Node) -> list[Value | None]:
    x = node.input(0)
    result = _pool(node, "max_pool", x, ceil_mode=bool(node.attr("ceil_mode", 0)))
    if not node.wants(1):
        return [result, None]
    geometry = window(node, x, list(node.attr("kernel_shape")))
    if all(value.is_static for value in (x, result)):
        return [result, indices_of_largest(node, x, geometry, node.shape(result)[2:])]
    return [result, told_indices_of_largest(node, x, geometry, result.shape[2:])]


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
    total = node.emit("mul", mean, node.scalar(product(geometry.kernel), mean))
    return root(node, total, p)


def _whole_windows(node: Node, x: Value, geometry: Window) -> Window:
    """The window with as much padding at the ends as windows of ceil_mode reach over them."""
    rank, pads = len(geometry.kernel), list(geometry.pads)
    for i, size in enumerate(x.shape[2:]):
        extent, stride = (geometry.kernel[i] - 1) * geometry.dilations[i] + 1, geometry.strides[i]
        last = -(-(size + pads[i] + pads[rank + i] - extent) // stride)
        # A window that would start in the padding is left out.
        last = last - 1 + minimum(1, maximum(0, -(-(size + pads[i]) // stride) - last))
        pads[rank + i] = maximum(pads[rank + i], last * stride + extent - size - pads[i])
    return replace(geometry, pads=pads)


def _pool(node: Node, op: str, x: Value, **attributes: bool) -> Value:
    return _pooled(node, op, x, window(node, x, list(node.attr("kernel_shape"))), **attributes)


def _pooled(node: Node, op: str, x: Value, geometry: Window, **attributes: bool) -> Value:
    if geometry.moves and op == "average_pool" and not attributes["count_include_pad"]:
        return _mean_of_inside(node, x, geometry, attributes["ceil_mode"])
    x, geometry = geometry.inside(node, x, lowest(x.dtype) if op == "max_pool" else 0)
    return node.emit(op, x, kernel=geometry.kernel, **geometry.attributes(), **attributes, layout="NCHW")


def _mean_of_inside(node: Node, x: Value, geometry: Window, ceil_mode: bool) -> Value:
    """The mean without the padding, where only running tells how much that is: with it, by the part of each
    window that is no padding."""
    ones = filled_with(node, [1, 1, *x.shape[2:]], 1.0, x.number)
    total, part = (
        _pooled(node, "average_pool", each, geometry, ceil_mode=ceil_mode, count_include_pad=True)
        for each in (x, ones)
    )
    return node.emit("div", total, part)


@onnx_operator("LRN")
def lrn(node: Node) -> Value:
    attributes = {
        name: float(node.attr(name, d)) for name, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    }
    return node.emit("lrn", node.input(0), size=node.attr("size"), **attributes)
