"""Products of tiles by the matrix instructions of wavefronts.

Layouts of the operands and sums of matrix instructions of AMD's CDNA GPUs, all of shape 16x16.

Source: "AMD Instinct MI200" and "MI300 Instruction Set Architecture", matrix fused multiply-add, and AMD's
matrix instruction calculator. In an instruction, lane l gives `pack` numbers of each operand: of row (or
column) l % 16, and from `pack * (l // 16)` on along the reduction. It holds 4 sums of column l % 16: of rows
from `4 * (l // 16)` on, or, of f64, of rows `l // 16 + 4 r`. Operands are given in the other order here, so
that a lane's sums lie in a row of the result.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm
from mlc.dialects.accel.compute import UNSIGNED
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.layouts import Layout, Vector, along, bits
from mlc.passes.accel.common.matrix_layouts import WarpGrid, grid_of, warp_grid
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.amd.mfma import MfmaInstruction
from mlc.passes.accel.threads.common.addresses import LONGEST_BYTES
from mlc.passes.accel.threads.common.code import ThreadTile
from mlc.passes.accel.threads.common.operands import MmaOperand, whole_of
from mlc.passes.accel.threads.common.packed_registers import build_vector

# Rows and columns of an instruction's sums; of the lanes along the reduction; sums of a lane.
EXTENT, GROUPS, SUMS = 16, 4, 4


@dataclass(frozen=True)
class OperandSide:
    """The rows or the columns of a product, `extent` of them, of which a wavefront has `part`.

    It needs part / 16 instructions for them. `near` of these have rows (columns) side by side: one load of a
    lane then serves several instructions.
    """

    dim: int
    extent: int
    part: int
    near: int

    @property
    def count(self) -> int:
        """How many instructions share the part."""
        return self.part // EXTENT

    def first(self, instruction: int) -> int:
        """Where the first of an instruction's places lies in the part."""
        return instruction % self.near + EXTENT * self.near * (instruction // self.near)

    def places(self) -> list[Vector]:
        """For the bits of a place in an instruction."""
        return along(self.dim, 2, self.near, EXTENT)

    def near_instructions(self) -> list[Vector]:
        """For the lowest bits of an instruction's number."""
        return along(self.dim, 2, 1, self.near)

    def far_instructions(self) -> list[Vector]:
        """For the other ones."""
        start = EXTENT * self.near
        return along(self.dim, 2, start, self.part // start)

    def parts(self) -> list[Vector]:
        """For the bits of a wavefront's number that say its part."""
        return along(self.dim, 2, self.part, self.extent // self.part)


def sums_layout(rows: OperandSide, columns: OperandSide, copies: int, apart: bool) -> Layout:
    """Of the sums; `apart` says that a lane's sums of an instruction lie 4 places apart."""
    low, high = columns.places()[: bits(SUMS)], columns.places()[bits(SUMS) :]
    own, lanes = (high, low) if apart else (low, high)
    registers = [*columns.near_instructions(), *own, *columns.far_instructions()]
    registers += [*rows.near_instructions(), *rows.far_instructions()]
    warps = (*columns.parts(), *rows.parts(), *_none(copies))
    return Layout((rows.extent, columns.extent), tuple(registers), (*rows.places(), *lanes), warps)


def operand_layout(kept: OperandSide, run: int, grid: WarpGrid) -> Layout:
    """Of the rows or the columns, and of `4 * run` steps of the reduction, of which a lane gives `run` that
    follow each other."""
    other = 1 - kept.dim
    shape = (kept.extent, GROUPS * run) if kept.dim == 0 else (GROUPS * run, kept.extent)
    registers = [*kept.near_instructions(), *along(other, 2, 1, run), *kept.far_instructions()]
    lanes = (*kept.places(), *along(other, 2, run, GROUPS))
    parts = [*_none(grid.across), *kept.parts()] if kept.dim == 0 else [*kept.parts(), *_none(grid.down)]
    return Layout(shape, tuple(registers), lanes, (*parts, *_none(grid.copies)))


def _none(count: int) -> list[Vector]:
    """For bits of a wavefront's number that say nothing of its part."""
    return [(0, 0)] * bits(count)


def instruction_for(op: ir.Operation, table: Mapping[str, MfmaInstruction]) -> MfmaInstruction | None:
    """That for an `accel.mma`; None if there is none for its types, as for unsigned integers, or if it is too
    small."""
    a, result = op.operands[0].type, op.results[0].type
    name = "tf32" if op.attributes["precision"].value == "tf32" else str(a.element_type)
    found = None if any(each in op.attributes for each in UNSIGNED) else table.get(name)
    depth = a.shape["transpose_a" not in op.attributes]
    if found is None or min(result.shape) < EXTENT or depth % (GROUPS * found.pack):
        return None
    return found


@dataclass(frozen=True)
class WavefrontMma:
    """16 rows by 16 columns at a time. Sums of f16 are those of f32, rounded at the end."""

    op: ir.Operation
    instruction: MfmaInstruction

    def accumulator_layout(self, warps: int, *, whole_rows: bool) -> Layout:
        rows, columns = self.op.results[0].type.shape
        grid = warp_grid(rows, columns, warps, EXTENT, EXTENT, whole_rows=whole_rows)
        return sums_layout(*self._sides(grid), grid.copies, self._apart)

    def left_layout(self, sums: Layout) -> Layout:
        grid, (_, depth) = grid_of(sums), self.op.operands[0].type.shape
        rows, _ = self._sides(grid)
        part = operand_layout(rows, self._steps(depth, SUMS), grid)
        return whole_of(part, (part.shape[0], depth))

    @property
    def _apart(self) -> bool:
        """Whether a lane's sums of an instruction lie apart."""
        return self.instruction.sums == "f64"

    def _sides(self, grid: WarpGrid) -> tuple[OperandSide, OperandSide]:
        """Operands whose rows in shared memory run along the result's rows or columns are read along them."""
        rows, columns = self.op.results[0].type.shape
        a, b = list(self.op.operands)[:2]
        along_rows, along_columns = (
            "transpose_a" in self.op.attributes,
            "transpose_b" not in self.op.attributes,
        )
        return (
            _side(0, rows, rows // grid.down, a, along_rows),
            _side(1, columns, columns // grid.across, b, along_columns),
        )

    def emit(self, start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
        layout, instruction = start.layout, self.instruction
        grid = grid_of(layout)
        rows, columns = self._sides(grid)
        run = self._run(left, right)
        sums = self._collected(start, rows, columns)
        for first in range(0, left.depth, GROUPS * run):
            a = left.part(operand_layout(rows, run, grid), first)
            b = right.part(operand_layout(columns, run, grid), first)
            for step in range(0, run, instruction.pack):
                down, across = self._given(a, rows, step), self._given(b, columns, step)
                for i, j in itertools.product(range(rows.count), range(columns.count)):
                    sums[i, j] = instruction.emit(across[j], down[i], sums[i, j])
        return self._spread(start, rows, columns, sums)

    def _run(self, left: MmaOperand, right: MmaOperand) -> int:
        """Steps of the reduction that a lane gives at a time: as many as one load takes, or as it has sums
        side by side where an operand is another product's result."""
        in_registers = left.in_registers or right.in_registers
        return self._steps(left.depth, SUMS if in_registers else LONGEST_BYTES // element_bytes(left.element))

    def _steps(self, depth: int, longest: int) -> int:
        run = self.instruction.pack
        while run < longest and depth % (2 * GROUPS * run) == 0:
            run *= 2
        return run

    def _given(self, tile: ThreadTile, side: OperandSide, step: int) -> list[ir.Value]:
        """What a lane gives to each of the side's instructions, for steps of the reduction from `step` on."""
        result = []
        for number in range(side.count):
            places = [(side.first(number), step + index) for index in range(self.instruction.pack)]
            at = [place if side.dim == 0 else place[::-1] for place in places]
            result.append(self.instruction.given([tile.values[tile.layout.register_at(each)] for each in at]))
        return result

    def _registers(
        self, layout: Layout, rows: OperandSide, columns: OperandSide, i: int, j: int
    ) -> list[int]:
        """Of the sums of an instruction."""
        apart = columns.near * (EXTENT // SUMS if self._apart else 1)
        row, column = rows.first(i), columns.first(j)
        return [layout.register_at((row, column + apart * index)) for index in range(SUMS)]

    def _collected(
        self, start: ThreadTile, rows: OperandSide, columns: OperandSide
    ) -> dict[tuple[int, int], ir.Value]:
        """The sums as vectors, by instruction."""
        kind = ir.Type.parse(self.instruction.sums)
        values = [value if value.type == kind else arith.ExtFOp(kind, value).result for value in start.values]
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
        """The other way round."""
        values, kind = list(start.values), start.values[0].type
        for (i, j), whole in sums.items():
            for part, register in enumerate(self._registers(start.layout, rows, columns, i, j)):
                value = llvm.ExtractElementOp(whole, integers.value(part)).result
                values[register] = value if value.type == kind else arith.TruncFOp(kind, value).result
        return ThreadTile(start.layout, tuple(values))


def _side(dim: int, extent: int, part: int, operand: ir.Value, along: bool) -> OperandSide:
    in_memory = not isinstance(operand.type, ir.VectorType)
    near = LONGEST_BYTES // element_bytes(operand.type.element_type) if along and in_memory else 1
    return OperandSide(dim, extent, part, min(near, part // EXTENT))
