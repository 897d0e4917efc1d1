"""Indices that must be in range and divisors that must not be 0: ops that fail the call otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import iota
from mlc.frontends.onnx.values import Dim, Value


def look_up(node: Node, x: Value, indices: Value, axis: int, negative: bool = True) -> Value:
    """Returns the slices of x at indices along an axis, which must be in range; `negative` ones count from
    the end, or are out of range."""
    return node.emit("gather", x, indices, axis=axis, **failing(indices, x.shape[axis : axis + 1], negative))


def in_range(node: Node, indices: Value, extent: Dim) -> Value:
    """Returns indices in a call that fails unless they are in `[0, extent)`: a look-up in the integers from 0
    on."""
    if _are_in_range(indices, [extent], negative=False):
        return indices
    return look_up(node, iota(node, extent, indices.onnx_type), indices, 0, negative=False)


def failing(indices: Value, extents: Sequence[Dim], negative: bool = True) -> dict[str, str]:
    """Returns the attribute by which indices out of range fail the call; none for constants that are in
    range. `extents` are the sizes of what the indices name, one for each column of their last dim if there
    are several."""
    return (
        {}
        if _are_in_range(indices, extents, negative)
        else {"out_of_range": "fail" if negative else "fail_negative"}
    )


def failing_by_zero(divisors: Value) -> dict[str, str]:
    """Returns the attribute by which divisors of 0 fail the call; none for floats, and for constants without
    zeros."""
    if not np.issubdtype(divisors.dtype, np.integer):
        return {}
    array = _constant(divisors)
    return {"zero_divisor": "fail"} if array is None or not array.all() else {}


def _constant(value: Value) -> np.ndarray | None:
    return value.known if value.is_constant else value.stored and value.stored()


def _are_in_range(indices: Value, extents: Sequence[Dim], negative: bool) -> bool:
    array = _constant(indices)
    static = [extent for extent in extents if isinstance(extent, int)]
    if array is None or len(static) < len(extents):
        return False
    most = np.asarray(static, np.int64)
    least = -most if negative else np.zeros_like(most)
    return bool(((array >= least) & (array < most)).all())
