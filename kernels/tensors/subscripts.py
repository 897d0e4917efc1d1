"""Subscripts of tensor expressions as affine expressions of iteration dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ir
from mlc.kernels.errors import KernelError
from mlc.kernels.expressions import Apply, IterationAxis, TensorElement
from mlc.passes.common.affine import AffineForm


def subscript_form(expression: Any, axes: Sequence[IterationAxis]) -> AffineForm[int] | None:
    """Returns a subscript as a form over the positions of `axes` in the iteration space, or None if it is not
    affine."""
    if isinstance(expression, int):
        return AffineForm(expression)
    if isinstance(expression, IterationAxis):
        position = next((index for index, axis in enumerate(axes) if axis is expression), None)
        return None if position is None else AffineForm.of(position)
    if not isinstance(expression, Apply) or expression.name not in ("+", "-", "*", "negate"):
        return None
    forms = [form for operand in expression.operands if (form := subscript_form(operand, axes)) is not None]
    if len(forms) < len(expression.operands):
        return None
    if expression.name == "negate":
        return forms[0] * -1
    left, right = forms
    if expression.name == "*":
        return left.times(right)
    return left + right if expression.name == "+" else left - right


def map_results(access: TensorElement, axes: Sequence[IterationAxis]) -> list[ir.AffineExpr] | None:
    """Returns the subscripts as results of an indexing map; None if upstream's maps cannot express them.

    Raises KernelError for subscripts that leave the tensor.
    """
    results = []
    for dim, subscript in enumerate(access.subscripts):
        form = subscript_form(subscript, axes)
        if form is None:
            return None
        _check(access, dim, form, axes)
        if any(coefficient < 0 for coefficient in form.terms.values()):
            return None
        results.append(_expression(form))
    return results


def _expression(form: AffineForm[int]) -> ir.AffineExpr:
    total = ir.AffineExpr.get_constant(0)
    for term in sorted(form.terms, key=lambda term: term.variable):
        total = total + ir.AffineExpr.get_dim(term.variable) * form.terms[term]
    return total + form.constant


def _check(access: TensorElement, dim: int, form: AffineForm[int], axes: Sequence[IterationAxis]) -> None:
    bounds = form.value_range(lambda position: (0, axes[position].extent - 1))
    assert bounds is not None, "all axes have an extent"
    low, high = bounds
    size = access.tensor.shape[dim]
    empty = any(axis.extent == 0 for axis in axes)
    if empty or (low >= 0 and high < size):
        return
    reached = low if low < 0 else high
    name = access.tensor.name
    raise KernelError(
        f"subscript {dim} of {name} reaches {reached}, but that dim has {size} elements; where() computes "
        "both its sides, so keep the subscript inside with max and min",
        access.location,
    )
