"""The steps of a host function: indices of its ops, those of bodies after the op that holds them; and the
steps at which named dims are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlc.bindings import address, ir
from mlc.dialects import graph, tloop
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.host.memory.buffers import sizes_of


def all_steps(ops: Sequence[ir.Operation]) -> Iterator[ir.Operation]:
    """Yields the ops and those of their bodies, in the order of the text: one branch after the other."""
    for op in ops:
        yield op
        if op.name in graph.CONTROL_OPS:
            for region in op.regions:
                yield from all_steps([inner.operation for inner in region.blocks[0].operations])


class StepNumbering:
    """The steps of ops, and the first and last steps of loops and of branches."""

    def __init__(self, ops: Sequence[ir.Operation]) -> None:
        self._steps = {address(op): step for step, op in enumerate(ops)}
        # (step of the loop, step of the end of its body), outer loops first.
        self.loops = [(self.of(op), self.end(graph.Loop(op).body)) for op in ops if graph.Loop.isa(op)]
        self.branches = [(self.of(op), self.end(graph.If(op).else_branch)) for op in ops if graph.If.isa(op)]

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

    def is_in_branch(self, step: int) -> bool:
        """Whether an op may not run although the function does: it is in a branch."""
        return any(begin < step <= end for begin, end in self.branches)


class KnownNames:
    """The steps at which named dims are known: those of `arguments` always, those that an op reads from a
    tensor after it, in its block."""

    def __init__(
        self, arguments: Sequence[ir.Value], ops: Sequence[ir.Operation], steps: StepNumbering
    ) -> None:
        self.inputs = {name for value in arguments for name in _names(sizes_of(value))}
        self._read: dict[str, list[tuple[int, int]]] = {}
        for step, op in enumerate(ops):
            if tloop.ReadSizes.isa(op):
                known = step, steps.of(terminator_of(op.block))
                for name in tloop.ReadSizes(op).names:
                    self._read.setdefault(name, []).append(known)

    def determine(self, sizes: Sequence[int | Size], step: int) -> bool:
        """Whether sizes are known at a step."""
        return all(
            name in self.inputs or any(first < step <= last for first, last in self._read.get(name, ()))
            for name in _names(sizes)
        )


def _names(sizes: Sequence[int | Size]) -> set[str]:
    return {name for size in sizes if isinstance(size, Size) for name in size.names}
