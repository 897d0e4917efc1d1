"""Which values of a block share memory, and after which op nobody needs it any more."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.common.views import RESHAPES, view_offset
from mlc.passes.graph.control_flow.bodies import inputs


def is_view(op: ir.Operation) -> bool:
    """Whether the op's result is a part of its first operand's memory."""
    return op.name.startswith("graph.") and (op.name in RESHAPES or view_offset(op) is not None)


class Lifetimes:
    """The last uses of values of a block, in ops by number; bodies count as the op that holds them."""

    def __init__(self, block: ir.Block) -> None:
        self.ops = [each.operation for each in block.operations]
        self._source: dict[ir.Value, ir.Value] = {}
        self._last: dict[ir.Value, int] = {}
        self._own = {value for op in self.ops for value in op.results}
        for step, op in enumerate(self.ops):
            used = inputs(op) if op.name in graph.CONTROL_OPS else op.operands
            for value in used:
                self._last[self.source(value)] = step
            for result in op.results:
                self._source[result] = self.source(op.operands[0]) if is_view(op) else result
                self._last.setdefault(self._source[result], step)

    def used_from_outside(self) -> set[ir.Value]:
        """What the ops of the block, and those in their bodies, use of what is made around it."""
        used = {
            value
            for op in self.ops
            for value in (inputs(op) if op.name in graph.CONTROL_OPS else op.operands)
        }
        return used - self._own

    def source(self, value: ir.Value) -> ir.Value:
        """What the value is a view of, in this block or around it."""
        return self._source.get(value, value)

    def last(self, value: ir.Value) -> int:
        """The op that uses the value's memory last, views included."""
        return self._last.get(self.source(value), -1)


class BlockAllocations:
    """What a block has allocated and not released, by the values that lie there."""

    def __init__(self, lifetimes: Lifetimes) -> None:
        self.lifetimes = lifetimes
        self._owned: dict[ir.Value, ir.Value] = {}

    def own(self, value: ir.Value, buffer: ir.Value) -> None:
        """The block has allocated the value's memory, and releases it."""
        self._owned[value] = buffer

    def owned(self, value: ir.Value) -> bool:
        """Whether the block owns the memory in which the value lies."""
        return self.lifetimes.source(value) in self._owned

    def take(self, value: ir.Value) -> ir.Value:
        """The memory of a value, which the block does not own any more."""
        return self._owned.pop(self.lifetimes.source(value))

    def dead_after(self, step: int) -> Sequence[ir.Value]:
        """The memory that nobody needs after an op; the block does not own it any more."""
        dead = [value for value in self._owned if self.lifetimes.last(value) <= step]
        return [self._owned.pop(value) for value in dead]
