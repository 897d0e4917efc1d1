"""Maxima, minima and broadcasts of two sizes."""

from __future__ import annotations

from typing import Any

from mlc.dialects.graph.sizes.size import Size, SizeFunction, Undecided, function_of


def maximum(left: int | Size, right: int | Size) -> Any:
    """Returns the larger one; typed Any: an int where both are ints."""
    for one, other in ((left, right), (right, left)):
        try:
            return one if one >= other else other
        except Undecided:
            continue
    return function_of("max", *sorted((left, right), key=str))


def minimum(left: int | Size, right: int | Size) -> int | Size:
    """Returns the smaller one."""
    return left + right - maximum(left, right)


def broadcast(left: int | Size, right: int | Size) -> int | Size:
    """Returns the dim that `left` and `right` broadcast to, as in NumPy. Raises ValueError where they never
    do."""
    if right in (left, 1):
        return left
    if left == 1:
        return right
    if isinstance(left, int) and isinstance(right, int):
        raise ValueError(f"{left} and {right} do not broadcast")
    for one, other in ((left, right), (right, left)):
        if other in _broadcast_of(one) or _is_clipped(other, one):
            return one
    if isinstance(left, int) or isinstance(right, int):
        return left if isinstance(left, int) else right
    return function_of("broadcast", *sorted((left, right), key=str))


def _is_clipped(size: int | Size, whole: int | Size) -> bool:
    """Whether a dim is the minimum of `whole` and an integer above 1. The two broadcast only if they are
    equal."""
    if isinstance(size, int) or isinstance(whole, int):
        return False
    factors = [
        factor for monomial, _ in size.terms for factor in monomial if isinstance(factor, SizeFunction)
    ]
    limits = [operand for factor in factors for operand in factor.operands if isinstance(operand, int)]
    return any(limit > 1 and size == minimum(limit, whole) for limit in limits)


def _broadcast_of(size: int | Size) -> list[int | Size]:
    """Returns the dims that a dim is the broadcast of."""
    match size:
        case Size(terms=(((SizeFunction(name="broadcast", operands=operands),), 1),)):
            return [*operands, *(inner for operand in operands for inner in _broadcast_of(operand))]
    return []
