"""Transfers in flight while kernels run: from their step to the first that needs them."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import tloop
from mlc.passes.graph.common.views import is_view


def first_reads(ops: Sequence[ir.Operation]) -> dict[ir.Value, int]:
    """Returns the step of the first op that reads the result of each transfer, or a part of it."""
    copies: dict[ir.Value, ir.Value] = {}
    found: dict[ir.Value, int] = {}
    for step, op in enumerate(ops):
        for whole in [copies[value] for value in op.operands if value in copies]:
            if is_view(op):
                copies.update((result, whole) for result in op.results)
            else:
                found.setdefault(whole, step)
        if transfer := tloop.Transfer.match(op):
            copies[transfer.copy] = transfer.copy
    return found


def in_flight(ops: Sequence[ir.Operation]) -> dict[int, int]:
    """Returns the step of each transfer during which launches run, and the step before which it has to end:
    the first that reads it, or may end the call. The last op is the terminator."""
    reads, found = first_reads(ops), {}
    leaving = [step for step, op in enumerate(ops) if op.name in tloop.EXPECTATIONS]
    for step, op in enumerate(ops):
        if transfer := tloop.Transfer.match(op):
            read = reads.get(transfer.copy, len(ops) - 1)
            until = min([read, *(other for other in leaving if other > step)])
            if any(map(tloop.Launch.isa, ops[step + 1 : until])):
                found[step] = until
    return found
