"""Parts of depthwise convolutions and pools on plain images: tiles of columns. Inside of a row they read the
image for each element of the window; at its ends they read by masks, and shift what they have read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from mlc.bindings import arith, ir, scf, vector
from mlc.passes.common.dynamic_dims import UNKNOWN
from mlc.passes.common.linalg_builders import dims, extent_of, index_value
from mlc.passes.common.vector_builders import apply_map, read, read_padded, splat
from mlc.passes.lowering.windows.parts import Step, WindowPart, deinterleave
from mlc.passes.lowering.windows.row_windows import window_positions

# The index of a row of the image, and whether it is inside of the image, None if it always is.
TileLine: TypeAlias = tuple[ir.Value, "ir.Value | None"]


@dataclass
class ColumnTile(WindowPart[TileLine]):
    """Computes a tile of `columns` columns of the result from `column` on."""

    column: ir.Value = field(kw_only=True)
    columns: int = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.count = -(-self.columns // self.lanes)
        # Whether all that is read is inside of the row.
        self.inside = False
        # What was read, by channel, row, and strides from the first element.
        self.known: dict[tuple[int, ir.Value, int], list[ir.Value]] = {}

    @property
    def vectors(self) -> int:
        """Vectors of a row of the tile that are computed."""
        return self.count

    def run(self) -> list[list[ir.Value]]:
        """Returns the vectors of each row of the tile."""
        step = self._step()
        parts = self._choose(
            self._is_inside(), lambda: self._compute(step, True), lambda: self._at_ends(step)
        )
        return [parts[row * self.vectors : (row + 1) * self.vectors] for row in range(self.rows)]

    def _choose(
        self, condition: ir.Value, then: Callable[[], list[ir.Value]], other: Callable[[], list[ir.Value]]
    ) -> list[ir.Value]:
        choice = scf.IfOp(condition, [self.vector_type] * (self.rows * self.count), has_else=True)
        for block, build in ((choice.then_block, then), (choice.else_block, other)):
            with ir.InsertionPoint(block):
                scf.YieldOp(build())
        return list(choice.results)

    def _compute(self, step: Step, inside: bool) -> list[ir.Value]:
        self.inside, self.sums, self.known = inside, {}, {}
        return [part for row in self._sum(step) for part in row]

    def _at_ends(self, step: Step) -> list[ir.Value]:
        """Computes a tile at an end of a row; where at most a vector is left of an open row, only that."""
        if self.result_width != UNKNOWN or self.count == 1:
            return self._compute(step, False)
        rest = arith.subi(window_positions(self.op, 3), self.column)
        few = arith.cmpi(arith.CmpIPredicate.sle, rest, index_value(self.lanes))
        return self._choose(few, lambda: self._compute_first(step), lambda: self._compute(step, False))

    def _compute_first(self, step: Step) -> list[ir.Value]:
        """Computes the first vector of each row."""
        count, self.count = self.count, 1
        firsts = self._compute(step, False)
        self.count = count
        rest = [splat(self.vector_type, 0.0)] * (count - 1)
        return [part for first in firsts for part in (first, *rest)]

    def _is_inside(self) -> ir.Value:
        """Builds the test that all vectors that the tile reads are inside of their rows."""
        stride, width = self.strides[1], extent_of(self.source, 3)
        farthest = (self.kernel[1] - 1) * self.dilations[1] // stride
        end = (self.vectors * self.lanes + farthest) * stride
        start = apply_map(dims(1)[0] * stride - self.pads[1], [self.column])
        bound = index_value(width) if isinstance(width, int) else width
        last = arith.addi(start, index_value(end))
        return arith.andi(
            arith.cmpi(arith.CmpIPredicate.sge, start, index_value(0)),
            arith.cmpi(arith.CmpIPredicate.sle, last, bound),
        )

    def _add(self, step: Step, row: int, y: int, line: TileLine) -> None:
        """Adds the window's row `y` to the sums of the tile's row `row`, if it is inside of the image."""
        at, inside = line
        if inside is None:
            self._add_row(step, row, y, at)
            return
        keys = [(row, index) for index in range(self.vectors)]
        before = [self.sums.get(key, splat(self.vector_type, self.neutral)) for key in keys]
        choice = scf.IfOp(inside, [self.vector_type] * len(keys), has_else=True)
        known = dict(self.known)
        with ir.InsertionPoint(choice.then_block):
            self._add_row(step, row, y, at)
            scf.YieldOp([self.sums[key] for key in keys])
        with ir.InsertionPoint(choice.else_block):
            scf.YieldOp(before)
        self.known = known
        self.sums.update(zip(keys, choice.results, strict=True))

    def _add_row(self, step: Step, row: int, y: int, line: ir.Value) -> None:
        for x in range(self.kernel[1]):
            for at in range(self.vectors):
                total = self.sums.get((row, at), splat(self.vector_type, self.neutral))
                self.sums[row, at] = step(total, self._element(line, x * self.dilations[1], at), y, x)

    def _row(self, offset: int) -> TileLine:
        return self._find_row(offset)

    def _element(self, line: ir.Value, offset: int, at: int) -> ir.Value:
        """Returns the elements of a row that the columns of vector `at` read at `offset` in their windows."""
        strides, phase = divmod(offset, self.strides[1])
        if self.inside:
            return self._read_from(line, at * self.lanes + strides)[phase]
        index, lane = divmod(at * self.lanes + strides, self.lanes)
        first = self._read_from(line, index * self.lanes)[phase]
        if lane == 0:
            return first
        second = self._read_from(line, (index + 1) * self.lanes)[phase]
        return vector.ShuffleOp(first, second, list(range(lane, lane + self.lanes))).result

    def _read_from(self, line: ir.Value, strides: int) -> list[ir.Value]:
        """Returns for each phase of the stride the elements of a row that are one stride apart, from
        `strides` after the first element that the tile reads."""
        key = (self.source_index, line, strides)
        if key not in self.known:
            self.known[key] = deinterleave(self._read_row(line, strides), self.strides[1])
        return self.known[key]

    def _read_row(self, line: ir.Value, strides: int) -> ir.Value:
        """Reads all elements of a row within the strides of a vector; of padding, those outside of it."""
        stride = self.strides[1]
        length, before = stride * self.lanes, self.pads[1] - strides * stride
        start = apply_map(dims(1)[0] * stride - before, [self.column])
        where = [self.image, self.source_channel, line]
        if self.inside:
            return read(self.source, [*where, start], length)
        if before <= 0:
            return read_padded(self.source, [*where, start], length, self.neutral)
        first = arith.maxsi(start, index_value(0))
        part = read_padded(self.source, [*where, first], length, self.neutral)
        return self._move_right(part, arith.subi(first, start), before)

    def _move_right(self, part: ir.Value, count: ir.Value, most: int) -> ir.Value:
        """Moves the elements of a vector by `count` of at most `most`, after padding."""
        padding = splat(part.type, self.neutral)
        length = ir.VectorType(part.type).shape[0]
        for bit in range(most.bit_length()):
            step = min(1 << bit, length)
            moved = vector.ShuffleOp(padding, part, list(range(length - step, 2 * length - step))).result
            is_set = arith.cmpi(
                arith.CmpIPredicate.ne, arith.andi(count, index_value(1 << bit)), index_value(0)
            )
            part = arith.select(is_set, moved, part)
        return part
