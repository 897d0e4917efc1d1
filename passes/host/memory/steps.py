"""The steps of a host function: indices of its ops, those of bodies after the op that holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlc.bindings import address, ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import terminator_of


def all_steps(ops: Sequence[ir.Operation]) -> Iterator[ir.Operation]:
    """Yields the ops and those of their bodies, in the order of the text: one branch after the other."""
    for op in ops:
        yield op
        if op.name in graph.CONTROL_OPS:
            for region in op.regions:
                yield from all_steps([inner.operation for inner in region.blocks[0].operations])


class StepNumbering:
    """The steps of ops, and the first and last steps of loops."""

    def __init__(self, ops: Sequence[ir.Operation]) -> None:
        self._steps = {address(op): step for step, op in enumerate(ops)}
        # (step of the loop, step of the end of its body), outer loops first.
        self.loops = [(self.of(op), self.end(graph.Loop(op).body)) for op in ops if graph.Loop.isa(op)]

    def of(self, op: ir.Operation) -> int:
        """The step of an op."""
        return self._steps[address(op)]

    def end(self, region: ir.Region) -> int:
        """The step that ends a body."""
        return self.of(terminator_of(region.blocks[0]))

    def needed_until(self, first: int, step: int) -> int:
        """The last step that needs a buffer written at `first` and read at `step`: the end of the outermost
        loop around the reader that begins after `first`, as the next iteration reads the buffer too."""
        ends = [end for begin, end in self.loops if first < begin < step <= end]
        return max(ends, default=step)

    def loop_around(self, step: int) -> int:
        """The step of the innermost loop that holds a step; -1 for none."""
        return max((begin for begin, end in self.loops if begin < step <= end), default=-1)
