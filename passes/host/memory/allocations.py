"""Assigns the values of a host function to buffers, and computes the live range of each buffer.

A live range begins at the launch that writes the buffer first and ends at the last that reads it: allocation
as late, and release as early, as the order of the launches permits. Values from outside that a loop's body
reads live until the loop ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mlc.bindings import address, func, ir
from mlc.dialects import graph, tloop
from mlc.passes.base import PassError
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.graph.common.views import view_source
from mlc.passes.host.memory.arena import Lifetime
from mlc.passes.host.memory.bodies import Bodies
from mlc.passes.host.memory.buffers import BufferCopy, BufferSlice, PlannedBuffer, tensor_bytes
from mlc.passes.host.memory.in_flight import in_flight
from mlc.passes.host.memory.sharing import Sharing, foreign
from mlc.passes.host.memory.steps import StepNumbering, all_steps

REFERENCES = (graph.Weight.NAME, graph.Prepared.NAME)


@dataclass
class Allocations:
    """The buffers of a host function whose ops run in the order of `ops`, those of bodies included.

    `moves` are copies by the op at whose step they happen: operands of concatenations, and values that enter
    or leave a body, that could not be written in place.
    """

    arguments: Sequence[ir.Value]
    ops: Sequence[ir.Operation]
    returned: Sequence[ir.Value]
    in_place: Mapping[str, Sequence[int]] = field(default_factory=dict)
    spans: dict[ir.Value, BufferSlice] = field(default_factory=dict)
    weights: list[ir.Operation] = field(default_factory=list)
    moves: dict[int, list[BufferCopy]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.outputs: dict[ir.Value, int] = {}
        for index, value in enumerate(self.returned):
            self.outputs.setdefault(view_source(value), index)
        for index, argument in enumerate(self.arguments):
            self.argument(argument, "input", index)
        self.steps = StepNumbering(self.ops)
        self.sharing, self.bodies = Sharing(self), Bodies(self)
        # For each transfer in flight during launches the step that waits for it.
        self.waits = in_flight(self.ops)
        for step, op in enumerate(self.ops):
            self.visit(op, step)
        self.bodies.put_values()
        for step, op in enumerate(self.ops):
            if tloop.Launch.isa(op) and len(op.results) == 1:
                self.sharing.reuse_operand(tloop.Launch(op), step)

    def argument(self, value: ir.Value, role: str, index: int) -> None:
        """Gives a value the buffer of an argument: `role` is "input" or "weight"."""
        self.spans[value] = BufferSlice(PlannedBuffer(tensor_bytes(value), -1, -1, (role, index)))

    def where(self, value: ir.Value) -> BufferSlice:
        """The part of the root buffer that holds a value."""
        return self.spans[value].in_root()

    def own(self, value: ir.Value) -> PlannedBuffer | None:
        """The buffer of the arena that holds only the value, None if there is no such buffer."""
        part = self.where(value) if value in self.spans else None
        if part is None or not part.is_begin or part.buffer.argument is not None:
            return None
        return part.buffer if part.buffer.size == tensor_bytes(value) else None

    def move(self, op: ir.Operation, move: BufferCopy) -> None:
        """Adds a copy at the step of `op`."""
        self.moves.setdefault(address(op), []).append(move)

    def sizes(self) -> list[int]:
        """Bytes of each value that has a buffer, shared or not."""
        return [tensor_bytes(value) for value in self.spans]

    def roots(self) -> Iterator[PlannedBuffer]:
        """The buffers of the arena."""
        seen = set()
        for part in self.spans.values():
            root = part.in_root().buffer
            if root.argument is None and id(root) not in seen:
                seen.add(id(root))
                yield root

    def lifetimes(self) -> list[Lifetime]:
        """The live ranges of the arena's buffers, in the order of `roots`."""
        return [Lifetime(root.size, root.first, root.last) for root in self.roots()]

    def new(self, value: ir.Value, step: int) -> PlannedBuffer:
        """Makes the buffer of a value that is written at `step`."""
        argument = ("output", self.outputs[value]) if value in self.outputs else None
        buffer = PlannedBuffer(tensor_bytes(value), step, step, argument)
        self.spans[value] = BufferSlice(buffer)
        return buffer

    def visit(self, op: ir.Operation, step: int) -> None:
        """Makes the buffers of an op's results. Raises PassError for ops that a host function cannot hold."""
        if op.name in REFERENCES:
            (result,) = op.results
            self.argument(result, "weight", len(self.weights))
            self.weights.append(op)
        elif op.name in (tloop.Launch.NAME, tloop.Transfer.NAME):
            self.use(op, self.waits.get(step, step))
            for result in op.results:
                self.new(result, step)
        elif op.name in tloop.EXPECTATIONS:
            self.use(op, step)
        elif op.name in (*graph.CONTROL_OPS, graph.Yield.NAME):
            self.bodies.visit(op, step)
        elif tloop.Row.isa(op):
            self.sharing.row(tloop.Row(op))
        elif op.name.startswith("graph.") and op.name != graph.Constant.NAME:
            self.sharing.share(op, step)
        elif op.name not in (func.Return.NAME, graph.Constant.NAME):
            raise foreign(op)

    def use(self, op: ir.Operation, step: int) -> None:
        """Keeps the operands of `op` until `step`. Raises PassError for one without a buffer."""
        for value in op.operands:
            if value not in self.spans:
                raise PassError(
                    "a launch cannot read a constant, which is part of kernels; run graph-form-kernels first",
                    op.location,
                )
            self.read(value, step)

    def read(self, value: ir.Value, step: int) -> None:
        """Keeps the value's buffer until `step`, in each iteration of the loops around it."""
        root = self.where(value).buffer
        root.last = max(root.last, self.steps.needed_until(root.first, step))


def _check_results(allocations: Allocations, location: ir.Location) -> None:
    """Raises PassError for a result that no launch writes, or that another result shares."""
    for index, value in enumerate(allocations.returned):
        source = view_source(value)
        span = allocations.spans.get(source)
        if span is None or span.buffer.argument != ("output", index):
            raise PassError(
                f"result #{index} needs a separate launch that writes it; run graph-form-kernels first",
                location,
            )


def allocate(
    function: ir.Operation,
    in_place: Mapping[str, Sequence[int]],
    order: Sequence[ir.Operation] | None = None,
) -> Allocations:
    """Allocates the buffers of a host function on tensors, for its ops in the present or another order.
    `in_place` lists the operands that each kernel may overwrite. Raises PassError for other functions."""
    block = func.Func(function).entry_block
    ops = list(all_steps(list(order or (op.operation for op in block.operations))))
    terminator = terminator_of(block)
    allocations = Allocations(block.arguments, ops, terminator.operands, in_place)
    _check_results(allocations, terminator.location)
    return allocations
