"""Orders of a host function's ops, and the memory that each needs.

The least peak over all topological orders is NP-hard to find; two heuristics are tried besides the present
order: the op that frees most memory first (list scheduling), and depth first from the results, which ends one
branch before it begins the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from mlc.bindings import ir
from mlc.dialects import graph as graph_dialect
from mlc.dialects import tloop
from mlc.passes.host.memory.allocations import Allocations, allocate
from mlc.passes.host.memory.arena import align, lower_bound
from mlc.passes.host.memory.buffers import PlannedBuffer


class Dependences:
    """The ops of a block by position: the ops whose results each reads, and the buffers that it touches."""

    def __init__(self, allocations: Allocations) -> None:
        self.ops = allocations.ops
        maker = {value: index for index, op in enumerate(self.ops) for value in op.results}
        self.operands = [
            list(dict.fromkeys(maker[value] for value in op.operands if value in maker)) for op in self.ops
        ]
        self.touched = [list(self._buffers(op, allocations)) for op in self.ops]

    @staticmethod
    def _buffers(op: ir.Operation, allocations: Allocations) -> Iterator[PlannedBuffer]:
        touching = (
            tloop.Launch.NAME,
            *tloop.EXPECTATIONS,
            tloop.Transfer.NAME,
            graph_dialect.Concat.NAME,
        )
        if op.name not in touching:
            return
        values = [value for value in (*op.operands, *op.results) if value in allocations.spans]
        roots = dict.fromkeys(allocations.where(value).buffer for value in values)
        yield from (root for root in roots if root.argument is None)

    def bytes_of(self, index: int) -> int:
        """Bytes of the arena that the op touches."""
        return sum(buffer.size for buffer in self.touched[index])


def depth_first(graph: Dependences) -> list[int]:
    """Orders ops depth first from the results; of several operands the one with most memory first."""
    order: list[int] = []
    seen: set[int] = set()
    pending = list(reversed(range(len(graph.ops))))
    while pending:
        index = pending[-1]
        operands = [operand for operand in graph.operands[index] if operand not in seen]
        if index in seen or not operands:
            pending.pop()
            if index not in seen:
                seen.add(index)
                order.append(index)
            continue
        pending += sorted(operands, key=graph.bytes_of)
    return order


class ListScheduler:
    """Takes, of the ops whose operands are computed, the one that adds least to the live memory."""

    def __init__(self, graph: Dependences) -> None:
        self.graph = graph
        self.missing = [len(operands) for operands in graph.operands]
        self.readers: list[list[int]] = [[] for _ in graph.ops]
        self.touches: dict[PlannedBuffer, int] = {}
        self.live: set[PlannedBuffer] = set()
        for index, operands in enumerate(graph.operands):
            for operand in operands:
                self.readers[operand].append(index)
            for buffer in graph.touched[index]:
                self.touches[buffer] = self.touches.get(buffer, 0) + 1

    def growth(self, index: int) -> int:
        """Bytes that the op begins to use, less those that it is the last to use."""
        touched = self.graph.touched[index]
        begun = sum(align(buffer.size) for buffer in touched if buffer not in self.live)
        ended = sum(align(buffer.size) for buffer in touched if self.touches[buffer] == 1)
        return begun - ended

    def take(self, index: int) -> list[int]:
        """Takes the op; returns those that became ready by that."""
        for buffer in self.graph.touched[index]:
            self.live.add(buffer)
            self.touches[buffer] -= 1
        for reader in self.readers[index]:
            self.missing[reader] -= 1
        return [reader for reader in self.readers[index] if not self.missing[reader]]

    def order(self) -> list[int]:
        """Takes all ops; returns their positions in this order."""
        # The terminator, which touches nothing, must stay last.
        last = len(self.missing) - 1
        ready = [index for index, count in enumerate(self.missing[:last]) if not count]
        order = []
        while ready:
            best = min(ready, key=lambda index: (self.growth(index), index))
            ready.remove(best)
            order.append(best)
            ready += [index for index in self.take(best) if index != last]
        return [*order, last]


ORDERS: dict[str, Callable[[Dependences], list[int]]] = {
    "list": lambda graph: ListScheduler(graph).order(),
    "depth-first": depth_first,
}


def smallest_order(
    function: ir.Operation, in_place: Mapping[str, Sequence[int]]
) -> tuple[str, list[ir.Operation], int, int]:
    """Finds the order of the function's ops that needs least memory: its name ("program" if none beats the
    present one), the ops in it, and the peak of live bytes in the present order and in it."""
    present = allocate(function, in_place)
    before = best = lower_bound(present.lifetimes())
    graph, name, ops = Dependences(present), "program", list(present.ops)
    for candidate, heuristic in ORDERS.items():
        order = [graph.ops[index] for index in heuristic(graph)]
        peak = lower_bound(allocate(function, in_place, order).lifetimes())
        if peak < best:
            name, ops, best = candidate, order, peak
    return name, ops, before, best
