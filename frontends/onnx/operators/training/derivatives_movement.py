"""Rules of differentiation of products and of ops that move elements."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.node import Node, Unsupported
from mlc.frontends.onnx.operators.common.expressions import filled_with
from mlc.frontends.onnx.operators.math.contraction import transposed
from mlc.frontends.onnx.operators.tensor.slicing import sliced
from mlc.frontends.onnx.operators.training.derivative_rules import Rule, Step
from mlc.frontends.onnx.values import Dim, Value


def _product(step: Step) -> list[Value | None]:
    """g b^T and a^T g; vectors as matrices of a row or of a column."""
    node, (a, b) = step.node, step.operands
    row, column = (
        (node.reshape(a, [1, *a.shape]) if a.rank == 1 else a),
        (node.reshape(b, [*b.shape, 1]) if b.rank == 1 else b),
    )
    batch = step.result.shape[: step.result.rank - (a.rank > 1) - (b.rank > 1)]
    g = node.reshape(step.gradient, [*batch, row.shape[-2], column.shape[-1]])
    left, right = (
        node.emit("matmul", g, transposed(node, column)),
        node.emit("matmul", transposed(node, row), g),
    )
    return [_without(node, left, -2, a.rank == 1), _without(node, right, -1, b.rank == 1)]


def _without(node: Node, x: Value, axis: int, drops: bool) -> Value:
    """x without the dim of 1 that a vector had as a matrix."""
    shape = list(x.shape)
    if drops:
        del shape[axis]
    return node.reshape(x, shape)


def _reshaped(step: Step) -> list[Value | None]:
    rest = [None] * (len(step.operands) - 1)
    return [step.node.reshape(step.gradient, step.operands[0].shape), *rest]


def _expanded(step: Step) -> list[Value | None]:
    """What is broadcast is summed for every op."""
    return [step.gradient, *[None] * (len(step.operands) - 1)]


def _transposed(step: Step) -> list[Value | None]:
    inverse = np.argsort(step.attribute("permutation")).tolist()
    return [step.node.emit("transpose", step.gradient, permutation=inverse)]


def _joined(step: Step) -> list[Value | None]:
    axis, parts = step.attribute("axis"), list[Value | None]()
    start: Dim = 0
    for operand in step.operands:
        count = operand.shape[axis]
        parts.append(sliced(step.node, step.gradient, {axis: (start, count, 1)}))
        start = start + count
    return parts


def _sliced(step: Step) -> list[Value | None]:
    x, starts, steps = step.operands[0], step.attribute("starts"), step.attribute("steps")
    if any(each != 1 for each in steps) or not (x.is_static and step.result.is_static):
        raise Unsupported("slices of steps, or of dims that only a call tells, have no rule to differentiate")
    extents, taken = step.node.shape(x), step.node.shape(step.result)
    low = [start + extent if start < 0 else start for start, extent in zip(starts, extents, strict=True)]
    high = [extent - first - count for extent, first, count in zip(extents, low, taken, strict=True)]
    return [step.node.emit("pad", step.gradient, low=low, high=high, mode="constant", value=0)]


def _gathered(step: Step) -> list[Value | None]:
    """Each slice is added where it came from."""
    node, (data, indices), axis = step.node, step.operands, step.attribute("axis")
    before, behind, count = data.shape[:axis], data.shape[axis + 1 :], product(indices.shape)
    updates = node.reshape(step.gradient, [*before, count, *behind])
    places = node.reshape(indices, [*[1] * axis, count, *[1] * len(behind)])
    zeros = filled_with(node, data.shape, 0.0, data.number)
    wide = node.expand(places, updates.shape)
    return [node.emit("scatter_elements", zeros, wide, updates, axis=axis, reduction="add"), None]


def _triangle(step: Step) -> list[Value | None]:
    upper, k = step.attribute("upper"), step.attribute("k")
    return [step.node.emit("trilu", step.gradient, upper=upper, k=k)]


MOVEMENT: dict[str, Rule] = {
    "graph.matmul": _product,
    **dict.fromkeys(("graph.reshape", "graph.squeeze", "graph.unsqueeze"), _reshaped),
    "graph.expand": _expanded,
    "graph.transpose": _transposed,
    "graph.concat": _joined,
    "graph.slice": _sliced,
    "graph.gather": _gathered,
    "graph.trilu": _triangle,
}
