"""llvm-parallel-accesses: loops of kernels that work in place have no dependences between iterations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, llvm
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import IN_PLACE
from mlc.passes.common.rewriting import collect_ops, terminator_of

_ACCESSES = (llvm.Load.NAME, llvm.Store.NAME)
_BRANCHES = (llvm.Br.NAME, llvm.CondBr.NAME)


@dataclass(frozen=True)
class ParallelAccesses(Pass):
    """Mark the loops of each kernel with `tloop.in_place` as parallel: their accesses are of one access
    group, which the loops' annotations name.

    The result of such a kernel may be one of its operands, so its pointers are not all `noalias`. LLVM would
    compare them before the loop, and run the loop of scalars where they are equal. `tloop-verify-in-place`
    has shown that an iteration reads no element of that operand but the one that it writes.
    """

    name: ClassVar[str] = "llvm-parallel-accesses"

    def run(self, op: ir.Operation) -> bool:
        functions = [child.operation for child in op.regions[0].blocks[0]]
        in_place = [function for function in functions if IN_PLACE in function.attributes]
        for function in in_place:
            _mark_parallel(function)
            del function.attributes[IN_PLACE]
        return bool(in_place)


def _mark_parallel(function: ir.Operation) -> None:
    name = "#llvm.access_group<id = distinct[0]<>>"
    # One parse: the id of each is distinct from those of all others.
    parsed = ir.Attribute.parse(f"[{name}, #llvm.loop_annotation<parallelAccesses = {name}>]")
    group, annotation = ir.ArrayAttr(parsed)
    for access in collect_ops(function, _ACCESSES):
        access.attributes["access_groups"] = ir.ArrayAttr.get([group])
    for latch in _latches(function):
        latch.attributes["loop_annotation"] = annotation


def _latches(function: ir.Operation) -> Iterator[ir.Operation]:
    """Yields the branches to their own block or one before it, the header of a loop."""
    for op in (function, *collect_ops(function)):
        for region in op.regions:
            before: set[ir.Block] = set()
            for block in region.blocks:
                before.add(block)
                branch = terminator_of(block)
                if branch.name in _BRANCHES and before.intersection(branch.successors):
                    yield branch
