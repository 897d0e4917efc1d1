"""`accel.mma` with the matrix instructions (MFMA) of AMD's CDNA GPUs of shape 16x16, and their layouts.

Source: "AMD Instinct MI200" and "MI300 Instruction Set Architecture", matrix fused multiply-add, and AMD's
matrix instruction calculator. In an instruction, lane l supplies `pack` elements of each operand: of row (or
column) l % 16, from `pack * (l // 16)` on along the reduction. It holds 4 accumulators of column l % 16: of
rows from `4 * (l // 16)` on or, of f64, of rows `l // 16 + 4 r`. Here the operands are swapped, so that a
lane's accumulators are in a row of the result.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm
from mlc.dialects import accel
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.layouts import Layout, Vector, along, bits
from mlc.passes.accel.common.matrix_layouts import WarpGrid, grid_of, warp_grid
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.amd.mfma import MfmaInstruction
from mlc.passes.accel.threads.common.addresses import LONGEST_BYTES
from mlc.passes.accel.threads.common.code import ThreadTile
from mlc.passes.accel.threads.common.operands import MmaOperand, whole_of
from mlc.passes.accel.threads.common.packed_registers import build_vector

# Rows and columns per instruction; groups of lanes along the reduction; accumulators per lane.
EXTENT, GROUPS, SUMS = 16, 4, 4


@dataclass(frozen=True)
class OperandSide:
    """The rows or the columns of an mma, `extent` of them, of which a wavefront has `part`.

    It needs part / 16 instructions for them. The rows (columns) of `near` of these are interleaved: one load
    of a lane then serves several instructions.
    """

    dim: int
    extent: int
    part: int
    near: int

    @property
    def count(self) -> int:
        """Instructions per part."""
        return self.part // EXTENT

    def first(self, instruction: int) -> int:
        """Returns the index in the part of an instruction's first row or column."""
        return instruction % self.near + EXTENT * self.near * (instruction // self.near)

    def inner(self) -> list[Vector]:
        """Returns the vectors of the bits of a row's or column's index in an instruction."""
        return along(self.dim, 2, self.near, EXTENT)

    def near_instructions(self) -> list[Vector]:
        """Returns the vectors of the lowest bits of an instruction's index."""
        return along(self.dim, 2, 1, self.near)

    def far_instructions(self) -> list[Vector]:
        """Returns the vectors of the other bits of an instruction's index."""
        start = EXTENT * self.near
        return along(self.dim, 2, start, self.part // start)

    def parts(self) -> list[Vector]:
        """Returns the vectors of the bits of a wavefront's index that select its part."""
        return along(self.dim, 2, self.part, self.extent // self.part)


def accumulators(rows: OperandSide, columns: OperandSide, copies: int, apart: bool) -> Layout:
    """Returns the accumulator's layout; with `apart` a lane's elements of an instruction are 4 columns
    apart."""
    low, high = columns.inner()[: bits(SUMS)], columns.inner()[bits(SUMS) :]
    own, lanes = (high, low) if apart else (low, high)
    registers = [*columns.near_instructions(), *own, *columns.far_instructions()]
    registers += [*rows.near_instructions(), *rows.far_instructions()]
    warps = (*columns.parts(), *rows.parts(), *_none(copies))
    return Layout((rows.extent, columns.extent), tuple(registers), (*rows.inner(), *lanes), warps)


def operand_layout(kept: OperandSide, run: int, grid: WarpGrid) -> Layout:
    """Returns the layout of the rows or the columns by `4 * run` steps of the reduction, of which a lane has
    `run` consecutive ones."""
    other = 1 - kept.dim
    shape = (kept.extent, GROUPS * run) if kept.dim == 0 else (GROUPS * run, kept.extent)
    registers = [*kept.near_instructions(), *along(other, 2, 1, run), *kept.far_instructions()]
    lanes = (*kept.inner(), *along(other, 2, run, GROUPS))
    parts = [*_none(grid.across), *kept.parts()] if kept.dim == 0 else [*kept.parts(), *_none(grid.down)]
    return Layout(shape, tuple(registers), lanes, (*parts, *_none(grid.copies)))


def _none(count: int) -> list[Vector]:
    """Returns zero vectors for bits of a wavefront's index that do not affect its part."""
    return [(0, 0)] * bits(count)


def instruction_for(op: ir.Operation, table: Mapping[str, MfmaInstruction]) -> MfmaInstruction | None:
    """Returns the instruction of `table` for an `accel.mma`, or None if its types have none, as unsigned
    integers, or it is too small."""
    view = accel.Mma(op)
    a, result = view.a.type, view.result.type
    name = "tf32" if view.precision == "tf32" else str(a.element_type)
    found = None if view.unsigned_a or view.unsigned_b else table.get(name)
    depth = a.shape[not view.transpose_a]
    if found is None or min(result.shape) < EXTENT or depth % (GROUPS * found.pack):
        return None
    return found


@dataclass(frozen=True)
class WavefrontMma:
    """An `accel.mma` in instructions of 16x16. Accumulators of f16 are f32, rounded at the end."""

    op: ir.Operation
    instruction: MfmaInstruction

    def accumulator_layout(self, warps: int, *, whole_rows: bool) -> Layout:
        """Returns the layout of the accumulator, `[rows, columns]`, of which each wavefront has a part."""
        rows, columns = accel.Mma(self.op).result.type.shape
        grid = warp_grid(rows, columns, warps, EXTENT, EXTENT, whole_rows=whole_rows)
        return accumulators(*self._sides(grid), grid.copies, self._apart)

    def left_layout(self, accumulator: Layout) -> Layout:
        """Returns the layout in registers of the left operand, `[rows, depth]`."""
        grid, (_, depth) = grid_of(accumulator), accel.Mma(self.op).a.type.shape
        rows, _ = self._sides(grid)
        part = operand_layout(rows, self._steps(depth, SUMS), grid)
        return whole_of(part, (part.shape[0], depth))

    @property
    def _apart(self) -> bool:
        """Whether a lane's accumulators of an instruction are not contiguous."""
        return self.instruction.sums == "f64"

    def _sides(self, grid: WarpGrid) -> tuple[OperandSide, OperandSide]:
        """Returns rows and columns; instructions are interleaved along the contiguous dim of operands in
        memory."""
        rows, columns = accel.Mma(self.op).result.type.shape
        view = accel.Mma(self.op)
        return (
            _side(0, rows, rows // grid.down, view.a, view.transpose_a),
            _side(1, columns, columns // grid.across, view.b, not view.transpose_b),
        )

    def emit(self, start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
        """Emits the MFMA instructions; returns `start` plus the product, in the layout of `start`."""
        layout, instruction = start.layout, self.instruction
        grid = grid_of(layout)
        rows, columns = self._sides(grid)
        run = self._run(left, right)
        sums = self._collect(start, rows, columns)
        for first in range(0, left.depth, GROUPS * run):
            a = left.part(operand_layout(rows, run, grid), first)
            b = right.part(operand_layout(columns, run, grid), first)
            for step in range(0, run, instruction.pack):
                down, across = self._operands(a, rows, step), self._operands(b, columns, step)
                for i, j in itertools.product(range(rows.count), range(columns.count)):
                    sums[i, j] = instruction.emit(across[j], down[i], sums[i, j])
        return self._spread(start, rows, columns, sums)

    def _run(self, left: MmaOperand, right: MmaOperand) -> int:
        """Returns the steps of the reduction that a lane has at a time: as many as one load takes, or as it
        has contiguous accumulators if an operand is another mma's result."""
        in_registers = left.in_registers or right.in_registers
        return self._steps(left.depth, SUMS if in_registers else LONGEST_BYTES // element_bytes(left.element))

    def _steps(self, depth: int, longest: int) -> int:
        run = self.instruction.pack
        while run < longest and depth % (2 * GROUPS * run) == 0:
            run *= 2
        return run

    def _operands(self, tile: ThreadTile, side: OperandSide, step: int) -> list[ir.Value]:
        """Returns a lane's operand of each of the side's instructions, for the reduction from `step` on."""
        result = []
        for instruction in range(side.count):
            offsets = [(side.first(instruction), step + index) for index in range(self.instruction.pack)]
            ordered = [offset if side.dim == 0 else offset[::-1] for offset in offsets]
            values = [tile.values[tile.layout.register_at(offset)] for offset in ordered]
            result.append(self.instruction.pack_operand(values))
        return result

    def _registers(
        self, layout: Layout, rows: OperandSide, columns: OperandSide, i: int, j: int
    ) -> list[int]:
        """Returns the registers of an instruction's accumulators."""
        apart = columns.near * (EXTENT // SUMS if self._apart else 1)
        row, column = rows.first(i), columns.first(j)
        return [layout.register_at((row, column + apart * index)) for index in range(SUMS)]

    def _collect(
        self, start: ThreadTile, rows: OperandSide, columns: OperandSide
    ) -> dict[tuple[int, int], ir.Value]:
        """Returns the accumulators as vectors, by instruction."""
        wide = ir.Type.parse(self.instruction.sums)
        values = [value if value.type == wide else arith.ExtFOp(wide, value).result for value in start.values]
        return {
            (i, j): build_vector(
                [values[register] for register in self._registers(start.layout, rows, columns, i, j)]
            )
            for i, j in itertools.product(range(rows.count), range(columns.count))
        }

    def _spread(
        self,
        start: ThreadTile,
        rows: OperandSide,
        columns: OperandSide,
        sums: dict[tuple[int, int], ir.Value],
    ) -> ThreadTile:
        """Returns the tile of accumulators from vectors by instruction, the inverse of `_collect`."""
        values, element = list(start.values), start.values[0].type
        for (i, j), whole in sums.items():
            for part, register in enumerate(self._registers(start.layout, rows, columns, i, j)):
                value = llvm.ExtractElementOp(whole, integers.value(part)).result
                values[register] = value if value.type == element else arith.TruncFOp(element, value).result
        return ThreadTile(start.layout, tuple(values))


def _side(dim: int, extent: int, part: int, operand: ir.Value, along: bool) -> OperandSide:
    in_memory = not isinstance(operand.type, ir.VectorType)
    near = LONGEST_BYTES // element_bytes(operand.type.element_type) if along and in_memory else 1
    return OperandSide(dim, extent, part, min(near, part // EXTENT))
