"""Parts of depthwise convolutions and pools on plain images: whole rows, whose vectors are in registers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

from mlc.bindings import ir, scf, vector
from mlc.passes.common.linalg_builders import index_value
from mlc.passes.common.vector_builders import read_padded, splat
from mlc.passes.lowering.windows.parts import Step, WindowPart, deinterleave

# One row of the image: for each phase of the stride, vectors of the elements with that phase.
Phases: TypeAlias = list[list[ir.Value]]


class WholeRows(WindowPart[Phases]):
    """Computes whole rows of the result."""

    @cached_property
    def vectors(self) -> int:
        """Vectors of a row of the result."""
        return -(-self.result_width // self.lanes)

    def _add(self, step: Step, row: int, y: int, phases: Phases) -> None:
        """Adds the window's row `y` to the sums of the part's row `row`."""
        for x in range(self.kernel[1]):
            for at in range(self.vectors):
                value = self._shift(phases, x * self.dilations[1] - self.pads[1], at)
                total = self.sums.get((row, at), splat(self.vector_type, self.neutral))
                self.sums[row, at] = step(total, value, y, x)

    def _shift(self, phases: Phases, offset: int, at: int) -> ir.Value:
        """Returns vector `at` of the elements at `x * stride + offset` for the columns x of the result."""
        shift, phase = divmod(offset, self.strides[1])
        index, lane = divmod(at * self.lanes + shift, self.lanes)
        first = self._vector(phases[phase], index)
        if lane == 0:
            return first
        second = self._vector(phases[phase], index + 1)
        return vector.ShuffleOp(first, second, list(range(lane, lane + self.lanes))).result

    def _vector(self, row: Sequence[ir.Value], index: int) -> ir.Value:
        return row[index] if 0 <= index < len(row) else splat(self.vector_type, self.neutral)

    def _row(self, offset: int) -> Phases:
        """Returns the row of the image at `offset`, or padding outside the image."""
        row, inside = self._find_row(offset)
        if inside is None:
            return self._read(row)
        stride = self.strides[1]
        count = -(-self.width // (stride * self.lanes))
        choice = scf.IfOp(inside, [self.vector_type] * (stride * count), has_else=True)
        with ir.InsertionPoint(choice.then_block):
            scf.YieldOp([part for phase in self._read(row) for part in phase])
        with ir.InsertionPoint(choice.else_block):
            scf.YieldOp([splat(self.vector_type, self.neutral)] * (stride * count))
        values = list(choice.results)
        return [values[phase * count : (phase + 1) * count] for phase in range(stride)]

    def _read(self, row: ir.Value) -> Phases:
        """Reads a whole row, and padding after it."""
        stride = self.strides[1]
        length = stride * self.lanes
        parts = [
            read_padded(
                self.source, [self.image, self.source_channel, row, index_value(start)], length, self.neutral
            )
            for start in range(0, self.width, length)
        ]
        return [list(phase) for phase in zip(*(deinterleave(part, stride) for part in parts), strict=True)]
