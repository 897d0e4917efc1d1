"""Operators of com.microsoft that move elements, most of them older forms of ONNX's."""

from __future__ import annotations

from dataclasses import replace

from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.matrix_inverse import MOST_ROWS, invert
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
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
