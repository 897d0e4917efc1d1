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
from mlc.dialects.graph.sizes import Size, evaluate
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.graph.common.views import view_source
from mlc.passes.host.memory.arena import Lifetime
from mlc.passes.host.memory.bodies import Bodies
from mlc.passes.host.memory.buffers import (
    BufferCopy,
    BufferSlice,
    PassedMemory,
    PlannedBuffer,
    sizes_of,
    tensor_bytes,
)
from mlc.passes.host.memory.in_flight import in_flight
from mlc.passes.host.memory.sharing import Sharing, foreign
from mlc.passes.host.memory.steps import KnownNames, StepNumbering, all_steps

REFERENCES = (graph.Weight.NAME, graph.Prepared.NAME)
COMPUTATIONS = (
    tloop.Launch.NAME,
    tloop.Transfer.NAME,
    tloop.SizeValues.NAME,
    graph.CallRuntime.NAME,
    graph.Check.NAME,
)


@dataclass
class Allocations:
    """The buffers of a host function whose ops run in the order of `ops`, those of bodies included.

    `moves` are copies by the op at whose step they happen: operands of concatenations, and values that enter
    or leave a body, or are outputs, that could not be written in place. `passed` is the memory that ops give
    to control flow. A function that `allocates` does so while it runs, where sizes are dynamic.
    """

    arguments: Sequence[ir.Value]
    ops: Sequence[ir.Operation]
    returned: Sequence[ir.Value]
    in_place: Mapping[str, Sequence[int]] = field(default_factory=dict)
    allocates: bool = False
    spans: dict[ir.Value, BufferSlice] = field(default_factory=dict)
    weights: list[ir.Operation] = field(default_factory=list)
    moves: dict[int, list[BufferCopy]] = field(default_factory=dict)
    passed: dict[int, list[PassedMemory]] = field(default_factory=dict)
    # The targets of copies that hold no value.
    copies: list[BufferSlice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.outputs: dict[ir.Value, int] = {}
        for index, value in enumerate(self.returned):
            self.outputs.setdefault(view_source(value), index)
        for index, argument in enumerate(self.arguments):
            self.argument(argument, "input", index)
        self.steps = StepNumbering(self.ops)
        self.names = KnownNames(self.arguments, self.ops, self.steps)
        self.has_ids = any(map(graph.CallRuntime.isa, self.ops))
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
        self.spans[value] = BufferSlice(PlannedBuffer(value, -1, -1, (role, index)))

    def where(self, value: ir.Value) -> BufferSlice:
        """The part of the root buffer that holds a value."""
        return self.spans[value].in_root()

    def own(self, value: ir.Value) -> PlannedBuffer | None:
        """The buffer that holds only the value and is neither an argument nor given to control flow, None if
        there is no such buffer."""
        part = self.where(value) if value in self.spans else None
        if part is None or not part.is_begin or part.buffer.argument is not None or part.buffer.given:
            return None
        return part.buffer if part.buffer.size == tensor_bytes(value) else None

    def movable(self, value: ir.Value) -> PlannedBuffer | None:
        """The buffer that holds only the value and may become a part of another one."""
        own = self.own(value)
        return None if own is None or own.received else own

    def move(self, op: ir.Operation, move: BufferCopy) -> None:
        """Adds a copy at the step of `op`."""
        self.moves.setdefault(address(op), []).append(move)

    def sizes(self) -> list[int | Size]:
        """Bytes of each value that has a buffer, shared or not."""
        return [tensor_bytes(value) for value in self.spans]

    def roots(self) -> Iterator[PlannedBuffer]:
        """The buffers that are parts of no others, arguments included."""
        parts = (*self.spans.values(), *self.copies)
        yield from dict.fromkeys(part.in_root().buffer for part in parts)

    def arena(self) -> list[PlannedBuffer]:
        """The buffers of the arena."""
        return [root for root in self.roots() if self.is_in_arena(root)]

    def is_in_arena(self, root: PlannedBuffer) -> bool:
        """Whether a buffer is in the arena: its size follows from the dims of inputs, and control flow does
        not pass it on. What a branch may never need is not, if its size is dynamic. The runtime keeps the
        sequences whose ids it finds in memory, so that ids have separate memory."""
        may_be_id = self.has_ids and root.value.type.element_type == i64()
        if root.argument is not None or root.received or root.given or may_be_id:
            return False
        size, is_optional = root.size, self.steps.is_in_branch(root.first)
        return isinstance(size, int) or (size.names <= self.names.inputs and not is_optional)

    def lifetimes(self, dim: int = 0) -> list[Lifetime]:
        """The live ranges of the arena's buffers, in the order of `arena`, where named dims have a value."""
        dims = dict.fromkeys(self.names.inputs, dim)
        return [Lifetime(max(0, evaluate(root.size, dims)), root.first, root.last) for root in self.arena()]

    def block_of(self, root: PlannedBuffer) -> ir.Block:
        """The block in which a buffer becomes live."""
        owner = root.value.owner
        return owner if root.received and isinstance(owner, ir.Block) else self.ops[root.first].block

    def new(self, value: ir.Value, step: int) -> PlannedBuffer:
        """Makes the buffer of a value that is written at `step`."""
        buffer, index = PlannedBuffer(value, step, step), self.outputs.get(value)
        if index is not None and self.has_room(self.returned[index], value, step):
            buffer.argument = ("output", index)
        self.spans[value] = BufferSlice(buffer)
        return buffer

    def has_room(self, output: ir.Value, value: ir.Value, step: int) -> bool:
        """Whether the memory of an output holds a value that is written at `step`, of which it may be a view:
        its sizes are known then, and depend on no later check."""
        same_size = tensor_bytes(output) == tensor_bytes(value)
        return same_size and self.names.determine(sizes_of(output), step)

    def visit(self, op: ir.Operation, step: int) -> None:
        """Makes the buffers of an op's results. Raises PassError for ops that a host function cannot hold."""
        if op.name in REFERENCES:
            (result,) = op.results
            self.argument(result, "weight", len(self.weights))
            self.weights.append(op)
        elif op.name in COMPUTATIONS:
            self.use(op, self.waits.get(step, step))
            for result in op.results:
                self.new(result, step)
            if check := graph.Check.match(op):
                self.move(op, BufferCopy(check.x, self.spans[check.result]))
        elif op.name in (*tloop.EXPECTATIONS, tloop.ReadSizes.NAME):
            self.use(op, step)
        elif op.name == func.Return.NAME:
            self.copy_outputs(op, step)
        elif op.name in (*graph.CONTROL_OPS, graph.Yield.NAME):
            self.bodies.visit(op, step)
        elif tloop.Row.isa(op):
            self.sharing.row(tloop.Row(op))
        elif op.name.startswith("graph.") and op.name != graph.Constant.NAME:
            self.sharing.share(op, step)
        elif op.name not in (graph.Constant.NAME, tloop.Expect.NAME):
            raise foreign(op)

    def copy_outputs(self, op: ir.Operation, step: int) -> None:
        """Copies outputs that no op has written. Raises PassError if sizes are static: there each has a
        separate launch."""
        for index, value in enumerate(op.operands):
            if value in self.spans and self.where(value).buffer.argument == ("output", index):
                continue
            if not self.allocates:
                raise PassError(
                    f"result #{index} needs a separate launch that writes it; run graph-form-kernels first",
                    op.location,
                )
            target = BufferSlice(PlannedBuffer(value, step, step, ("output", index)))
            self.copies.append(target)
            self.use(op, step)
            self.move(op, BufferCopy(value, target))

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


def allocate(
    function: ir.Operation,
    in_place: Mapping[str, Sequence[int]],
    order: Sequence[ir.Operation] | None = None,
    allocates: bool = False,
) -> Allocations:
    """Allocates the buffers of a host function on tensors, for its ops in the present or another order.
    `in_place` lists the operands that each kernel may overwrite; one of dynamic sizes `allocates` while it
    runs. Raises PassError for other functions."""
    block = func.Func(function).entry_block
    ops = list(all_steps(list(order or (op.operation for op in block.operations))))
    return Allocations(block.arguments, ops, terminator_of(block).operands, in_place, allocates)
