"""Depthwise convolutions and pools on plain images as vector ops, a few rows of the result at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from mlc.bindings import arith, ir, scf, tensor, vector
from mlc.dialects import graph, tloop
from mlc.passes.common.linalg_builders import dims, empty, index_value, static_shape, tensor_type
from mlc.passes.common.vector_builders import apply_map, read_padded, splat, write

ROW_WINDOW = tloop.RowWindow.NAME
# Multiply-adds of a part: more only make the code longer.
LARGEST_PART = 144

# One row of the image: for each phase of the stride, vectors of the elements with that phase.
Phases = list[list[ir.Value]]


def row_window(op: ir.Operation, kernel: Sequence[int], combiner: str, neutral: float) -> ir.Value:
    """Builds a `tloop.row_window`, which `compute_at` expands to vector ops in the loop that reads it.

    `combiner` is "sum", "maximum" or, with the weights as second operand, "product"; `neutral` is the
    padding.
    """
    window, conv = graph.Window(op), graph.Conv.match(op)
    sizes = (kernel, window.strides, window.dilations, window.pads[: len(kernel)])
    return tloop.RowWindowOp(
        ir.StringAttr.get(combiner),
        *(ir.DenseI64ArrayAttr.get(list(values)) for values in sizes),
        ir.FloatAttr.get_f64(neutral),
        window.x,
        None if conv is None else conv.w,
        window.result.type,
    ).result


def part_rows(op: ir.Operation, lanes: int) -> int:
    """Rows of the result that are computed at a time: they share the rows of the image that they read."""
    window = tloop.RowWindow(op)
    height, width = static_shape(window.result)[2:]
    kernel = window.kernel
    steps = -(-width // lanes) * kernel[0] * kernel[1]
    return max(
        rows
        for rows in range(1, height + 1)
        if height % rows == 0 and rows * steps <= max(LARGEST_PART, steps)
    )


@dataclass
class RowWindowBuilder:
    """Computes the rows of the result from `first` on, for one channel; `lanes` is the length of vectors."""

    op: ir.Operation
    image: ir.Value
    channel: ir.Value
    first: ir.Value
    rows: int
    lanes: int
    sums: dict[tuple[int, int], ir.Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.window = tloop.RowWindow(self.op)
        self.source = self.window.image
        self.height, self.width = static_shape(self.source)[2:]
        self.result_height, self.result_width = static_shape(self.window.result)[2:]
        self.kernel, self.strides = self.window.kernel, self.window.strides
        self.dilations, self.pads = self.window.dilations, self.window.pads
        self.neutral = self.window.neutral

    @cached_property
    def vectors(self) -> int:
        """Vectors of a row of the result."""
        return -(-self.result_width // self.lanes)

    @property
    def vector_type(self) -> ir.VectorType:
        """The type of vectors of elements."""
        return ir.VectorType.get([self.lanes], tensor_type(self.source).element_type)

    def run(self) -> list[list[ir.Value]]:
        """Returns the vectors of each row of the part. The image's rows are read one after the other, so that
        only the sums of the few rows of the result that read them are alive."""
        step = self._step()
        reads = [(self._offset(row, y), row, y) for row in range(self.rows) for y in range(self.kernel[0])]
        for offset, group in groupby(sorted(reads), key=lambda read: read[0]):
            phases = self._row(offset)
            for _, row, y in group:
                self._add(step, row, y, phases)
        return [[self.sums[row, at] for at in range(self.vectors)] for row in range(self.rows)]

    def _offset(self, row: int, y: int) -> int:
        """Returns the row of the image that row `y` of the window at `row` reads, counted from the first row
        of the part's first window."""
        return row * self.strides[0] + y * self.dilations[0]

    def _add(
        self, step: Callable[[ir.Value, ir.Value, int, int], ir.Value], row: int, y: int, phases: Phases
    ) -> None:
        """Adds the window's row `y` to the sums of the part's row `row`."""
        for x in range(self.kernel[1]):
            for at in range(self.vectors):
                value = self._shift(phases, x * self.dilations[1] - self.pads[1], at)
                total = self.sums.get((row, at), splat(self.vector_type, self.neutral))
                self.sums[row, at] = step(total, value, y, x)

    def _step(self) -> Callable[[ir.Value, ir.Value, int, int], ir.Value]:
        """Returns the function that combines an element of the image with a sum."""
        combiner = self.window.kind
        # The padding is also the identity of the sum, or of the maximum.
        if combiner == "maximum":
            nsz = arith.FastMathFlags.nsz
            return lambda total, value, _y, _x: arith.maximumf(total, value, fastmath=nsz)
        if combiner == "sum":
            return lambda total, value, _y, _x: arith.addf(total, value)
        weights = [[self._weight(y, x) for x in range(self.kernel[1])] for y in range(self.kernel[0])]
        return lambda total, value, y, x: multiply_add(weights[y][x], value, total)

    def _weight(self, y: int, x: int) -> ir.Value:
        coordinates = [self.channel, index_value(0), index_value(y), index_value(x)]
        return vector.BroadcastOp(self.vector_type, tensor.extract(self.window.weights, coordinates)).result

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
        stride, pad = self.strides[0], self.pads[0]
        row = apply_map(dims(1)[0] * stride + (offset - pad), [self.first])
        last = (self.result_height - self.rows) * stride + offset - pad
        if offset >= pad and last < self.height:
            return self._read(row)
        inside = arith.cmpi(arith.CmpIPredicate.ult, row, index_value(self.height))
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
                self.source, [self.image, self.channel, row, index_value(start)], length, self.neutral
            )
            for start in range(0, self.width, length)
        ]
        if stride == 1:
            return [parts]
        return [list(phase) for phase in zip(*(_deinterleave(part) for part in parts), strict=True)]


def _deinterleave(part: ir.Value) -> list[ir.Value]:
    """Returns the elements at even positions, and those at odd ones."""
    halves = vector.DeinterleaveOp(part)
    return [halves.res1, halves.res2]


def multiply_add(a: ir.Value, b: ir.Value, total: ir.Value) -> ir.Value:
    """`total + a * b`, fused where the processor can."""
    fuse = arith.FastMathFlags.contract
    return arith.addf(total, arith.mulf(a, b, fastmath=fuse), fastmath=fuse)


def row_window_part(
    op: ir.Operation, offsets: Sequence[ir.Value], part_type: ir.Type, lanes: int
) -> ir.Value:
    """Computes the rows `[1, 1, rows, width]`, of type `part_type`, of a `tloop.row_window` at the offsets
    (image, channel, row, 0) of its result, at the current insertion point."""
    rows, width = static_shape(part_type)[2:]
    image, channel, first, _ = offsets
    window = RowWindowBuilder(op, image, channel, first, rows, lanes)
    element = window.vector_type.element_type
    whole = ir.VectorType.get([rows, width], element)
    result = splat(whole, 0.0)
    for row, parts in enumerate(window.run()):
        for at, part in enumerate(parts):
            length = min(lanes, width - at * lanes)
            used = part if length == lanes else vector.ShuffleOp(part, part, list(range(length))).result
            result = vector.InsertStridedSliceOp(used, result, [row, at * lanes], [1]).result
    return write(result, empty(static_shape(part_type), element), [index_value(0)] * 4, 2)
