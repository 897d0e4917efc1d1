"""Indices that must be in range and divisors that must not be 0: the call fails otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.dialects.graph.sizes import always_less, always_unequal
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Dim, Value


def look_up(node: Node, x: Value, indices: Value, axis: int, negative: bool = True) -> Value:
    """Returns the slices of x at indices along an axis, which must be in range; `negative` ones count from
    the end, or are out of range."""
    expect_in_range(node, indices, x.shape[axis : axis + 1], negative, axis)
    return node.emit("gather", x, indices, axis=axis)


def expect_in_range(
    node: Node, indices: Value, extents: Sequence[Dim], negative: bool = True, axis: int = 0
) -> None:
    """Lets the call fail unless indices are in `[-extent, extent)`, or in `[0, extent)` where `negative` ones
    are out of range. `extents` are the sizes of the dims from `axis` on that the indices name, one for each
    column of their last dim if there are several."""
    if len(extents) != 1 and not _has_columns(indices, len(extents)):
        return
    if _are_in_range(indices, extents, negative):
        return
    if len(extents) > 1:
        indices = node.reshape(indices, [*indices.shape[:-1], len(extents)])
    attributes = {"axis": axis, "front_only": not negative, "what": node.op_type}
    node.emit_several("expect_indices", indices, node.sizes(extents), **attributes)


def _has_columns(indices: Value, count: int) -> bool:
    """Whether the last dim of indices can be `count`; what reads them refuses others."""
    return count > 0 and indices.rank > 0 and not always_unequal(indices.shape[-1], count)


def expect_nonzero(node: Node, divisors: Value) -> None:
    """Lets the call fail if one of the divisors, if they are integers, is 0."""
    if np.issubdtype(divisors.dtype, np.integer) and not _are_nonzero(divisors):
        node.emit_several("expect_nonzero", divisors, what=node.op_type)


def _elements(value: Value) -> np.ndarray | None:
    """Returns the elements of a constant, or of a value that follows from sizes."""
    return value.stored() if value.known is None and value.stored is not None else value.known


def _are_nonzero(divisors: Value) -> bool:
    """Whether no divisor is known to be 0, or a size that may be 0."""
    array = _elements(divisors)
    if array is None or array.dtype != object:
        return array is not None and bool(array.all())
    return all(always_less(0, size) or always_less(size, 0) for size in array.flat)


def _are_in_range(indices: Value, extents: Sequence[Dim], negative: bool) -> bool:
    """Whether indices are known to be in range."""
    array = _elements(indices)
    if array is None:
        return False
    columns = array.reshape(-1, len(extents)).T
    return all(
        always_less((-extent if negative else 0) - 1, index) and always_less(index, extent)
        for extent, column in zip(extents, columns, strict=True)
        for index in set(column.tolist())
    )
