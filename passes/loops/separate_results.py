"""tloop-separate-results: no buffer is two results of a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, memref
from mlc.passes.base import Pass
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import terminator_of


@dataclass(frozen=True)
class SeparateResults(Pass):
    """Return a copy of a buffer that a function has already returned as an earlier result.

    Results that turn out equal are one buffer after CSE; upstream's `buffer-results-to-out-params` crashes on
    that.
    """

    name: ClassVar[str] = "tloop-separate-results"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        if not op.regions[0].blocks:
            return False
        terminator = terminator_of(op.regions[0].blocks[0])
        values, changed = list(terminator.operands), False
        for position, value in enumerate(values):
            if value in values[:position] and isinstance(value.type, ir.MemRefType):
                terminator.operands[position] = _copy(value, terminator)
                changed = True
        return changed


def _copy(value: ir.Value, before: ir.Operation) -> ir.Value:
    type_ = ir.MemRefType(value.type)
    with ir.InsertionPoint(before), before.location:
        dynamic = [axis for axis in range(type_.rank) if type_.is_dynamic_dim(axis)]
        sizes = [memref.dim(value, index_constant(axis)) for axis in dynamic]
        copy = memref.alloc(type_, sizes, [])
        memref.copy(value, copy)
    return copy
