"""Operands of products: tiles in shared memory or in registers, of which a part is wanted at a time."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects.accel import factor_type
from mlc.dialects.accel.compute import TRANSPOSED
from mlc.passes.accel.common.layouts import Layout, along
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadTile
from mlc.passes.accel.threads.common.layout_conversions import convert_layout


@dataclass
class MmaOperand:
    """An operand of an `accel.mma`, by its number."""

    code: ThreadCode
    op: ir.Operation
    number: int

    @property
    def value(self) -> ir.Value:
        return self.op.operands[self.number]

    @property
    def transposed(self) -> bool:
        return TRANSPOSED[self.number] in self.op.attributes

    @property
    def rows_first(self) -> bool:
        """Whether it is the left one, whose rows are those of the sums."""
        return self.number == 0

    @property
    def element(self) -> ir.Type:
        """With its sign, if it is an integer."""
        return factor_type(self.op, self.number)

    @property
    def depth(self) -> int:
        """The reduction's length."""
        return int(self.value.type.shape[self.rows_first != self.transposed])

    @property
    def in_registers(self) -> bool:
        return isinstance(self.value.type, ir.VectorType)

    def part(self, layout: Layout, start: int) -> ThreadTile:
        """What `layout` distributes: all of the kept dim, and the reduction from `start` on."""
        base = [0, start] if self.rows_first else [start, 0]
        if self.in_registers:
            return self._part_of_registers(layout, base)
        memory = self.code.memory(self.value)
        if self.transposed:
            swapped, base = layout.transpose([1, 0]), base[::-1]
        else:
            swapped = layout
        tile = self.code.architecture.load_operand(self.code, swapped, memory, base)
        return ThreadTile(layout, tile.values)

    def _part_of_registers(self, layout: Layout, base: list[int]) -> ThreadTile:
        tile = self.code.tile(self.value)
        if self.transposed:
            tile = ThreadTile(tile.layout.transpose([1, 0]), tile.values)
        own = whole_of(layout, tile.layout.shape)
        tile = convert_layout(self.code, tile, own)
        self.code.values[self.value] = (
            ThreadTile(own.transpose([1, 0]), tile.values) if self.transposed else tile
        )
        at = (own.register_at(_sum(base, layout.offset(index))) for index in range(layout.size))
        return ThreadTile(layout, tuple(tile.values[register] for register in at))


def whole_of(part: Layout, shape: tuple[int, ...]) -> Layout:
    """`part`, and more registers along the dim in which the whole is longer."""
    registers = list(part.registers)
    for dim, (start, end) in enumerate(zip(part.shape, shape, strict=True)):
        registers += along(dim, 2, start, end // start)
    return Layout(shape, tuple(registers), part.lanes, part.warps)


def _sum(base: list[int], offset: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(base, offset, strict=True))
