"""host-overlap-transfers: transfers begin while kernels run that do not need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import tloop
from mlc.passes.base import Pass, PassError, option
from mlc.passes.graph.common.views import CONSTANTS, is_view
from mlc.passes.graph.fusion.form_kernels import host_functions
from mlc.passes.host.memory.in_flight import first_reads
from mlc.passes.host.order_launches import reorder


class TransferOrder:
    """The ops of a host function by index, and their order, in which transfers move forward."""

    def __init__(self, ops: Sequence[ir.Operation]) -> None:
        self.ops = ops
        self.order = list(range(len(ops)))
        self._makers = {value: index for index, op in enumerate(ops) for value in op.results}

    def advance(self, transfer: int, reader: int, ahead: int) -> None:
        """Moves a transfer before the last `ahead` launches that precede its first reader; a result of the
        function before all launches since its operand was computed."""
        moved, maker = self._chain(transfer)
        begin = 0 if maker is None else self.order.index(maker) + 1
        between = self.order[begin : self.order.index(reader)]
        launches = [index for index in between if self.ops[index].name == tloop.Launch.NAME]
        if reader != len(self.ops) - 1:
            launches = launches[-ahead:] if ahead else []
        if launches:
            self._before(launches[0], moved)

    def _chain(self, index: int) -> tuple[list[int], int | None]:
        """Returns the weight and the views that a transfer reads, then the transfer; and the op that computes
        the viewed value, None for an argument of the function."""
        chain = [index]
        while self.ops[index].operands:
            maker = self._makers.get(self.ops[index].operands[0])
            if maker is None or not (is_view(self.ops[maker]) or self.ops[maker].name in CONSTANTS):
                return chain[::-1], maker
            index = maker
            chain.append(index)
        return chain[::-1], None

    def _before(self, launch: int, moved: Sequence[int]) -> None:
        """Moves those of `moved` that are after a launch before it."""
        position = self.order.index(launch)
        late = [index for index in moved if self.order.index(index) > position]
        rest = [index for index in self.order if index not in late]
        position = rest.index(launch)
        self.order = rest[:position] + late + rest[position:]


def overlap(ops: Sequence[ir.Operation], ahead: int) -> list[ir.Operation]:
    """Orders the ops so that transfers begin early; the order of launches stays."""
    steps, reads = TransferOrder(ops), first_reads(ops)
    for index, op in enumerate(ops):
        if transfer := tloop.Transfer.match(op):
            steps.advance(index, reads.get(transfer.copy, len(ops) - 1), ahead)
    return [ops[index] for index in steps.order]


@dataclass(frozen=True)
class OverlapTransfers(Pass):
    """Move each `tloop.transfer` forward, so that it overlaps with launches that do not need it.

    It begins as soon as its operand was computed, but no more than `ahead` launches before the first op that
    reads it: its copy takes memory from then on. Transfers of the function's results begin at once. With
    `ahead=0` only these overlap. A transfer is in flight during the launches between it and the first op that
    reads it: `host-plan-memory` keeps both of its buffers until then, and makes a `gpu.memcpy async` of it
    and a `gpu.wait`, as late as possible.
    """

    name: ClassVar[str] = "host-overlap-transfers"
    ahead: int = option(2, help="launches with which a transfer may overlap before its copy is read")

    def run(self, op: ir.Operation) -> bool:
        if self.ahead < 0:
            raise PassError(f"ahead is {self.ahead}, but counts launches")
        changed = False
        for function in host_functions(op):
            ops = [inner.operation for inner in func.Func(function).entry_block]
            if any(map(tloop.Transfer.isa, ops)):
                reorder(function, overlap(ops, self.ahead))
                changed = True
        return changed
