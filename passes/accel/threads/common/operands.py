"""Operands of `accel.mma`: tiles in shared memory or in registers, read in parts."""

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
    """The operand of an `accel.mma` at `position`: 0 is the left one, 1 the right one."""

    code: ThreadCode
    op: ir.Operation
    position: int

    @property
    def value(self) -> ir.Value:
        """The tile, a vector or a memref."""
        return self.op.operands[self.position]

    @property
    def transposed(self) -> bool:
        """Whether it is stored as `[K, M]` or `[N, K]`."""
        return TRANSPOSED[self.position] in self.op.attributes

    @property
    def rows_first(self) -> bool:
        """Whether it is the left one, whose rows are those of the result."""
        return self.position == 0

    @property
    def element(self) -> ir.Type:
        """The element type, with the signedness of integers."""
        return factor_type(self.op, self.position)

    @property
    def depth(self) -> int:
        """The extent of the reduction."""
        return int(self.value.type.shape[self.rows_first != self.transposed])

    @property
    def in_registers(self) -> bool:
        """Whether it is a vector."""
        return isinstance(self.value.type, ir.VectorType)

    def part(self, layout: Layout, start: int) -> ThreadTile:
        """Returns the part that `layout` distributes: all of the kept dim, and the reduction from `start`
        on."""
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
        whole = whole_of(layout, tile.layout.shape)
        tile = convert_layout(self.code, tile, whole)
        self.code.values[self.value] = (
            ThreadTile(whole.transpose([1, 0]), tile.values) if self.transposed else tile
        )
        registers = (whole.register_at(_sum(base, layout.offset(index))) for index in range(layout.size))
        return ThreadTile(layout, tuple(tile.values[register] for register in registers))


def whole_of(part: Layout, shape: tuple[int, ...]) -> Layout:
    """Returns the layout of a tile of `shape`: `part` with more registers along the dims that are longer."""
    registers = list(part.registers)
    for dim, (start, end) in enumerate(zip(part.shape, shape, strict=True)):
        registers += along(dim, 2, start, end // start)
    return Layout(shape, tuple(registers), part.lanes, part.warps)


def _sum(base: list[int], offset: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(base, offset, strict=True))
