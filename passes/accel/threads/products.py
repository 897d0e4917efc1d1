"""`accel.mma`: products of tiles, by tensor units or by multiply-adds."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, math
from mlc.passes.accel.layouts import Layout, along
from mlc.passes.accel.matrix_layouts import (
    COLUMNS,
    DEPTH_BYTES,
    REGISTER_BYTES,
    ROWS,
    WarpGrid,
    columns_of,
    left_operand,
    right_operand,
    rows_of,
)
from mlc.passes.accel.multiples import ANYTHING
from mlc.passes.accel.shared_memory import element_bytes
from mlc.passes.accel.threads.addresses import load_tile
from mlc.passes.accel.threads.code import ThreadCode, Tile
from mlc.passes.accel.threads.conversions import converted
from mlc.passes.accel.threads.instructions import Instruction
from mlc.passes.accel.threads.matrices import load_matrices, loads_matrices

# Steps of the reduction whose numbers a thread holds at a time, without tensor units.
STEPS = 4


def uses_tensor_units(op: ir.Operation) -> bool:
    """Whether an `accel.mma` is computed by `mma.sync`: by its types, and if the reduction is long enough."""
    a = op.operands[0].type
    element = str(a.element_type)
    known = element in ("f16", "bf16", "i8", "ui8") or op.attributes["precision"].value == "tf32"
    depth = a.shape["transpose_a" not in op.attributes]
    return known and depth % (DEPTH_BYTES // element_bytes(a.element_type)) == 0


def grid_of(sums: Layout) -> WarpGrid:
    """How the warps share the sums, read off their layout."""
    down, across = (sum(1 for vector in sums.warps if vector[dim]) for dim in range(2))
    return WarpGrid(1 << down, 1 << across, 1 << (len(sums.warps) - down - across))


def mma(code: ThreadCode, op: ir.Operation) -> None:
    """One step of the reduction after the other: its operands, then their products."""
    a, b, sums = op.operands
    (result,) = op.results
    layout = code.layouts[result]
    start = converted(code, code.tile(sums), layout)
    depth = a.type.shape["transpose_a" not in op.attributes]
    left = Operand(code, a, "transpose_a" in op.attributes, rows_first=True)
    right = Operand(code, b, "transpose_b" in op.attributes, rows_first=False)
    if uses_tensor_units(op):
        code.values[result] = _by_tensor_units(start, left, right, depth)
    else:
        code.values[result] = _by_multiply_adds(start, left, right, depth)


@dataclass
class Operand:
    """A tile in shared memory or in registers, of which a part of the reduction is wanted at a time."""

    code: ThreadCode
    value: ir.Value
    transposed: bool
    rows_first: bool

    @property
    def element(self) -> ir.Type:
        return self.value.type.element_type

    def part(self, layout: Layout, start: int) -> Tile:
        """What `layout` distributes: all of the kept dim, and the reduction from `start` on."""
        base = [0, start] if self.rows_first else [start, 0]
        if isinstance(self.value.type, ir.VectorType):
            return self._part_of_registers(layout, base)
        memory = self.code.memory(self.value)
        if self.transposed:
            swapped, base = layout.transposed([1, 0]), base[::-1]
        else:
            swapped = layout
        if loads_matrices(swapped, memory):
            tile = load_matrices(self.code, swapped, memory, base)
        else:
            tile = load_tile(self.code, swapped, memory, base, None, ANYTHING)
        return Tile(layout, tile.values)

    def _part_of_registers(self, layout: Layout, base: list[int]) -> Tile:
        tile = self.code.tile(self.value)
        if self.transposed:
            tile = Tile(tile.layout.transposed([1, 0]), tile.values)
        whole = _whole(layout, tile.layout.shape)
        tile = converted(self.code, tile, whole)
        self.code.values[self.value] = (
            Tile(whole.transposed([1, 0]), tile.values) if self.transposed else tile
        )
        at = (whole.register_at(_sum(base, layout.offset(each))) for each in range(layout.size))
        return Tile(layout, tuple(tile.values[register] for register in at))


def _whole(part: Layout, shape: tuple[int, ...]) -> Layout:
    """`part`, and more registers along the dim in which the whole is longer."""
    registers = list(part.registers)
    for dim, (start, end) in enumerate(zip(part.shape, shape, strict=True)):
        registers += along(dim, 2, start, end // start)
    return Layout(shape, tuple(registers), part.lanes, part.warps)


def _sum(base: list[int], offset: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(base, offset, strict=True))


def _by_multiply_adds(start: Tile, left: Operand, right: Operand, depth: int) -> Tile:
    """Each thread multiplies its rows by its columns."""
    layout, sums = start.layout, list(start.values)
    steps = min(STEPS, depth)
    for first in range(0, depth, steps):
        a, b = left.part(rows_of(layout, steps), first), right.part(columns_of(layout, steps), first)
        for step in range(steps):
            for register in range(layout.size):
                row, column = layout.offset(register)
                x = a.values[a.layout.register_at((row, step))]
                y = b.values[b.layout.register_at((step, column))]
                sums[register] = multiply_add(x, y, sums[register])
    return Tile(layout, tuple(sums))


def multiply_add(x: ir.Value, y: ir.Value, total: ir.Value) -> ir.Value:
    """`x * y + total` in the type of the sum."""
    kind = total.type
    if isinstance(kind, ir.IntegerType):
        wide = [arith.ExtSIOp(kind, each).result for each in (x, y)]
        return arith.AddIOp(arith.MulIOp(*wide).result, total).result
    wide = [each if each.type == kind else arith.ExtFOp(kind, each).result for each in (x, y)]
    return math.FmaOp(*wide, total).result


def _by_tensor_units(start: Tile, left: Operand, right: Operand, depth: int) -> Tile:
    """16 rows by 8 columns and 32 bytes of the reduction at a time."""
    layout, sums = start.layout, list(start.values)
    size, grid = element_bytes(left.element), grid_of(layout)
    steps, pack = DEPTH_BYTES // size, REGISTER_BYTES // size
    rows, columns = layout.shape[0] // grid.down, layout.shape[1] // grid.across
    instruction = Instruction(left.element, right.element, start.values[0].type, steps)
    for first in range(0, depth, steps):
        a = left.part(left_operand(layout.shape[0], steps, grid, size), first)
        b = right.part(right_operand(steps, layout.shape[1], grid, size), first)
        for down, across in itertools.product(range(rows // ROWS), range(columns // COLUMNS)):
            at = [
                layout.register_at((down * ROWS + row, across * COLUMNS + column))
                for row in (0, 8)
                for column in (0, 1)
            ]
            made = instruction.emit(
                _fragment(a, down, 4 * pack), _fragment(b, across, 2 * pack), [sums[each] for each in at]
            )
            for register, value in zip(at, made, strict=True):
                sums[register] = value
    return Tile(layout, tuple(sums))


def _fragment(tile: Tile, number: int, count: int) -> Sequence[ir.Value]:
    """What an instruction takes of an operand: registers that follow each other."""
    return tile.values[number * count : (number + 1) * count]


HANDLERS = {"accel.mma": mma}
