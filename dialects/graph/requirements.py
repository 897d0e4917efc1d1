"""What an op takes for true of dims that only a call tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mlc.bindings import ir

from .dims import Dims
from .sizes import Size, open_equalities, product
from .symbolic import result_dims


@dataclass(frozen=True)
class Requirement:
    """The two are equal, or, where it `may_be_one`, the left one is 1."""

    left: int | Size
    right: int | Size
    may_be_one: bool = False


def requirements(op: ir.Operation, dims: Dims) -> Iterator[Requirement]:
    """What must hold of the dims of a graph op's operands and result for it to have a meaning."""
    values = [*op.operands, *op.results]
    if not all(isinstance(value.type, ir.RankedTensorType) for value in values):
        return
    shapes = [dims.of(value) for value in op.operands]
    if not any(isinstance(dim, Size) for shape in (*shapes, *map(dims.of, op.results)) for dim in shape):
        return
    if op.name == "graph.reshape":
        before, after = product(shapes[0]), product(dims.of(op.results[0]))
        if before != after:
            yield Requirement(before, after)
    elif op.name == "graph.expand":
        after = dims.of(op.results[0])
        pairs = zip(shapes[0], after[len(after) - len(shapes[0]) :], strict=True)
        yield from (Requirement(one, two, True) for one, two in pairs if one not in (1, two))
    else:
        with open_equalities() as found:
            result_dims(op, shapes)
        yield from (Requirement(one, two) for one, two in dict.fromkeys(found))
