"""Graph ops for dynamic values: axes, indices and lengths that the model computes.

Scalars and vectors are of i64. A computed length becomes a dim by `Node.read_dims`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, differ
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.tensors import SMALL
from mlc.frontends.onnx.values import Dim, Value

# (first index, number of elements, step) along an axis.
Part = tuple[Dim, Dim, int]

I64 = TensorProto.INT64


def iota(node: Node, count: Dim, onnx_type: int = I64) -> Value:
    """Returns the vector `[0, 1, ..., count - 1]`."""
    if not isinstance(count, int):
        steps = node.emit("range", i64_scalar(node, 0), node.size(count), i64_scalar(node, 1))
        return node.cast(node.name_dims(steps, [count]), onnx_type)
    dtype = element_types.numpy_dtype(onnx_type)
    bounds = (node.constant(np.array(v, dtype)) for v in (0, count, 1))
    return node.emit("range", *bounds, result_type=node.type_of([count], onnx_type))


def i64_scalar(node: Node, value: Value | Dim) -> Value:
    """Returns a dim, or the only element of a value, as an i64 scalar."""
    if isinstance(value, Value):
        return node.reshape(node.cast(value, I64), [])
    return node.constant(np.int64(value)) if isinstance(value, int) else node.size(value)


def element(node: Node, vector: Value, index: int) -> Value:
    """Returns one element of a vector as a scalar."""
    return node.reshape(node.emit("slice", vector, starts=[index], sizes=[1], steps=[1]), [])


def require(node: Node, value: Value, truth: Value, wrong: str) -> Value:
    """Returns `value`, in a call that fails with the message `wrong` unless all of `truth` (i1) is true.

    Raises NodeError where it is known to fail at import. Large values are better not checked: a check
    copies its operand.
    """
    if truth.known is not None and not truth.known.all():
        raise NodeError(wrong)
    if truth.is_constant and truth.known is not None:
        return value
    if truth.rank:
        false = node.cast(node.emit("not", truth), I64)
        count = node.emit("reduce_sum", false, axes=list(range(truth.rank)), keepdims=False)
        truth = node.emit("equal", count, i64_scalar(node, 0))
    return node.emit("check", value, truth, message=f"{node.op_type} '{_first(node.outputs)}': {wrong}")


def _first(outputs: Sequence[str]) -> str:
    return next((name for name in outputs if name), "")


def checked_axes(node: Node, axes: Value, rank: int, value: Value | None = None) -> Value:
    """Returns dynamic axes of any shape as i64, or `value`, in a call that fails unless they are in
    [-rank, rank)."""
    wide = node.cast(axes, I64)
    is_least = node.emit("greater_equal", wide, i64_scalar(node, -rank))
    is_most = node.emit("less", wide, i64_scalar(node, rank))
    wrong = f"an axis is outside of [{-rank}, {rank - 1}]"
    return require(node, value or wide, node.emit("and", is_least, is_most), wrong)


def vector_of(node: Node, vector: Value, length: int, why: str = "") -> Value:
    """Returns a vector of integers as i64, in a call that fails unless it has `length` elements.

    `why` completes the message. Raises NodeError where the length is known to be another.
    """
    wide = node.cast(vector, I64)
    if wide.shape == (length,):
        return wide
    if wide.rank != 1 or isinstance(wide.shape[0], int):
        raise NodeError(f"'{vector.name}' must hold {length} integers")
    return take_range(node, _of_length(node, wide, vector, length, why), 0, 0, length)


def _of_length(node: Node, value: Value, vector: Value, length: int, why: str) -> Value:
    """Returns `value`, in a call that fails unless `vector` has `length` elements."""
    fits = node.emit("equal", i64_scalar(node, vector.shape[0]), i64_scalar(node, length))
    return require(node, value, fits, f"'{vector.name}' does not hold {length} integers{why}")


def declared_length(node: Node, shape: Value) -> Value:
    """Returns a shape as a vector of i64, whose length is the declared rank where it is dynamic."""
    [length] = shape.shape
    if isinstance(length, int):
        return node.cast(shape, I64)
    rank = declared_rank(node)
    return vector_of(node, shape, rank, _declares(rank))


def of_declared_rank(node: Node, result: Value, shape: Value) -> Value:
    """Returns `result`, in a call that fails where a scalar is declared, but `shape` has elements.

    A scalar's shape has no elements, so nothing else would read `shape`.
    """
    if result.rank or shape.rank != 1 or isinstance(shape.shape[0], int):
        return result
    return _of_length(node, result, shape, 0, _declares(0))


def _declares(rank: int) -> str:
    return f", and a result of rank {rank} is declared"


def is_declared(node: Node, index: int = 0) -> bool:
    """Whether the model declares the shape of an output."""
    return index < len(node.declared) and node.declared[index] is not None


def declared_rank(node: Node, index: int = 0) -> int:
    """Returns the rank that the model declares for an output. Raises UnsupportedNodeError where it does
    not."""
    declared = node.declared[index] if index < len(node.declared) else None
    if declared is None:
        raise UnsupportedNodeError(
            "the rank of the result is not known: neither its inputs nor the model give it"
        )
    return len(declared)


def _named_axes(node: Node, axes: Value, rank: int) -> Value:
    """Returns `[n, rank]`: whether each of n axes, negative ones counted from the end, is the column's
    axis."""
    wide = checked_axes(node, axes, rank)
    counted_from_front = node.emit("mod", wide, i64_scalar(node, rank), fmod=False)
    return node.emit("equal", node.reshape(counted_from_front, [*wide.shape, 1]), iota(node, rank))


def axis_mask(node: Node, axes: Value, rank: int, *, distinct: bool = False) -> Value:
    """Returns `[rank]` of i1: whether a vector of axes, of any length, names each of `rank` (at least 1)
    axes. With `distinct` a call fails where it names one twice."""
    named = node.cast(_named_axes(node, axes, rank), I64)
    times = node.emit("reduce_sum", named, axes=[0], keepdims=False)
    if distinct:
        once = node.emit("less", times, i64_scalar(node, 2))
        times = require(node, times, once, "the axes name an axis twice")
    return node.emit("greater", times, i64_scalar(node, 0))


def per_axis(node: Node, values: Value, axes: Value, rank: int, default: Value) -> Value:
    """Returns `[rank]`: for each axis the one of `values` where `axes` names it, else `default` (a scalar, or
    `[rank]`).

    `values` and `axes` have the same length, which may be dynamic. A call fails where `axes` name one twice.
    """
    values = with_length(node, node.cast(values, I64), axes.shape[0])
    rows = node.reshape(values, [*values.shape, 1])
    found = node.emit("where", _named_axes(node, axes, rank), rows, i64_scalar(node, 0))
    total = node.emit("reduce_sum", found, axes=[0], keepdims=False)
    return node.emit("where", axis_mask(node, axes, rank, distinct=True), total, default)


def count_before(node: Node, mask: Value) -> Value:
    """Returns for each element of a vector of i1 how many of those before it are true."""
    flags = node.cast(mask, I64)
    return node.emit("sub", node.emit("cumsum", flags, axis=0, exclusive=False, reverse=False), flags)


def dims_where(node: Node, dims: Sequence[Dim], mask: Value, count: int) -> list[Dim]:
    """Returns those of `dims` where the mask `[len(dims)]` is true, of which there are `count`."""
    rank = len(dims)
    if not count or not rank:
        return []
    wanted = node.constant(np.arange(count, dtype=np.int64).reshape(count, 1))
    is_wanted = node.emit("and", node.emit("equal", count_before(node, mask), wanted), mask)
    found = node.emit("where", is_wanted, node.sizes(dims), i64_scalar(node, 0))
    return node.read_dims(node.emit("reduce_sum", found, axes=[1], keepdims=False))


def take_range(
    node: Node, x: Value, axis: int, start: Value | Dim, count: Dim, step: Value | Dim = 1
) -> Value:
    """Returns `count` elements along an axis from `start` on at distance `step`, all of them inside."""
    indices = iota(node, count)
    if not _is_constant(step, 1):
        indices = node.emit("mul", indices, i64_scalar(node, step))
    if not _is_constant(start, 0):
        indices = node.emit("add", indices, i64_scalar(node, start))
    return node.emit("gather", x, indices, axis=axis)


def with_length(node: Node, vector: Value, length: Dim) -> Value:
    """Returns a vector that is known to have `length` elements with that length as its dim.

    Raises NodeError where it provably has another length.
    """
    if vector.rank != 1 or differ(vector.shape[0], length):
        shape = list(map(str, vector.shape))
        raise NodeError(f"'{vector.name}' of shape {shape} must hold {length} elements")
    return vector if vector.shape == (length,) else take_range(node, vector, 0, 0, length)


def _is_constant(value: Value | Dim, constant: int) -> bool:
    return isinstance(value, int) and value == constant


def select(node: Node, flag: Value, one: Value, other: Value, axis: int) -> Value:
    """Returns `one` where the scalar `flag` of i1 is true, else `other`; they differ in no dim but that at
    `axis`."""
    if one.shape == other.shape:
        return node.emit("where", flag, one, other)
    lengths = [i64_scalar(node, value.shape[axis]) for value in (one, other)]
    [count] = node.read_dims(node.reshape(node.emit("where", flag, *lengths), [1]))
    start = node.emit("where", flag, i64_scalar(node, 0), lengths[0])
    return take_range(node, node.emit("concat", one, other, axis=axis), axis, start, count)


def slice_axes(node: Node, x: Value, ranges: Mapping[int, Part]) -> Value:
    """Returns the (first index, number of elements, step) of `ranges` along the given axes and all elements
    of the others.

    Static indices are in range; -1 elements are all that follow.
    """
    known = {
        axis: (start, count, step)
        for axis, (start, count, step) in ranges.items()
        if isinstance(start, int) and isinstance(count, int)
    }
    for axis, (start, count, step) in ranges.items():
        if axis not in known:
            x = take_range(node, x, axis, start, count, step)
    if not known:
        return x
    sizes = [-1 if isinstance(d, Size) else d for d in x.shape]
    whole = [(0, size, 1) for size in sizes]
    starts, counts, steps = zip(*[known.get(i, w) for i, w in enumerate(whole)], strict=True)
    return node.emit("slice", x, starts=list(starts), sizes=list(counts), steps=list(steps))


def full(node: Node, shape: Sequence[Dim], element: np.generic) -> Value:
    """Returns a tensor whose elements are all `element`; small ones are known at import. Raises NodeError
    for negative dims."""
    result_type = node.type_of(shape, element_types.onnx_data_type(element.dtype))
    known = [d for d in shape if isinstance(d, int)]
    if any(d < 0 for d in known):
        raise NodeError(f"the shape {known} has a negative dim")
    if len(known) < len(shape):
        return node.name_dims(
            node.emit("full", node.sizes(shape), result_type=result_type, value=_fill_value(element)), shape
        )
    if math.prod(known) * element.itemsize <= SMALL:
        return node.constant(np.full(known, element, element.dtype))
    return node.emit("full", result_type=result_type, value=_fill_value(element))


def _fill_value(element: np.generic) -> int | float:
    """Returns the element as the attribute of `graph.full`; complex elements are zeros."""
    return element.real.item() if isinstance(element, np.complexfloating) else element.item()
