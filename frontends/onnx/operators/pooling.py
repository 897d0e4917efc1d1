"""Pooling and local response normalisation."""

from __future__ import annotations

import math

from mlc.frontends.onnx.node import Node, Unsupported
from mlc.frontends.onnx.operators.powers import power_of_abs, root
from mlc.frontends.onnx.operators.windows import window
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("MaxPool")
def max_pool(node: Node) -> Value:
    if node.wants(1):
        raise Unsupported("the output Indices is not supported")
    return _pool(node, "max_pool", node.input(0), ceil_mode=bool(node.attr("ceil_mode", 0)))


@onnx_operator("AveragePool")
def average_pool(node: Node) -> Value:
    return _pool(
        node,
        "average_pool",
        node.input(0),
        ceil_mode=bool(node.attr("ceil_mode", 0)),
        count_include_pad=bool(node.attr("count_include_pad", 0)),
    )


@onnx_operator("LpPool", since=2)
def lp_pool(node: Node) -> Value:
    """(sum of |x|^p over the window)^(1/p), through the average with padding counted."""
    x, p = node.input(0), node.attr("p", 2)
    if node.attr("ceil_mode", 0):
        raise Unsupported("ceil_mode = 1 is not supported")
    powers = power_of_abs(node, x, p)
    mean = _pool(node, "average_pool", powers, ceil_mode=False, count_include_pad=True)
    total = node.emit("mul", mean, node.scalar(math.prod(node.attr("kernel_shape")), mean))
    return root(node, total, p)


def _pool(node: Node, op: str, x: Value, **attributes: bool) -> Value:
    geometry = window(node, x, list(node.attr("kernel_shape")))
    return node.emit(op, x, kernel=geometry.kernel, **geometry.attributes(), **attributes, layout="NCHW")


@onnx_operator("LRN")
def lrn(node: Node) -> Value:
    attributes = {
        name: float(node.attr(name, d)) for name, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    }
    return node.emit("lrn", node.input(0), size=node.attr("size"), **attributes)
