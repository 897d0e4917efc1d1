"""Range."""

from __future__ import annotations

import math

from onnx import TensorProto

from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.common.dynamic_values import checked, counted, number_of
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("Range", since=11)
def range_(node: Node) -> Value:
    bounds = [node.reshape(node.input(i), []) for i in range(3)]
    if not all(b.is_constant for b in bounds):
        return _computed(node, *bounds)
    start, limit, delta = (b.known.item() for b in bounds if b.known is not None)
    if delta == 0:
        raise NodeFailure("delta is 0")
    count = max(0, math.ceil((limit - start) / delta))
    return node.emit("range", *bounds, result_type=node.type_of([count], bounds[0].number))


def _computed(node: Node, start: Value, limit: Value, delta: Value) -> Value:
    """start + i * delta, for as many i as come before the limit."""
    number = start.number
    if element_types.is_integer(number):
        whole = TensorProto.INT64
    else:
        whole = TensorProto.DOUBLE if number == TensorProto.DOUBLE else TensorProto.FLOAT
    start, limit, delta = (node.cast(each, whole) for each in (start, limit, delta))
    zero = node.scalar(0, delta)
    delta = checked(node, delta, node.emit("not", node.emit("equal", delta, zero)), "delta is 0")
    distance = node.emit("sub", limit, start)
    if whole == TensorProto.INT64:
        # Away from 0 towards the limit, as division cuts off.
        rest = node.emit("sub", delta, node.emit("sign", delta))
        count = node.emit("div", node.emit("add", distance, rest), delta)
    else:
        quotient = node.emit("ceil", node.emit("div", distance, delta))
        is_count = node.emit("less", node.emit("abs", quotient), node.scalar(2.0**62, quotient))
        quotient = checked(node, quotient, is_count, "the number of elements is not finite")
        count = node.cast(quotient, TensorProto.INT64)
    count = node.emit("max", count, number_of(node, 0))
    [length] = node.read_dims(node.reshape(count, [1]))
    steps = node.emit("mul", counted(node, length, whole), delta)
    return node.cast(node.emit("add", steps, start), number)
