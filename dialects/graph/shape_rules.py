"""Checks and shape arithmetic that several families share. An unknown dim (None) agrees with everything.

All of them raise ShapeError, naming the operand or attribute at fault.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mlc.dialects.graph import sizes
from mlc.dialects.graph.elements import holds
from mlc.dialects.graph.sizes import always_unequal, assume, differ
from mlc.dialects.graph.spec import Dim, GraphTensor, OpCall, Shape, ShapeError


def like_first(call: OpCall) -> GraphTensor:
    """Returns the type of operand `x` as the result's."""
    return call.x


def text(dims: Sequence[Dim]) -> str:
    """Returns dims for a message, as in `[2, ?, 4]`."""
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in dims) + "]"


def merge(field: str, one: Dim, other: Dim, what: str) -> Dim:
    """Returns the common dim of two operands: an integer where one of them is. Raises ShapeError if they
    differ."""
    if one is not None and other is not None and differ(one, other):
        raise ShapeError(field, f"{what}: {one} against {other}")
    return other if one is None or isinstance(other, int) else one


def product(dims: Sequence[Dim]) -> Dim:
    """Returns the number of elements, None when a dim is not known (0 when one is 0)."""
    if 0 in dims:
        return 0
    return None if None in dims else math.prod(dim for dim in dims if dim is not None)


def broadcast_dims(one: Dim, other: Dim) -> Dim:
    """Returns the dim that two dims broadcast to by NumPy's rule; raises ValueError."""
    if one is None or other is None:
        known = other if one is None else one
        return None if known == 1 else known
    joined: Any = sizes.broadcast(one, other)
    return joined


def broadcast(**shapes: Shape) -> Shape:
    """Returns the shape that the shapes, given by operand name, broadcast to by NumPy's rule."""
    rank = max(len(shape) for shape in shapes.values())
    result: list[Dim] = [1] * rank
    for shape in shapes.values():
        for position, dim in enumerate(shape, rank - len(shape)):
            try:
                result[position] = broadcast_dims(result[position], dim)
            except ValueError:
                described = " and ".join(f"{name} {text(other)}" for name, other in shapes.items())
                raise ShapeError(
                    ", ".join(shapes), f"do not broadcast: {described}, dim {position} of the result"
                ) from None
    for shape in shapes.values():
        _assume_broadcast(shape, tuple(result))
    return tuple(result)


def _assume_broadcast(shape: Shape, whole: Shape) -> None:
    """Assumes that the dims of a shape are 1 or those of the whole."""
    for one, dim in zip(shape, whole[len(whole) - len(shape) :], strict=True):
        if one is not None and dim is not None and one != 1:
            assume(one, dim, "broadcast")


def check_fills(field: str, tensor: GraphTensor, whole: GraphTensor, what: str) -> None:
    """Raises ShapeError unless the operand broadcasts to `whole`."""
    shape, dims = tensor.shape or (), whole.shape or ()
    fits = len(shape) <= len(dims) and not any(
        one not in (None, 1) and dim is not None and _never_fills(one, dim)
        for one, dim in zip(shape, dims[len(dims) - len(shape) :], strict=True)
    )
    if not fits:
        raise ShapeError(field, f"does not broadcast to {what} {whole}: {tensor}")
    _assume_broadcast(shape, dims)


def _never_fills(one: int, dim: int) -> bool:
    return always_unequal(one, dim) and always_unequal(one, 1)


def check_axes(field: str, axes: Sequence[int], rank: int) -> None:
    """Raises ShapeError unless axes are distinct and in [0, rank)."""
    if any(not 0 <= axis < rank for axis in axes):
        raise ShapeError(field, f"{text(axes)} has an axis outside [0, {rank})")
    if len(set(axes)) != len(axes):
        raise ShapeError(field, f"{text(axes)} names an axis twice")


def check_axis(field: str, axis: int, rank: int) -> None:
    """Raises ShapeError unless an axis is in [0, rank)."""
    if not 0 <= axis < rank:
        raise ShapeError(field, f"{axis} is outside [0, {rank})")


def check_rank(field: str, tensor: GraphTensor, rank: int, why: str = "") -> None:
    """Raises ShapeError unless the operand has exactly this rank."""
    if tensor.rank != rank:
        raise ShapeError(field, f"has rank {tensor.rank} instead of {rank}{why}: {tensor}")


def check_representable(field: str, value: int | float, tensor: GraphTensor) -> None:
    """Raises ShapeError unless the tensor's elements can be `value`."""
    if not holds(tensor.element, value):
        raise ShapeError(field, f"{value} is no {tensor.element}")


def check_length(field: str, values: Sequence[int], length: int, why: str) -> None:
    """Raises ShapeError unless an array attribute has this length; `why` is its reason, as in "one per dim of
    x"."""
    if len(values) != length:
        raise ShapeError(field, f"{text(values)} has {len(values)} entries instead of {length} ({why})")


def check_least(field: str, values: Sequence[int], least: int) -> None:
    """Raises ShapeError unless all entries of an array attribute are at least `least`."""
    if any(value < least for value in values):
        raise ShapeError(field, f"{text(values)} has an entry below {least}")


def agree(shape: Shape, other: Shape) -> bool:
    """Whether two shapes can be of the same tensor."""
    return len(shape) == len(other) and all(
        one is None or two is None or one == two for one, two in zip(shape, other, strict=True)
    )
