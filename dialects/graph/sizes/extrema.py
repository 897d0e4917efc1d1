"""Larger and smaller ones of sizes, and the dims that two broadcast to."""

from __future__ import annotations

from typing import Any

from mlc.dialects.graph.sizes.size import Size, SizeFunction, Undecided, made


def maximum(left: int | Size, right: int | Size) -> Any:
    """The larger one. (Typed Any: a number where both are.)"""
    for one, other in ((left, right), (right, left)):
        try:
            return one if one >= other else other
        except Undecided:
            continue
    return made("max", *sorted((left, right), key=str))


def minimum(left: int | Size, right: int | Size) -> int | Size:
    """The smaller one."""
    return left + right - maximum(left, right)


def broadcast(left: int | Size, right: int | Size) -> int | Size:
    """The dim that `left` and `right` broadcast to, as in NumPy. Raises ValueError where they never do."""
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
    return made("broadcast", *sorted((left, right), key=str))


def _is_clipped(size: int | Size, whole: int | Size) -> bool:
    """Whether a dim is the smaller one of `whole` and a number above 1. Only where it is `whole` the two
    broadcast."""
    if isinstance(size, int) or isinstance(whole, int):
        return False
    factors = [
        factor for monomial, _ in size.terms for factor in monomial if isinstance(factor, SizeFunction)
    ]
    limits = [operand for factor in factors for operand in factor.operands if isinstance(operand, int)]
    return any(limit > 1 and size == minimum(limit, whole) for limit in limits)


def _broadcast_of(size: int | Size) -> list[int | Size]:
    """The dims that a dim is the broadcast of."""
    match size:
        case Size(terms=(((SizeFunction(kind="broadcast", operands=operands),), 1),)):
            return [*operands, *(inner for operand in operands for inner in _broadcast_of(operand))]
    return []
