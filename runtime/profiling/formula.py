"""Formulas of a kernel's dims in manifests: what a launch computes and moves."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

# "broadcast": NumPy's rule for one dim of two tensors.
_FUNCTIONS: Mapping[str, Callable[[int, int], int]] = {
    "floordiv": operator.floordiv,
    "max": max,
    "broadcast": lambda left, right: right if left == 1 else left,
}


def evaluate(formula: Any, dims: Sequence[int]) -> int:
    """Returns the value of a formula for the values of the dims: an integer, or a sum of terms, each a
    coefficient and its factors, which are indices of dims or functions [name, formula, formula].

    2*d0 + max(d0, d1) is [[2, 0], [1, ["max", [[1, 0]], [[1, 1]]]]]. Raises IndexError for missing dims."""
    if isinstance(formula, int):
        return formula
    return sum(count * prod(_factor(factor, dims) for factor in factors) for count, *factors in formula)


def _factor(factor: Any, dims: Sequence[int]) -> int:
    if isinstance(factor, int):
        return dims[factor]
    name, left, right = factor
    return _FUNCTIONS[name](evaluate(left, dims), evaluate(right, dims))
