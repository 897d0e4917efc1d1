"""Operators whose result is as long as the data says, where the data are constants."""

from __future__ import annotations

from math import prod

import numpy as np
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("Compress", since=9)
def compress(node: Node) -> Value:
    """A gather at the places where the condition, which may be shorter than the dim, holds."""
    x, condition = node.input(0), node.input(1)
    if condition.known is None or not condition.is_constant:
        raise Unsupported("a condition that is only known when the model runs is not supported")
    axis = node.attr("axis", None)
    if axis is None:
        x, axis = node.reshape(x, [prod(node.shape(x))]), 0
    axis = node.axis(axis, x.rank)
    (extent,) = node.static([x.shape[axis]], f"the dim {axis}")
    places = np.flatnonzero(condition.known)
    if places.size and places[-1] >= extent:
        raise NodeFailure(f"the condition holds at {places[-1]}, outside of the dim of {extent}")
    return node.emit("gather", x, node.constant(places, np.int64), axis=axis)


@onnx_operator("NonZero", since=9)
def non_zero(node: Node) -> Value:
    x = node.input(0)
    if x.known is None or not x.is_constant:
        raise Unsupported("a result whose length is only known when the model runs is not supported")
    # A scalar has no coordinates, but as many columns as others would have.
    places = np.stack(np.nonzero(x.known)) if x.rank else np.zeros((0, np.count_nonzero(x.known)))
    return node.constant(places, np.int64)


@onnx_operator("Unique", since=11)
def unique(node: Node) -> list[Value]:
    """Values, where each is first, for each element the place of its value, and how often each is there."""
    x, axis = node.input(0), node.attr("axis", None)
    if x.known is None or not x.is_constant:
        raise Unsupported("results whose length is only known when the model runs are not supported")
    along = None if axis is None else node.axis(axis, x.rank)
    values, first, inverse, counts = np.unique(x.known, True, True, True, axis=along)
    order = np.arange(len(first)) if node.attr("sorted", 1) else np.argsort(first)
    place = np.argsort(order)
    found = (np.take(values, order, along or 0), first[order], place[inverse.reshape(-1)], counts[order])
    return [node.constant(found[0], x.dtype), *(node.constant(each, np.int64) for each in found[1:])]
