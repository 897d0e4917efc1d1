"""Values of a block that share memory, and their last uses."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.common.views import is_view
from mlc.passes.graph.control_flow.bodies import inputs


class Lifetimes:
    """The last uses of values of a block, by the ops' indices; bodies count as the op that holds them."""

    def __init__(self, block: ir.Block) -> None:
        self.ops = [op.operation for op in block.operations]
        self._source: dict[ir.Value, ir.Value] = {}
        self._last: dict[ir.Value, int] = {}
        for step, op in enumerate(self.ops):
            used = inputs(op) if op.name in graph.CONTROL_OPS else op.operands
            for value in used:
                self._last[self.source(value)] = step
            for result in op.results:
                self._source[result] = self.source(op.operands[0]) if is_view(op) else result
                self._last.setdefault(self._source[result], step)

    def source(self, value: ir.Value) -> ir.Value:
        """The value, in this block or outside, of which `value` is a view."""
        return self._source.get(value, value)

    def last(self, value: ir.Value) -> int:
        """The index of the op that uses the value's memory last, views included."""
        return self._last.get(self.source(value), -1)


class BlockAllocations:
    """The memory that a block has allocated and not released, by values."""

    def __init__(self, lifetimes: Lifetimes) -> None:
        self.lifetimes = lifetimes
        self._owned: dict[ir.Value, ir.Value] = {}

    def own(self, value: ir.Value, buffer: ir.Value) -> None:
        """Lets the block own, and later release, the value's memory."""
        self._owned[value] = buffer

    def owns(self, value: ir.Value) -> bool:
        """Whether the block owns the value's memory."""
        return self.lifetimes.source(value) in self._owned

    def take(self, value: ir.Value) -> ir.Value:
        """Returns the memory of a value; the block gives up ownership."""
        return self._owned.pop(self.lifetimes.source(value))

    def dead_after(self, step: int) -> Sequence[ir.Value]:
        """Returns the memory that is dead after an op; the block gives up ownership."""
        dead = [value for value in self._owned if self.lifetimes.last(value) <= step]
        return [self._owned.pop(value) for value in dead]
