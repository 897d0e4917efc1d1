"""Ops that put elements in order."""

from __future__ import annotations

from mlc.dialects.graph.elements import NUMERIC
from mlc.dialects.graph.shape_rules import check_axis
from mlc.dialects.graph.sizes import falls_below
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    define,
    define_family,
)

FAMILY = define_family(
    "ordering",
    "Elements are compared by value: of equal ones that with the lower position comes first, and NaN is "
    "larger than every other value.",
)


ALL = -1


def _top_k(call: OpCall) -> tuple[GraphTensor, GraphTensor]:
    check_axis("axis", call.axis, call.x.rank)
    dim = call.x.shape[call.axis]
    if call.k == ALL:
        return call.x, GraphTensor(call.x.shape, "i64")
    if call.k < 1 or (
        dim is not None and falls_below(dim, call.k, "it takes more elements than the axis has")
    ):
        raise ShapeError("k", f"{call.k} is outside [1, {'?' if dim is None else dim}]")
    shape = tuple(call.k if axis == call.axis else dim for axis, dim in enumerate(call.x.shape))
    return GraphTensor(shape, call.x.element), GraphTensor(shape, "i64")


define(
    OpSpec(
        "top_k",
        FAMILY,
        "the k largest or smallest elements along an axis, and their positions",
        "values have x's shape with k at the axis, and x's element type; indices are i64 of that shape. NaN "
        "is the largest value, and of equal ones the first comes first.",
        ("TopK",),
        (OperandSpec("x", NUMERIC),),
        _top_k,
        (
            Attribute("axis", "int", "the searched axis, in [0, rank)"),
            Attribute("k", "int", "number of elements to find, at most the dim; -1: all of them"),
            Attribute("largest", "bool", "the largest elements, not the smallest", True),
            Attribute("sorted", "bool", "the first of them first; otherwise in any order", True),
        ),
        results=("values", "indices"),
    )
)
