"""Evaluation of sizes, substitution of names, and functions of sizes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from mlc.dialects.graph.sizes.extrema import broadcast, maximum
from mlc.dialects.graph.sizes.quotients import floordiv
from mlc.dialects.graph.sizes.size import Factor, Name, Size, symbol

# "broadcast": NumPy's rule for one dim of two tensors, which the call has checked.
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "floordiv": operator.floordiv,
    "max": max,
    "broadcast": lambda left, right: right if left == 1 else left,
}


def operation(name: str, left: int | Size, right: int | Size) -> int | Size:
    """Applies a function of two sizes by its name, "floordiv", "max" or "broadcast". Raises KeyError."""
    functions: dict[str, Callable[[Any, Any], int | Size]] = {
        "floordiv": floordiv, "max": maximum, "broadcast": broadcast,
    }  # fmt: skip
    return functions[name](left, right)


def product(sizes: Sequence[int | Size]) -> Any:
    """Returns the number of elements of a tensor with these dims; typed Any: an int where all dims are
    ints."""
    total: int | Size = 1
    for size in sizes:
        total = total * size
    return total


def evaluate(size: int | Size, dims: Mapping[str, int]) -> int:
    """Returns the size for these values of named dims. Raises KeyError for one that is missing."""
    if isinstance(size, int):
        return size
    return sum(count * prod(_value(factor, dims) for factor in monomial) for monomial, count in size.terms)


def _value(factor: Factor, dims: Mapping[str, int]) -> int:
    if isinstance(factor, Name):
        return dims[factor.name]
    return _OPERATIONS[factor.name](*(evaluate(operand, dims) for operand in factor.operands))


def substitute(size: int | Size, known: Mapping[str, int | Size]) -> int | Size:
    """Replaces names in a size by known sizes. Raises ValueError where dims do not broadcast."""
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
    left, right = (substitute(operand, known) for operand in factor.operands)
    return operation(factor.name, left, right)
