"""Layouts of the operands and sums of matrix instructions of AMD's CDNA GPUs, all of shape 16x16.

Source: "AMD Instinct MI200" and "MI300 Instruction Set Architecture", matrix fused multiply-add, and AMD's
matrix instruction calculator. In an instruction, lane l gives `pack` numbers of each operand: of row (or
column) l % 16, and from `pack * (l // 16)` on along the reduction. It holds 4 sums of column l % 16: of rows
from `4 * (l // 16)` on, or, of f64, of rows `l // 16 + 4 r`. Operands are given in the other order here, so
that a lane's sums lie in a row of the result.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.passes.accel.common.layouts import Layout, Vector, along, bits
from mlc.passes.accel.common.matrix_layouts import WarpGrid

# Rows and columns of an instruction's sums; of the lanes along the reduction; sums of a lane.
PLACES, GROUPS, SUMS = 16, 4, 4


@dataclass(frozen=True)
class Side:
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
        return self.part // PLACES

    def first(self, instruction: int) -> int:
        """Where the first of an instruction's places lies in the part."""
        return instruction % self.near + PLACES * self.near * (instruction // self.near)

    def places(self) -> list[Vector]:
        """For the bits of a place in an instruction."""
        return along(self.dim, 2, self.near, PLACES)

    def near_instructions(self) -> list[Vector]:
        """For the lowest bits of an instruction's number."""
        return along(self.dim, 2, 1, self.near)

    def far_instructions(self) -> list[Vector]:
        """For the other ones."""
        start = PLACES * self.near
        return along(self.dim, 2, start, self.part // start)

    def parts(self) -> list[Vector]:
        """For the bits of a wavefront's number that say its part."""
        return along(self.dim, 2, self.part, self.extent // self.part)


def sums(rows: Side, columns: Side, copies: int, apart: bool) -> Layout:
    """Of the sums; `apart` says that a lane's sums of an instruction lie 4 places apart."""
    low, high = columns.places()[: bits(SUMS)], columns.places()[bits(SUMS) :]
    own, lanes = (high, low) if apart else (low, high)
    registers = [*columns.near_instructions(), *own, *columns.far_instructions()]
    registers += [*rows.near_instructions(), *rows.far_instructions()]
    warps = (*columns.parts(), *rows.parts(), *_none(copies))
    return Layout((rows.extent, columns.extent), tuple(registers), (*rows.places(), *lanes), warps)


def operand(kept: Side, run: int, grid: WarpGrid) -> Layout:
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
