"""Pooling and local response normalisation."""

from __future__ import annotations

from dataclasses import replace

from mlc.dialects.graph.sizes import maximum, minimum, product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.expressions import filled_with
from mlc.frontends.onnx.operators.common.p_norms import power_of_abs, root
from mlc.frontends.onnx.operators.common.sliding_windows import Window, lowest, window
from mlc.frontends.onnx.operators.nn.max_pool_indices import indices_of_largest, told_indices_of_largest
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
    uncounted = (
        op == "average_pool"
        and not attributes["count_include_pad"]
        and any(pad != 0 for pad in geometry.pads)
    )
    if geometry.moves or (not all(_known(x)) and (attributes["ceil_mode"] or uncounted)):
        return _told_pool(node, op, x, geometry, **attributes)
    return node.emit(op, x, kernel=geometry.kernel, **geometry.attributes(), **attributes, layout="NCHW")


def _known(x: Value) -> list[bool]:
    return [isinstance(dim, int) for dim in x.shape[2:]]


def _told_pool(
    node: Node, op: str, x: Value, geometry: Window, ceil_mode: bool, count_include_pad: bool = False
) -> Value:
    """The same with as much padding as only running tells. A mean is that with all padding, by the part of
    each window that counts."""
    whole = _whole_windows(node, x, geometry) if ceil_mode else geometry
    if op == "max_pool":
        return _unpadded(node, op, x, whole, lowest(x.dtype))
    rank = len(geometry.kernel)
    pads = geometry.pads if count_include_pad else [0] * (2 * rank)
    sizes = [size + pads[axis] + pads[rank + axis] for axis, size in enumerate(x.shape[2:])]
    counted = filled_with(node, [1, 1, *sizes], 1.0, x.number)
    beyond = replace(whole, pads=[all_of - own for all_of, own in zip(whole.pads, pads, strict=True)])
    total, part = _unpadded(node, op, x, whole), _unpadded(node, op, counted, beyond)
    return node.emit("div", total, part)


def _unpadded(node: Node, op: str, x: Value, geometry: Window, fill: float = 0) -> Value:
    x, geometry = geometry.inside(node, x, fill, whole=True)
    return node.emit(op, x, kernel=geometry.kernel, **geometry.attributes(), layout="NCHW")


@onnx_operator("LRN")
def lrn(node: Node) -> Value:
    attributes = {
        name: float(node.attr(name, d)) for name, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    }
    return node.emit("lrn", node.input(0), size=node.attr("size"), **attributes)
