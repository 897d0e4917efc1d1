"""Inverses of small matrices, by Gauss-Jordan elimination written out as graph ops."""

from __future__ import annotations

import numpy as np

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Value

# Each row takes some 20 ops.
MOST_ROWS = 16


def invert(node: Node, x: Value) -> Value:
    """Returns the inverses of matrices `[..., n, n]` of at most MOST_ROWS rows, by Gauss-Jordan elimination
    with partial pivoting."""
    [rows] = node.static(x.shape[-1:], "the number of rows")
    identity = node.constant(np.eye(rows, dtype=x.dtype))
    both = node.emit("concat", x, node.expand(identity, x.shape), axis=x.rank - 1)
    for step in range(rows):
        both = _eliminate(node, _pivot(node, both, step, rows), step, rows)
    return columns(node, both, rows, rows)


def columns(node: Node, x: Value, first: int, count: int) -> Value:
    """Returns `count` columns of `[..., n, m]` from `first` on."""
    starts, sizes = [0] * x.rank, [-1] * x.rank
    starts[-1], sizes[-1] = first, count
    return node.emit("slice", x, starts=starts, sizes=sizes, steps=[1] * x.rank)


def _row(node: Node, both: Value, chosen: Value) -> Value:
    """Returns `[..., 1, 2n]`: the row where `chosen` `[..., n, 1]` is 1."""
    return node.emit("reduce_sum", node.emit("mul", chosen, both), axes=[both.rank - 2], keepdims=True)


def _pivot(node: Node, both: Value, step: int, rows: int) -> Value:
    """Exchanges row `step` with the row from there on that has the largest magnitude in column `step`."""
    column = node.emit("abs", columns(node, both, step, 1))
    open_rows = np.where(np.arange(rows) >= step, 0.0, -np.inf).reshape(rows, 1).astype(both.dtype)
    axis = both.rank - 2
    candidates = node.emit("add", column, node.constant(open_rows))
    best = node.emit("arg_max", candidates, axis=axis, keepdims=True, select_last_index=False)
    row_indices = node.constant(np.arange(rows, dtype=np.int64).reshape(rows, 1))
    is_best, is_step = (
        node.emit("equal", row_indices, best),
        node.constant(np.arange(rows).reshape(rows, 1) == step),
    )
    pivot, own = (_row(node, both, node.cast(flags, both.onnx_type)) for flags in (is_best, is_step))
    exchanged = node.emit("where", is_best, own, both)
    return node.emit("where", is_step, pivot, exchanged)


def _eliminate(node: Node, both: Value, step: int, rows: int) -> Value:
    """Turns column `step` into that of the identity: divides its row by the pivot and subtracts multiples
    from the others."""
    is_step = node.constant(np.arange(rows).reshape(rows, 1) == step)
    row = _row(node, both, node.cast(is_step, both.onnx_type))
    unit = node.emit("div", row, columns(node, row, step, 1))
    rest = node.emit("sub", both, node.emit("mul", columns(node, both, step, 1), unit))
    return node.emit("where", is_step, unit, rest)
