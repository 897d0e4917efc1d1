"""Bounds that clamp and relu impose on their results."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.values import Scalar, is_float

Bounds = tuple[Scalar | None, Scalar | None]


def bounds_of(op: ir.Operation) -> Bounds:
    """The bounds of a clamp or relu, the lower first; None is no bound on its side."""
    if op.name == graph.Relu.NAME:
        return (0.0 if is_float(graph.Relu(op).x) else 0), None
    return graph.attribute(op, "min"), graph.attribute(op, "max")


def bounds_cross(bounds: Bounds) -> bool:
    """Whether the upper bound is below the lower one, and wins."""
    low, high = bounds
    return low is not None and high is not None and high < low


def smallest(value: ir.Value) -> Scalar | None:
    """The lower bound of the result of a clamp or relu, or None; NaN may occur."""
    op = defining_op(value)
    if op is None or op.name not in (graph.Clamp.NAME, graph.Relu.NAME):
        return None
    bounds = bounds_of(op)
    return bounds[1] if bounds_cross(bounds) else bounds[0]
