"""Subscripts of tensor expressions as affine expressions of iteration dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ir
from mlc.kernels.errors import KernelError
from mlc.kernels.expressions import Access, Apply, Axis

# Factor by axis (its position in the iteration space), and the constant under None.
Terms = dict[int | None, int]


def linear(expression: Any, axes: Sequence[Axis]) -> Terms | None:
    """A subscript as a sum of axes times factors; None for what is not one."""
    if isinstance(expression, int):
        return {None: expression}
    if isinstance(expression, Axis):
        position = next((index for index, axis in enumerate(axes) if axis is expression), None)
        return None if position is None else {position: 1}
    if not isinstance(expression, Apply) or expression.name not in ("+", "-", "*", "negate"):
        return None
    parts = [linear(each, axes) for each in expression.operands]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return _combined(expression.name, known)


def _combined(name: str, parts: list[Terms]) -> Terms | None:
    if name == "negate":
        return _scaled(parts[0], -1)
    left, right = parts
    if name == "*":
        constants = [part for part in parts if set(part) <= {None}]
        if not constants:
            return None
        other = right if constants[0] is left else left
        return _scaled(other, constants[0].get(None, 0))
    right = _scaled(right, -1) if name == "-" else right
    return {each: left.get(each, 0) + right.get(each, 0) for each in {**left, **right}}


def _scaled(terms: Terms, factor: int) -> Terms:
    return {each: value * factor for each, value in terms.items()}


def map_results(access: Access, axes: Sequence[Axis]) -> list[ir.AffineExpr] | None:
    """The subscripts as results of an indexing map; None if upstream's indexing maps cannot say them.

    Raises KernelError for subscripts that leave the tensor.
    """
    results = []
    for dim, subscript in enumerate(access.subscripts):
        terms = linear(subscript, axes)
        if terms is None:
            return None
        _check(access, dim, terms, axes)
        if any(factor < 0 for factor in terms.values()):
            return None
        results.append(_affine(terms))
    return results


def _affine(terms: Terms) -> ir.AffineExpr:
    total = ir.AffineExpr.get_constant(0)
    for position in sorted(each for each in terms if each is not None):
        total = total + ir.AffineExpr.get_dim(position) * terms[position]
    return total + terms.get(None, 0)


def _check(access: Access, dim: int, terms: Terms, axes: Sequence[Axis]) -> None:
    low = high = terms.get(None, 0)
    for position, factor in terms.items():
        if position is not None:
            last = factor * (axes[position].extent - 1)
            low, high = low + min(0, last), high + max(0, last)
    size = access.tensor.shape[dim]
    empty = any(axis.extent == 0 for axis in axes)
    if empty or (low >= 0 and high < size):
        return
    reached = low if low < 0 else high
    name = access.tensor.name
    raise KernelError(
        f"subscript {dim} of {name} reaches {reached}, but that dim has {size} elements; where() computes "
        "both its sides, so keep the subscript inside with max and min",
        access.place,
    )
