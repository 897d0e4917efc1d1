"""Operators of com.microsoft that move elements, most of them older forms of ONNX's."""

from __future__ import annotations

from dataclasses import replace

from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.matrix_inverse import MOST_ROWS, invert
from mlc.frontends.onnx.operators.image.grid_sample import grid_sample
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.tensor.compaction import unique
from mlc.frontends.onnx.operators.tensor.creation import range_
from mlc.frontends.onnx.operators.tensor.gather_scatter import gather_nd
from mlc.frontends.onnx.operators.tensor.movement import trilu
from mlc.frontends.onnx.operators.tensor.padding import pad
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("Trilu", domain=MICROSOFT)
def triangle(node: Node) -> Value:
    """Imports Trilu."""
    return trilu(node)


@onnx_operator("ExpandDims", domain=MICROSOFT)
def expand_dims(node: Node) -> Value:
    """Imports ExpandDims."""
    x, (axis,) = node.input(0), node.ints(1)
    return node.emit("unsqueeze", x, axes=[node.axis(axis, x.rank + 1)])


@onnx_operator("Pad", domain=MICROSOFT)
def pad_11(node: Node) -> Value:
    """Imports Pad, which is ONNX's Pad of opset 11."""
    return pad(replace(node, opset=11))


@onnx_operator("GatherND", domain=MICROSOFT)
def gather_tuples(node: Node) -> Value:
    """Imports GatherND."""
    return gather_nd(node)


@onnx_operator("GridSample", domain=MICROSOFT)
def sample_grid(node: Node) -> Value:
    """Imports GridSample."""
    return grid_sample(node)


@onnx_operator("Range", domain=MICROSOFT)
def range_by_default(node: Node) -> Value:
    """Imports Range, whose step is 1 where it is left out."""
    start = node.input(0)
    step = node.optional(2) or node.scalar(1, start)
    return range_(node.with_inputs(start, node.input(1), step))


@onnx_operator("Unique", domain=MICROSOFT)
def unique_in_order(node: Node) -> list[Value]:
    """Imports Unique: the values of a vector in the order of their first elements, for each element the index
    of its value, and the counts."""
    values, _, inverse, counts = unique(replace(node, attributes={"sorted": 0}))
    return [values, inverse, counts]


@onnx_operator("Inverse", domain=MICROSOFT)
def inverse(node: Node) -> Value:
    """Imports Inverse of small square matrices. Raises NodeError for others, UnsupportedNodeError for large
    ones."""
    x = node.input(0)
    rows, columns = node.static(x.shape[-2:], "the matrix")
    if rows != columns:
        raise NodeError(f"a matrix of {rows} x {columns} has no inverse")
    if rows > MOST_ROWS:
        raise UnsupportedNodeError(f"inverses of matrices of more than {MOST_ROWS} rows are not supported")
    return invert(node, x)
