"""Which values of a host function share a buffer, and from which step to which each buffer lives.

A buffer's life begins at the launch that writes it first and ends at the last that reads it: allocation as
late, and release as early, as the order of the launches permits. What a loop's body reads from around it
lives until the loop ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mlc.bindings import address, func, ir
from mlc.dialects import graph, tloop
from mlc.passes.base import PassError
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

    `moves` are copies by the op at whose step they happen: operands of concatenations, and what enters or
    leaves a body, where it could not be written in place.
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
        # For each transfer beside launches the step that waits for it: until then it reads and writes.
        self.waits = in_flight(self.ops)
        for step, op in enumerate(self.ops):
            self.visit(op, step)
        self.bodies.put_values()
        for step, op in enumerate(self.ops):
            if op.name == tloop.Launch.NAME and len(op.results) == 1:
                self.sharing.reuse_operand(op, step)

    def argument(self, value: ir.Value, kind: str, index: int) -> None:
        self.spans[value] = BufferSlice(PlannedBuffer(tensor_bytes(value), -1, -1, (kind, index)))

    def where(self, value: ir.Value) -> BufferSlice:
        """The place of a value in its root buffer."""
        return self.spans[value].in_root()

    def own(self, value: ir.Value) -> PlannedBuffer | None:
        """The buffer of the arena that holds the value and nothing else, None if there is no such buffer."""
        part = self.where(value) if value in self.spans else None
        if part is None or not part.is_begin or part.buffer.place is not None:
            return None
        return part.buffer if part.buffer.size == tensor_bytes(value) else None

    def move(self, op: ir.Operation, move: BufferCopy) -> None:
        """Has a value copied at the step of `op`."""
        self.moves.setdefault(address(op), []).append(move)

    def sizes(self) -> list[int]:
        """Bytes of each value that has a buffer, whether or not it shares it."""
        return [tensor_bytes(value) for value in self.spans]

    def roots(self) -> Iterator[PlannedBuffer]:
        """The buffers that lie in the arena."""
        seen = set()
        for part in self.spans.values():
            root = part.in_root().buffer
            if root.place is None and id(root) not in seen:
                seen.add(id(root))
                yield root

    def lifetimes(self) -> list[Lifetime]:
        """The lives of the arena's buffers, in the order of `roots`."""
        return [Lifetime(root.size, root.first, root.last) for root in self.roots()]

    def new(self, value: ir.Value, step: int) -> PlannedBuffer:
        place = ("output", self.outputs[value]) if value in self.outputs else None
        buffer = PlannedBuffer(tensor_bytes(value), step, step, place)
        self.spans[value] = BufferSlice(buffer)
        return buffer

    def visit(self, op: ir.Operation, step: int) -> None:
        """Raises PassError for ops that a host function cannot hold."""
        if op.name in REFERENCES:
            self.argument(op.results[0], "weight", len(self.weights))
            self.weights.append(op)
        elif op.name in (tloop.Launch.NAME, tloop.Transfer.NAME):
            self.use(op, self.waits.get(step, step))
            for result in op.results:
                self.new(result, step)
        elif op.name in (*graph.CONTROL_OPS, graph.Yield.NAME):
            self.bodies.visit(op, step)
        elif tloop.Row.isa(op):
            self.sharing.row(op)
        elif op.name.startswith("graph.") and op.name != graph.Constant.NAME:
            self.sharing.place(op, step)
        elif op.name not in (func.Return.NAME, graph.Constant.NAME):
            raise foreign(op)

    def use(self, op: ir.Operation, step: int) -> None:
        for value in op.operands:
            if value not in self.spans:
                raise PassError(
                    "a launch cannot read a constant, which is part of kernels; run graph-form-kernels first",
                    op.location,
                )
            self.read(value, step)

    def read(self, value: ir.Value, step: int) -> None:
        """Keeps the value's buffer until it was read at the step, in each run of the loops around."""
        root = self.where(value).buffer
        root.last = max(root.last, self.steps.needed_until(root.first, step))


def _check_results(allocations: Allocations, location: ir.Location) -> None:
    """Raises PassError for a result that no launch writes, or that is another result too."""
    for index, value in enumerate(allocations.returned):
        source = view_source(value)
        span = allocations.spans.get(source)
        if span is None or span.buffer.place != ("output", index):
            raise PassError(
                f"result #{index} needs a launch of its own that writes it; run graph-form-kernels first",
                location,
            )


def allocate(
    function: ir.Operation,
    in_place: Mapping[str, Sequence[int]],
    order: Sequence[ir.Operation] | None = None,
) -> Allocations:
    """The buffers of a host function on tensors, for its ops in their own or in another order. `in_place`
    says which operands each kernel may write over. Raises PassError for what is no host program."""
    block = function.regions[0].blocks[0]
    ops = list(all_steps(list(order or (op.operation for op in block.operations))))
    terminator = block.operations[len(block.operations) - 1].operation
    allocations = Allocations(block.arguments, ops, terminator.operands, in_place)
    _check_results(allocations, terminator.location)
    return allocations
