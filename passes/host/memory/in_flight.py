"""Transfers that are under way while kernels run: from their own step to the first that needs them."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import tloop
from mlc.passes.graph.common.views import view_offset

LAUNCH, TRANSFER = tloop.Launch.NAME, tloop.Transfer.NAME


def is_view(op: ir.Operation) -> bool:
    """Whether the op only names a part of its operand, and reads nothing."""
    return op.name.startswith("graph.") and view_offset(op) is not None


def first_reads(ops: Sequence[ir.Operation]) -> dict[ir.Value, int]:
    """The step of the first op that reads what a transfer gives, or a part of it."""
    given: dict[ir.Value, ir.Value] = {}
    found: dict[ir.Value, int] = {}
    for step, op in enumerate(ops):
        for whole in [given[value] for value in op.operands if value in given]:
            if is_view(op):
                given[op.results[0]] = whole
            else:
                found.setdefault(whole, step)
        if op.name == TRANSFER:
            given[op.results[0]] = op.results[0]
    return found


def in_flight(ops: Sequence[ir.Operation]) -> dict[int, int]:
    """The transfers during which launches run: the step of each, and the step before which it has to be done.
    The last op is the terminator."""
    reads, found = first_reads(ops), {}
    for step, op in enumerate(ops):
        if op.name == TRANSFER:
            until = reads.get(op.results[0], len(ops) - 1)
            if any(each.name == LAUNCH for each in ops[step + 1 : until]):
                found[step] = until
    return found
