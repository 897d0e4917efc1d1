"""Dims of results as sizes of named dims: shape functions applied to sizes instead of integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ir
from mlc.dialects.graph.sizes import Size, Undecided
from mlc.dialects.graph.spec import GraphTensor, ShapeError
from mlc.dialects.graph.verifier import OpData, infer, read_op

Dims = tuple[int | Size | None, ...]


def inferred_dims(op: ir.Operation | ir.OpView, operands: Sequence[Dims]) -> list[Dims]:
    """Returns the dims of a graph op's results that follow from those of its operands alone, without the
    results' types. None as in `result_dims`. Raises ShapeError for operands that do not fit."""
    data = read_op(op)
    try:
        found = _definition(data, operands) if data.ranked else ()
    except Undecided:
        found = ()
    return [tensor.shape or () for tensor in found] or [
        (None,) * len(result.shape or ()) for result in data.results
    ]


def result_dims(op: ir.Operation | ir.OpView, operands: Sequence[Dims]) -> list[Dims]:
    """Returns the dims of a graph op's results, given those of its operands.

    None for a dim that does not follow: it depends on values, or on a choice between sizes that their bounds
    leave open. The op's static dims stay integers. Results without a known rank have no dims here.
    """
    data = read_op(op)
    inferred = _infer_results(data, operands) if data.ranked else data.results
    return [
        _refine(written.shape or (), found.shape or ())
        for written, found in zip(data.results, inferred, strict=True)
    ]


def _infer_results(data: OpData, operands: Sequence[Dims]) -> Sequence[GraphTensor]:
    """Returns the results that the definition gives; those that are written where sizes do not decide it."""
    try:
        return _definition(data, operands)
    except (Undecided, ShapeError):
        return data.results


def _definition(data: OpData, operands: Sequence[Dims]) -> Sequence[GraphTensor]:
    """Returns the result of the shape function."""
    # Shape functions are written for integers; sizes have their arithmetic and comparisons.
    shapes: Sequence[Any] = [tuple(dims) for dims in operands]
    tensors = [
        GraphTensor(shape, operand.element) for shape, operand in zip(shapes, data.operands, strict=True)
    ]
    return infer(data.spec, tensors, data.attributes, data.results, data.bodies)


def _refine(written: Sequence[int | None], found: Sequence[int | None]) -> Dims:
    """Returns the written dims, with those that were found instead of unknown ones."""
    if len(written) != len(found):
        return tuple(written)
    return tuple(two if one is None else one for one, two in zip(written, found, strict=True))
