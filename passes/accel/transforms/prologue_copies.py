"""Copies in front of a launch's loop, which producers can start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.accel.common.tensor_maps import tensor_map_fault


@dataclass(frozen=True)
class FirstCopies:
    """A wait, and the copies that it waits for."""

    wait: ir.Operation
    copies: list[ir.Operation]


def first_copies(ops: Sequence[ir.Operation], shared: Sequence[ir.Operation]) -> list[FirstCopies]:
    """Of the ops in front of a loop the waits for copies that TMA can do, between memories and at places that
    are the results of no ops but `shared` ones."""
    others = {value for op in ops if op not in shared for value in op.results}
    found = []
    for op in ops:
        if op.name == "accel.wait":
            copies = [each.owner.operation for each in op.operands]
            if not any(others.intersection(each.operands) or tensor_map_fault(each) for each in copies):
                found.append(FirstCopies(op, copies))
    return found
