"""host-overlap-transfers: transfers begin while kernels run that do not need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, PassError, option
from mlc.passes.graph.common.views import CONSTANTS
from mlc.passes.graph.fusion.form_kernels import host_functions
from mlc.passes.host.memory.in_flight import LAUNCH, TRANSFER, first_reads, is_view
from mlc.passes.host.order_launches import reorder


class TransferOrder:
    """The ops of a host function by number, and their order, in which transfers move forward."""

    def __init__(self, ops: Sequence[ir.Operation]) -> None:
        self.ops = ops
        self.order = list(range(len(ops)))
        self._makers = {value: index for index, op in enumerate(ops) for value in op.results}

    def advance(self, transfer: int, reader: int, ahead: int) -> None:
        """Lets a transfer begin before the `ahead` last launches in front of its first reader, or where it is
        a result of the function before all launches since it was made."""
        moved, maker = self._chain(transfer)
        begin = 0 if maker is None else self.order.index(maker) + 1
        between = self.order[begin : self.order.index(reader)]
        launches = [index for index in between if self.ops[index].name == LAUNCH]
        if reader != len(self.ops) - 1:
            launches = launches[-ahead:] if ahead else []
        if launches:
            self._before(launches[0], moved)

    def _chain(self, index: int) -> tuple[list[int], int | None]:
        """A transfer behind the views, and the weight, that it reads; and the op that makes what these are
        views of, None for an argument of the function."""
        chain = [index]
        while self.ops[index].operands:
            maker = self._makers.get(self.ops[index].operands[0])
            if maker is None or not (is_view(self.ops[maker]) or self.ops[maker].name in CONSTANTS):
                return chain[::-1], maker
            index = maker
            chain.append(index)
        return chain[::-1], None

    def _before(self, launch: int, moved: Sequence[int]) -> None:
        """Puts those of `moved` that come behind a launch in front of it."""
        place = self.order.index(launch)
        late = [index for index in moved if self.order.index(index) > place]
        rest = [index for index in self.order if index not in late]
        place = rest.index(launch)
        self.order = rest[:place] + late + rest[place:]


def overlapped(ops: Sequence[ir.Operation], ahead: int) -> list[ir.Operation]:
    """The ops in an order in which transfers begin early; launches stay in theirs."""
    steps, reads = TransferOrder(ops), first_reads(ops)
    for index, op in enumerate(ops):
        if op.name == TRANSFER:
            steps.advance(index, reads.get(op.results[0], len(ops) - 1), ahead)
    return [ops[index] for index in steps.order]


@dataclass(frozen=True)
class OverlapTransfers(Pass):
    """Move each `tloop.transfer` forward, so that it runs beside launches that do not need it.

    It begins as soon as what it reads was computed, but no more than `ahead` launches before the first op
    that needs it: what is transferred takes memory from then on. Transfers of the function's results begin at
    once. With `ahead=0` only these overlap. A transfer with launches between it and the first op that reads
    it is under way during them: `host-plan-memory` keeps both of its buffers until then, and makes a
    `gpu.memcpy async` of it and a `gpu.wait`, which stands as late as it can.
    """

    name: ClassVar[str] = "host-overlap-transfers"
    ahead: int = option(2, help="launches beside which a transfer may run before what it gives is needed")

    def run(self, op: ir.Operation) -> bool:
        if self.ahead < 0:
            raise PassError(f"ahead is {self.ahead}, but counts launches")
        changed = False
        for function in host_functions(op):
            ops = [each.operation for each in function.regions[0].blocks[0]]
            if any(each.name == TRANSFER for each in ops):
                reorder(function, overlapped(ops, self.ahead))
                changed = True
        return changed
