"""Values in the buffers of others: views, rows, operands of concatenations, results in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlc.bindings import ir
from mlc.dialects import graph, tloop
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import PassError
from mlc.passes.graph.common.views import joined_offsets, view_offset
from mlc.passes.graph.fusion.loop_rows import loop_of
from mlc.passes.host.memory.buffers import BufferCopy, BufferSlice, MovingRow, PlannedBuffer, tensor_bytes

if TYPE_CHECKING:
    from mlc.passes.host.memory.allocations import Allocations


class Sharing:
    """Puts values into the buffers of others among the allocations of a host function."""

    def __init__(self, allocations: Allocations) -> None:
        self.all = allocations

    def row(self, op: tloop.Row) -> None:
        """Makes a row a part of its source, which moves with the iteration."""
        if op.operand not in self.all.spans:
            raise foreign(op.operation)
        if loop_of(op.iteration) is None:
            raise PassError(
                "'tloop.row' takes the iteration of a loop around it, and nothing else", op.operation.location
            )
        count = ir.RankedTensorType(op.operand.type).shape[0]
        row = MovingRow(op.iteration, op.first, op.step, count, tensor_bytes(op.row))
        self.all.spans[op.row] = self.all.spans[op.operand].part(0, row)

    def share(self, op: ir.Operation, step: int) -> None:
        """Makes views parts of their operand, operands of a concatenation parts of its result. Raises
        PassError for other ops."""
        offset, offsets = view_offset(op), joined_offsets(op)
        if offset is not None and op.operands[0] in self.all.spans:
            width = element_bytes(str(op.results[0].type.element_type))
            self.all.spans[op.results[0]] = self.all.spans[op.operands[0]].part(offset * width)
        elif offsets is not None:
            self._join(op, offsets, step)
        elif offset is None:
            raise foreign(op)

    def reuse_operand(self, op: tloop.Launch, step: int) -> None:
        """Lets the launch, of one result, write over an operand that it reads last, if the kernel may."""
        allowed = self.all.in_place.get(op.kernel, ())
        if not allowed:
            return
        (result,) = op.results
        target = self.all.spans[result].buffer
        if target.argument is not None or target.parent is not None or target.first != step:
            return
        others = [value for position, value in enumerate(op.operands) if position not in allowed]
        for index in allowed:
            part = self.all.where(op.operands[index])
            is_read = any(self.all.where(value).buffer is part.buffer for value in others)
            if self._fits(part, target, step) and not is_read:
                target.put_into(part.buffer)
                return

    def _fits(self, part: BufferSlice, target: PlannedBuffer, step: int) -> bool:
        """Whether a buffer may take the memory that is read last at a step."""
        root = part.buffer
        fits = root.argument is None and root.last == step and root.size == target.size and part.is_begin
        if not fits or root is target or not self.all.allocates:
            return fits and root is not target
        # Separate allocations have elements of one type, and are given away where they were allocated.
        same_type = root.value.type.element_type == target.value.type.element_type
        return same_type and (not target.given or self.all.block_of(root) == self.all.block_of(target))

    def _join(self, op: ir.Operation, offsets: Sequence[int], step: int) -> None:
        """Puts the operands of a concatenation into its result; copies those in other buffers."""
        result = graph.Concat(op).result
        whole = self.all.new(result, step)
        width = element_bytes(str(result.type.element_type))
        loop_around = self.all.steps.loop_around
        for value, offset in zip(op.operands, offsets, strict=True):
            self.all.read(value, step)
            own = self.all.movable(value)
            # An iteration must write the whole result: values of outer or inner loops are copied.
            same_loop = own is not None and loop_around(own.first) == loop_around(step)
            if own is not None and own is not whole and same_loop:
                own.put_into(whole, offset * width)
            else:
                self.all.move(op, BufferCopy(value, self.all.spans[result].part(offset * width)))


def foreign(op: ir.Operation) -> PassError:
    """The error for an op that a host function cannot hold."""
    return PassError(f"a host function cannot hold '{op.name}'; run graph-form-kernels first", op.location)
