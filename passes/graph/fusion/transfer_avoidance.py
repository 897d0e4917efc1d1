"""Ops that stand between ops on another device, and are cheaper there than two transfers."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.common.rematerialization import ON_READ
from mlc.passes.graph.common.views import CONSTANTS, is_part, is_place, viewed

# Their work is of the order of what would move.
_CHEAP = ("elementwise", "movement", "normalisation", "quantisation", "reduction")
# The number of what no op of the block computes.
_OUTSIDE = -1


def between(ops: Sequence[ir.Operation], placed: set[int]) -> list[int]:
    """Of the ops of a block those that read only constants and results of `placed` ones or of each other, and
    that nothing else reads, by number: the most ops for which that holds."""
    makers = {value: number for number, op in enumerate(ops) for value in op.results}
    sources = [_sources(op, makers, ops) for op in ops]
    readers: list[set[int]] = [set() for _ in ops]
    for number, read in enumerate(sources):
        for source in read - {_OUTSIDE}:
            readers[source].add(number)
    found = {number for number, op in enumerate(ops) if number not in placed and _is_cheap(op)}
    changed = True
    while changed:
        there = placed | found
        left = {
            each for each in found if _is_inside(sources[each], there) and _is_inside(readers[each], there)
        }
        changed, found = left != found, left
    return sorted(found)


def _is_inside(ops: set[int], there: set[int]) -> bool:
    return bool(ops) and ops <= there


def _sources(op: ir.Operation, makers: dict[ir.Value, int], ops: Sequence[ir.Operation]) -> set[int]:
    """The ops that compute what `op` reads, through views of it; _OUTSIDE for arguments. Views read
    nothing."""
    if is_part(op):
        return set()
    found = {makers.get(viewed(value), _OUTSIDE) for value in op.operands}
    return {number for number in found if number == _OUTSIDE or ops[number].name not in CONSTANTS}


def _is_cheap(op: ir.Operation) -> bool:
    spec = graph.specs().get(op.name.removeprefix("graph."))
    cheap = spec is not None and spec.family.startswith(_CHEAP)
    return cheap and ON_READ not in op.attributes and not is_place(op)
