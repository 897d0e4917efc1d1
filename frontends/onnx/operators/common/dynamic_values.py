"""Graph ops for what only running tells: axes, places and lengths that the model computes.

Scalars and vectors are of i64. A length that comes out of a computation becomes a dim by `Node.read_dims`.
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

# (first place, number of elements, step) along an axis.
Part = tuple[Dim, Dim, int]

I64 = TensorProto.INT64


def counted(node: Node, count: Dim, number: int = I64) -> Value:
    """[0, 1, ..., count - 1]."""
    if not isinstance(count, int):
        numbers = node.emit("range", number_of(node, 0), node.size(count), number_of(node, 1))
        return node.cast(node.named(numbers, [count]), number)
    dtype = element_types.numpy_dtype(number)
    bounds = (node.constant(np.array(v, dtype)) for v in (0, count, 1))
    return node.emit("range", *bounds, result_type=node.type_of([count], number))


def number_of(node: Node, value: Value | Dim) -> Value:
    """An i64 scalar: a dim, or the only element of a value."""
    if isinstance(value, Value):
        return node.reshape(node.cast(value, I64), [])
    return node.constant(np.int64(value)) if isinstance(value, int) else node.size(value)


def element(node: Node, vector: Value, place: int) -> Value:
    """One element of a vector as a scalar."""
    return node.reshape(node.emit("slice", vector, starts=[place], sizes=[1], steps=[1]), [])


def checked(node: Node, value: Value, truth: Value, wrong: str) -> Value:
    """`value`, in a call that fails unless all of `truth` (i1) is true: `wrong` says what is wrong then.
    Raises NodeError where that is known at import. What is large is better not checked: it is copied."""
    if truth.known is not None and not truth.known.all():
        raise NodeError(wrong)
    if truth.is_constant and truth.known is not None:
        return value
    if truth.rank:
        false = node.cast(node.emit("not", truth), I64)
        count = node.emit("reduce_sum", false, axes=list(range(truth.rank)), keepdims=False)
        truth = node.emit("equal", count, number_of(node, 0))
    return node.emit("check", value, truth, message=f"{node.op_type} '{_first(node.outputs)}': {wrong}")


def _first(outputs: Sequence[str]) -> str:
    return next((name for name in outputs if name), "")


def checked_axes(node: Node, axes: Value, rank: int) -> Value:
    """Axes of any shape that only running tells as i64, in a call that fails unless they are axes of `rank`
    ones, negative ones counted from the back."""
    wide = node.cast(axes, I64)
    is_least = node.emit("greater_equal", wide, number_of(node, -rank))
    is_most = node.emit("less", wide, number_of(node, rank))
    wrong = f"an axis is outside of [{-rank}, {rank - 1}]"
    return checked(node, wide, node.emit("and", is_least, is_most), wrong)


def vector_of(node: Node, vector: Value, length: int, why: str = "") -> Value:
    """A vector of integers as i64, in a call that fails unless it has `length` elements; `why` says who wants
    so many. Raises NodeError where it surely has not."""
    wide = node.cast(vector, I64)
    if wide.shape == (length,):
        return wide
    if wide.rank != 1 or isinstance(wide.shape[0], int):
        raise NodeError(f"'{vector.name}' must hold {length} numbers")
    return taken(node, _of_length(node, wide, vector, length, why), 0, 0, length)


def _of_length(node: Node, value: Value, vector: Value, length: int, why: str) -> Value:
    """A value in a call that fails unless a vector has `length` elements."""
    fits = node.emit("equal", number_of(node, vector.shape[0]), number_of(node, length))
    return checked(node, value, fits, f"'{vector.name}' does not hold {length} numbers{why}")


def declared_length(node: Node, shape: Value) -> Value:
    """A shape as a vector of i64 whose length is the declared rank where only running tells it."""
    [length] = shape.shape
    if isinstance(length, int):
        return node.cast(shape, I64)
    rank = declared_rank(node)
    return vector_of(node, shape, rank, _declares(rank))


def of_declared_rank(node: Node, result: Value, shape: Value) -> Value:
    """A result in a call that fails where it is a scalar because the model declares one, and the shape that
    is wanted is none's: nothing reads a shape without elements."""
    if result.rank or shape.rank != 1 or isinstance(shape.shape[0], int):
        return result
    return _of_length(node, result, shape, 0, _declares(0))


def _declares(rank: int) -> str:
    return f", and a result of rank {rank} is declared"


def is_declared(node: Node, index: int = 0) -> bool:
    """Whether the model declares the shape of an output."""
    return index < len(node.declared) and node.declared[index] is not None


def declared_rank(node: Node, index: int = 0) -> int:
    """The rank that the model declares for an output. Raises UnsupportedNodeError where it does not."""
    declared = node.declared[index] if index < len(node.declared) else None
    if declared is None:
        raise UnsupportedNodeError(
            "the rank of the result is not known: neither its inputs nor the model tell it"
        )
    return len(declared)


def _named_axes(node: Node, axes: Value, rank: int) -> Value:
    """`[n, rank]`: whether each of n axes, negative ones counted from the back, is the one of the column."""
    wide = checked_axes(node, axes, rank)
    counted_from_front = node.emit("mod", wide, number_of(node, rank), fmod=False)
    return node.emit("equal", node.reshape(counted_from_front, [*wide.shape, 1]), counted(node, rank))


def axis_mask(node: Node, axes: Value, rank: int) -> Value:
    """`[rank]` of i1: whether a vector of axes, of any length, names each of `rank` (at least 1) axes."""
    named = node.cast(_named_axes(node, axes, rank), I64)
    times = node.emit("reduce_sum", named, axes=[0], keepdims=False)
    return node.emit("greater", times, number_of(node, 0))


def per_axis(node: Node, values: Value, axes: Value, rank: int, default: Value) -> Value:
    """`[rank]`: for each axis the one of `values` where `axes` names it, else `default` (a scalar, or
    `[rank]`). `values` and `axes` have one length, which only running may tell."""
    values = with_length(node, node.cast(values, I64), axes.shape[0])
    rows = node.reshape(values, [*values.shape, 1])
    found = node.emit("where", _named_axes(node, axes, rank), rows, number_of(node, 0))
    total = node.emit("reduce_sum", found, axes=[0], keepdims=False)
    return node.emit("where", axis_mask(node, axes, rank), total, default)


def places_before(node: Node, mask: Value) -> Value:
    """For each element of a vector of i1 how many of those before it are true."""
    flags = node.cast(mask, I64)
    return node.emit("sub", node.emit("cumsum", flags, axis=0, exclusive=False, reverse=False), flags)


def dims_where(node: Node, dims: Sequence[Dim], mask: Value, count: int) -> list[Dim]:
    """Those of `dims` where the mask `[len(dims)]` is true, of which it is known that there are `count`."""
    rank = len(dims)
    if not count or not rank:
        return []
    wanted = node.constant(np.arange(count, dtype=np.int64).reshape(count, 1))
    is_wanted = node.emit("and", node.emit("equal", places_before(node, mask), wanted), mask)
    found = node.emit("where", is_wanted, node.sizes(dims), number_of(node, 0))
    return node.read_dims(node.emit("reduce_sum", found, axes=[1], keepdims=False))


def taken(node: Node, x: Value, axis: int, start: Value | Dim, count: Dim, step: Value | Dim = 1) -> Value:
    """`count` elements along an axis from `start` on at distance `step`: all of them inside."""
    places = counted(node, count)
    if not _is_number(step, 1):
        places = node.emit("mul", places, number_of(node, step))
    if not _is_number(start, 0):
        places = node.emit("add", places, number_of(node, start))
    return node.emit("gather", x, places, axis=axis)


def with_length(node: Node, vector: Value, length: Dim) -> Value:
    """A vector of which it is known that it has as many elements as something else, with that length. Raises
    NodeError where it surely has another one."""
    if vector.rank != 1 or differ(vector.shape[0], length):
        shape = list(map(str, vector.shape))
        raise NodeError(f"'{vector.name}' of shape {shape} must hold {length} numbers")
    return vector if vector.shape == (length,) else taken(node, vector, 0, 0, length)


def _is_number(value: Value | Dim, number: int) -> bool:
    return isinstance(value, int) and value == number


def chosen(node: Node, flag: Value, one: Value, other: Value, axis: int) -> Value:
    """`one` where the scalar `flag` of i1 is true, else `other`; they differ in no dim but that at `axis`."""
    if one.shape == other.shape:
        return node.emit("where", flag, one, other)
    lengths = [number_of(node, each.shape[axis]) for each in (one, other)]
    [count] = node.read_dims(node.reshape(node.emit("where", flag, *lengths), [1]))
    start = node.emit("where", flag, number_of(node, 0), lengths[0])
    return taken(node, node.emit("concat", one, other, axis=axis), axis, start, count)


def sliced(node: Node, x: Value, ranges: Mapping[int, Part]) -> Value:
    """Takes (first place, number of elements, step) along the given axes; the others are whole. Known places
    exist; -1 elements are all that follow."""
    known = {
        axis: (start, count, step)
        for axis, (start, count, step) in ranges.items()
        if isinstance(start, int) and isinstance(count, int)
    }
    for axis, (start, count, step) in ranges.items():
        if axis not in known:
            x = taken(node, x, axis, start, count, step)
    if not known:
        return x
    sizes = [-1 if isinstance(d, Size) else d for d in x.shape]
    whole = [(0, size, 1) for size in sizes]
    starts, counts, steps = zip(*[known.get(i, w) for i, w in enumerate(whole)], strict=True)
    return node.emit("slice", x, starts=list(starts), sizes=list(counts), steps=list(steps))


def filled(node: Node, shape: Sequence[Dim], element: np.generic) -> Value:
    """A tensor whose elements are all `element`; small ones are known at import."""
    kind = node.type_of(shape, element_types.onnx_number(element.dtype))
    known = [d for d in shape if isinstance(d, int)]
    if any(d < 0 for d in known):
        raise NodeError(f"the shape {known} has a negative dim")
    if len(known) < len(shape):
        told = node.sizes(shape)
        return node.named(node.emit("full", told, result_type=kind, value=_number(element)), shape)
    if math.prod(known) * element.itemsize <= SMALL:
        return node.constant(np.full(known, element, element.dtype))
    return node.emit("full", result_type=kind, value=_number(element))


def _number(element: np.generic) -> int | float:
    """The element as `graph.full` says it: complex ones are zeros."""
    return element.real.item() if isinstance(element, np.complexfloating) else element.item()
