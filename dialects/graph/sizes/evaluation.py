"""Sizes computed: from numbers or other sizes in the place of names, and from each other."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from mlc.dialects.graph.sizes.extrema import broadcast, maximum
from mlc.dialects.graph.sizes.quotients import floordiv
from mlc.dialects.graph.sizes.size import Factor, Name, Size, symbol

# "broadcast": NumPy's rule for one dim of two tensors, which the program that runs has checked.
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "floordiv": operator.floordiv,
    "max": max,
    "broadcast": lambda left, right: right if left == 1 else left,
}


def operation(kind: str, left: int | Size, right: int | Size) -> int | Size:
    """A function of two sizes by its name, "floordiv", "max" or "broadcast". Raises KeyError."""
    functions: dict[str, Callable[[Any, Any], int | Size]] = {
        "floordiv": floordiv, "max": maximum, "broadcast": broadcast,
    }  # fmt: skip
    return functions[kind](left, right)


def product(sizes: Sequence[int | Size]) -> Any:
    """The number of elements of a tensor with these dims. (Typed Any: a number where all are.)"""
    total: int | Size = 1
    for size in sizes:
        total = total * size
    return total


def evaluate(size: int | Size, dims: Mapping[str, int]) -> int:
    """The size for these values of named dims. Raises KeyError for one that is missing."""
    if isinstance(size, int):
        return size
    return sum(count * prod(_value(each, dims) for each in monomial) for monomial, count in size.terms)


def _value(factor: Factor, dims: Mapping[str, int]) -> int:
    if isinstance(factor, Name):
        return dims[factor.name]
    return _OPERATIONS[factor.kind](*(evaluate(operand, dims) for operand in factor.operands))


def substituted(size: int | Size, known: Mapping[str, int | Size]) -> int | Size:
    """The size with what is known in the place of names. Raises ValueError where dims do not broadcast."""
    if isinstance(size, int) or not size.names & known.keys():
        return size
    total: int | Size = 0
    for monomial, count in size.terms:
        term: int | Size = count
        for factor in monomial:
            term = term * _factor_with(factor, known)
        total = total + term
    return total


def _factor_with(factor: Factor, known: Mapping[str, int | Size]) -> int | Size:
    if isinstance(factor, Name):
        return known.get(factor.name, symbol(factor.name))
    left, right = (substituted(operand, known) for operand in factor.operands)
    return operation(factor.kind, left, right)
