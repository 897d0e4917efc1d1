"""Look-ups and indices in the bodies of computations whose dims become one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir, linalg, tensor
from mlc.passes.common.rewriting import collect_ops, replace_op


def lookups(generic: ir.Operation) -> list[tensor.Extract]:
    """Returns the elements that the body of a computation reads from other tensors by indices."""
    return [tensor.Extract(op) for op in collect_ops(generic, tensor.Extract.NAME)]


def index_dims(lookup: tensor.Extract) -> list[int | None]:
    """Returns the iteration dim that is each index of a look-up; None where the index is something else."""
    found = [linalg.Index.defining(index) for index in lookup.indices]
    return [index.dim if index is not None else None for index in found]


def dims_of_values(generic: ir.Operation) -> set[int]:
    """Returns the iteration dims whose indices the body of a computation uses as values, not only for
    look-ups."""
    return {
        index.dim
        for index in _indices(generic)
        if any(use.owner.name != tensor.Extract.NAME for use in index.result.uses)
    }


def reindex(
    generic: ir.Operation, kept: Sequence[int], groups: Mapping[ir.Value, Sequence[Sequence[int]]]
) -> None:
    """Names the iteration dims by their positions in `kept`, and gives look-ups one index for each group of
    axes that became one."""
    for lookup in lookups(generic):
        indices = list(lookup.indices)
        if lookup.tensor in groups:
            first = [indices[axes[0]] for axes in groups[lookup.tensor]]
            with ir.InsertionPoint(lookup.operation), lookup.operation.location:
                replace_op(lookup.operation, tensor.ExtractOp(lookup.tensor, first).result)
    for index in _indices(generic):
        if index.dim in kept:
            index.dim = kept.index(index.dim)
        else:
            index.operation.erase()


def _indices(generic: ir.Operation) -> list[linalg.Index]:
    return [linalg.Index(op) for op in collect_ops(generic, linalg.Index.NAME)]
