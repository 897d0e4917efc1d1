"""Depthwise convolutions and pools on plain images as vector ops, a few rows of the result at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from mlc.bindings import arith, ir, scf, tensor, vector
from mlc.dialects import tloop
from mlc.passes.common.linalg_builders import dims, empty, index_value, static_shape, tensor_type
from mlc.passes.common.vector_builders import apply_map, read_padded, splat, write
from mlc.passes.lowering.common.rule import integers

ROW_WINDOW = tloop.RowWindow.NAME
# Steps of all sums of a part: more are only code.
LARGEST_PART = 144

# One row of the image: for each place of a step of `stride`, vectors of the elements at these places.
Phases = list[list[ir.Value]]


def row_window(op: ir.Operation, kernel: Sequence[int], kind: str, neutral: float) -> ir.Value:
    """What `compute_at` turns into vector ops in the loop that reads it: `kind` is "sum", "maximum" or, with
    the weights as second operand, "product". `neutral` stands for the padding."""
    spatial = len(kernel)
    attributes = {name: op.attributes[name] for name in ("strides", "dilations")}
    attributes["pads"] = ir.DenseI64ArrayAttr.get(integers(op, "pads")[:spatial])
    attributes["kernel"] = ir.DenseI64ArrayAttr.get(list(kernel))
    attributes["kind"] = ir.StringAttr.get(kind)
    attributes["neutral"] = ir.FloatAttr.get_f64(neutral)
    return ir.Operation.create(ROW_WINDOW, [op.results[0].type], list(op.operands), attributes).results[0]


def part_rows(op: ir.Operation, lanes: int) -> int:
    """Rows of the result that are computed at a time: they share the rows of the image that they read."""
    height, width = static_shape(op.results[0])[2:]
    kernel = integers(op, "kernel")
    steps = -(-width // lanes) * kernel[0] * kernel[1]
    return max(
        rows
        for rows in range(1, height + 1)
        if height % rows == 0 and rows * steps <= max(LARGEST_PART, steps)
    )


@dataclass
class RowWindowBuilder:
    """The rows of the result from `first` on, for one channel; `lanes` is the length of vectors."""

    op: ir.Operation
    image: ir.Value
    channel: ir.Value
    first: ir.Value
    rows: int
    lanes: int
    sums: dict[tuple[int, int], ir.Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.source = self.op.operands[0]
        self.height, self.width = static_shape(self.source)[2:]
        self.result_height, self.result_width = static_shape(self.op.results[0])[2:]
        self.kernel, self.strides = integers(self.op, "kernel"), integers(self.op, "strides")
        self.dilations, self.pads = integers(self.op, "dilations"), integers(self.op, "pads")
        self.neutral = self.op.attributes["neutral"].value

    @cached_property
    def vectors(self) -> int:
        """Vectors of a row of the result."""
        return -(-self.result_width // self.lanes)

    @property
    def kind(self) -> ir.VectorType:
        return ir.VectorType.get([self.lanes], tensor_type(self.source).element_type)

    def run(self) -> list[list[ir.Value]]:
        """The vectors of each row of the part. The image's rows come one after the other: only the sums of
        the few rows of the result that read them are alive."""
        step = self._step()
        reads = [(self._offset(row, y), row, y) for row in range(self.rows) for y in range(self.kernel[0])]
        for offset, group in groupby(sorted(reads), key=lambda read: read[0]):
            phases = self._row(offset)
            for _, row, y in group:
                self._add(step, row, y, phases)
        return [[self.sums[row, at] for at in range(self.vectors)] for row in range(self.rows)]

    def _offset(self, row: int, y: int) -> int:
        """Which row of the image, counted from the first one of the part's first window, row `y` of the
        window at `row` reads."""
        return row * self.strides[0] + y * self.dilations[0]

    def _add(
        self, step: Callable[[ir.Value, ir.Value, int, int], ir.Value], row: int, y: int, phases: Phases
    ) -> None:
        """Adds the window's row `y` to the sums of the part's row `row`."""
        for x in range(self.kernel[1]):
            for at in range(self.vectors):
                value = self._shifted(phases, x * self.dilations[1] - self.pads[1], at)
                total = self.sums.get((row, at), splat(self.kind, self.neutral))
                self.sums[row, at] = step(total, value, y, x)

    def _step(self) -> Callable[[ir.Value, ir.Value, int, int], ir.Value]:
        """How an element of the image goes into a sum."""
        kind = self.op.attributes["kind"].value
        # The padding's number is also what changes no sum, or maximum.
        if kind == "maximum":
            return lambda total, value, _y, _x: arith.maximumf(total, value)
        if kind == "sum":
            return lambda total, value, _y, _x: arith.addf(total, value)
        weights = [[self._weight(y, x) for x in range(self.kernel[1])] for y in range(self.kernel[0])]
        return lambda total, value, y, x: multiply_add(weights[y][x], value, total)

    def _weight(self, y: int, x: int) -> ir.Value:
        place = [self.channel, index_value(0), index_value(y), index_value(x)]
        return vector.BroadcastOp(self.kind, tensor.extract(self.op.operands[1], place)).result

    def _shifted(self, phases: Phases, offset: int, at: int) -> ir.Value:
        """Vector `at` of the elements `offset` places behind those of the result, times the stride."""
        shift, phase = divmod(offset, self.strides[1])
        number, lane = divmod(at * self.lanes + shift, self.lanes)
        first = self._vector(phases[phase], number)
        if lane == 0:
            return first
        second = self._vector(phases[phase], number + 1)
        return vector.ShuffleOp(first, second, list(range(lane, lane + self.lanes))).result

    def _vector(self, row: Sequence[ir.Value], number: int) -> ir.Value:
        return row[number] if 0 <= number < len(row) else splat(self.kind, self.neutral)

    def _row(self, offset: int) -> Phases:
        """The row of the image at `offset`, or of padding where there is none."""
        stride, pad = self.strides[0], self.pads[0]
        row = apply_map(dims(1)[0] * stride + (offset - pad), [self.first])
        last = (self.result_height - self.rows) * stride + offset - pad
        if offset >= pad and last < self.height:
            return self._read(row)
        inside = arith.cmpi(arith.CmpIPredicate.ult, row, index_value(self.height))
        stride = self.strides[1]
        count = -(-self.width // (stride * self.lanes))
        choice = scf.IfOp(inside, [self.kind] * (stride * count), has_else=True)
        with ir.InsertionPoint(choice.then_block):
            scf.YieldOp([each for phase in self._read(row) for each in phase])
        with ir.InsertionPoint(choice.else_block):
            scf.YieldOp([splat(self.kind, self.neutral)] * (stride * count))
        values = list(choice.results)
        return [values[phase * count : (phase + 1) * count] for phase in range(stride)]

    def _read(self, row: ir.Value) -> Phases:
        """All of a row, and the padding's number behind it."""
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
        return [list(each) for each in zip(*(_taken_apart(part) for part in parts), strict=True)]


def _taken_apart(part: ir.Value) -> list[ir.Value]:
    """The elements at even places, and those at odd ones."""
    halves = vector.DeinterleaveOp(part)
    return [halves.res1, halves.res2]


def multiply_add(a: ir.Value, b: ir.Value, total: ir.Value) -> ir.Value:
    """`total + a * b`, fused where the processor can."""
    fuse = arith.FastMathFlags.contract
    return arith.addf(total, arith.mulf(a, b, fastmath=fuse), fastmath=fuse)


def row_window_part(op: ir.Operation, offsets: Sequence[ir.Value], kind: ir.Type, lanes: int) -> ir.Value:
    """The rows `[1, 1, rows, width]`, as a tensor of type `kind`, of a `tloop.row_window` at the offsets
    (image, channel, row, 0) of its result, at the current insertion point."""
    rows, width = static_shape(kind)[2:]
    image, channel, first, _ = offsets
    window = RowWindowBuilder(op, image, channel, first, rows, lanes)
    whole = ir.VectorType.get([rows, width], window.kind.element_type)
    result = splat(whole, 0.0)
    for number, parts in enumerate(window.run()):
        for at, part in enumerate(parts):
            length = min(lanes, width - at * lanes)
            used = part if length == lanes else vector.ShuffleOp(part, part, list(range(length))).result
            result = vector.InsertStridedSliceOp(used, result, [number, at * lanes], [1]).result
    return write(result, empty(static_shape(kind), window.kind.element_type), [index_value(0)] * 4, 2)
