"""graph-eliminate-empty: tensors without elements, and what is computed of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import ClassVar

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import dtype_of
from mlc.passes.base import Pass
from mlc.passes.graph.common.rules import Rules, apply_rules, join_tables
from mlc.passes.graph.common.values import Scalar, dtype, fill_like, is_float
from mlc.passes.remarks import report_missed


def is_empty(value: ir.Value) -> bool:
    """Whether a dim is known to be 0."""
    return 0 in value.type.shape


def empty_result(op: ir.Operation) -> ir.Value | None:
    """A result without elements needs no computation."""
    (result,) = op.results
    if not is_empty(result):
        return None
    made = fill_like(result, 0)
    if made is None:
        report_missed(op, "empty_result", "the result has no elements, but an unknown dim")
    return made


def _lowest(value: ir.Value) -> Scalar:
    return -inf if is_float(value) else _limits(value)[0]


def _highest(value: ir.Value) -> Scalar:
    return inf if is_float(value) else _limits(value)[1]


def _limits(value: ir.Value) -> tuple[int, int]:
    """The least and largest number of an integer type; of i1 false and true."""
    element_dtype = dtype(value)
    return (
        (0, 1)
        if element_dtype == dtype_of("i1")
        else (int(np.iinfo(element_dtype).min), int(np.iinfo(element_dtype).max))
    )


# What a reduction of no elements gives.
_NEUTRAL = {
    **dict.fromkeys(("sum", "l1", "l2", "sum_square"), lambda _: 0),
    "prod": lambda _: 1,
    "max": _lowest,
    "min": _highest,
    "mean": lambda value: nan if is_float(value) else 0,
    **dict.fromkeys(("log_sum", "log_sum_exp"), _lowest),
}


def reduction_of_nothing(op: ir.Operation) -> ir.Value | None:
    """A reduction over a dim of 0: its neutral element."""
    name, result = op.name.removeprefix("graph.reduce_"), op.results[0]
    if not is_empty(op.operands[0]) or (name.startswith("log") and not is_float(result)):
        return None
    return fill_like(result, _NEUTRAL[name](result))


def product_of_nothing(op: ir.Operation) -> ir.Value | None:
    """A matrix product over a dim of 0: zeros."""
    matmul = graph.Matmul(op)
    return fill_like(matmul.result, 0) if is_empty(matmul.a) else None


def concat_with_nothing(op: ir.Operation) -> ir.Value | None:
    """Operands without elements add nothing to a concat."""
    concat = graph.Concat(op)
    axis = concat.axis
    kept = [value for value in op.operands if graph.shape_of(value)[axis] != 0]
    if not kept or len(kept) == len(op.operands):
        return None
    return graph.build("concat", kept, {"axis": axis}, concat.result.type)


def pad_of_nothing(op: ir.Operation) -> ir.Value | None:
    """A constant around no elements: that constant."""
    pad = graph.Pad(op)
    if not is_empty(pad.x) or pad.mode != "constant":
        return None
    return fill_like(pad.result, pad.value)


# Creation makes what it says; an op of several results has no single value to stand for it.
_COMPUTED = [
    f"graph.{spec.name}"
    for spec in graph.specs().values()
    if spec.family != "creation" and len(spec.results) == 1
]

RULES: Rules = join_tables(
    dict.fromkeys(_COMPUTED, (empty_result,)),
    {f"graph.reduce_{name}": (reduction_of_nothing,) for name in _NEUTRAL},
    {
        graph.Matmul.NAME: (product_of_nothing,),
        graph.Concat.NAME: (concat_with_nothing,),
        graph.Pad.NAME: (pad_of_nothing,),
    },
)


@dataclass(frozen=True)
class EliminateEmpty(Pass):
    """Replace what is computed of tensors without elements by what it must be.

    A result without elements is an empty `full`; a reduction over a dim of 0 its neutral element; a matrix
    product over a dim of 0 zeros; a pad of nothing its constant; concats lose operands without elements. All
    exact.
    """

    name: ClassVar[str] = "graph-eliminate-empty"

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, "exact")
