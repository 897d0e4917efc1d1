"""Parts of `tloop.row_window`s as vector ops: what whole rows and tiles of columns have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby, product
from typing import Generic, TypeAlias, TypeVar

from mlc.bindings import arith, ir, tensor, vector
from mlc.dialects import tloop
from mlc.passes.common.dynamic_dims import UNKNOWN
from mlc.passes.common.linalg_builders import dims, extent_of, index_value, tensor_type
from mlc.passes.common.vector_builders import apply_map

# Combines a sum with the image's element at row y and column x of the window.
Step: TypeAlias = Callable[[ir.Value, ir.Value, int, int], ir.Value]
# What is known of a row of the image.
Line = TypeVar("Line")


@dataclass
class WindowPart(ABC, Generic[Line]):
    """Computes `rows` rows of the result from `first` on, for one channel, by vectors of `lanes` elements."""

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
        self.height, self.width = tensor_type(self.source).shape[2:]
        self.result_height, self.result_width = tensor_type(self.window.result).shape[2:]
        self.kernel, self.strides = self.window.kernel, self.window.strides
        self.dilations, self.pads = self.window.dilations, self.window.pads
        self.neutral = self.window.neutral
        # The channels of the image that are read, and the index of the one that is being read.
        self.sources = self._find_sources()
        self.source_index = 0

    def _find_sources(self) -> list[ir.Value]:
        if self.window.weights is None:
            return [self.channel]
        count = tensor_type(self.window.weights).shape[1]
        of_image, of_result = (tensor_type(value).shape[1] for value in (self.source, self.window.result))
        group = ir.AffineExpr.get_floor_div(dims(1)[0], of_result * count // of_image)
        return [apply_map(group * count + index, [self.channel]) for index in range(count)]

    @property
    def source_channel(self) -> ir.Value:
        """The channel of the image that is being read."""
        return self.sources[self.source_index]

    @property
    @abstractmethod
    def vectors(self) -> int:
        """Vectors of a row of the part."""

    @abstractmethod
    def _row(self, offset: int) -> Line:
        """Returns the row of the image at `offset`."""

    @abstractmethod
    def _add(self, step: Step, row: int, y: int, line: Line) -> None:
        """Adds the window's row `y` to the sums of the part's row `row`."""

    @property
    def vector_type(self) -> ir.VectorType:
        """The type of vectors of elements."""
        return ir.VectorType.get([self.lanes], tensor_type(self.source).element_type)

    def run(self) -> list[list[ir.Value]]:
        """Returns the vectors of each row of the part."""
        return self._sum(self._step())

    def _sum(self, step: Step) -> list[list[ir.Value]]:
        """Combines by `step` what the part reads of the image, whose rows are read one after the other, so
        that only the sums of the few rows of the result that read them are alive."""
        reads = [(self._offset(row, y), row, y) for row in range(self.rows) for y in range(self.kernel[0])]
        for index in range(len(self.sources)):
            self.source_index = index
            for offset, group in groupby(sorted(reads), key=lambda read: read[0]):
                line = self._row(offset)
                for _, row, y in group:
                    self._add(step, row, y, line)
        return [[self.sums[row, at] for at in range(self.vectors)] for row in range(self.rows)]

    def _offset(self, row: int, y: int) -> int:
        """Returns the row of the image that row `y` of the window at `row` reads, counted from the first row
        of the part's first window."""
        return row * self.strides[0] + y * self.dilations[0]

    def _step(self) -> Step:
        """Returns the function that combines an element of the image with a sum."""
        combiner = self.window.kind
        # The padding is also the identity of the sum, or of the maximum.
        if combiner == "maximum":
            nsz = arith.FastMathFlags.nsz
            return lambda total, value, _y, _x: arith.maximumf(total, value, fastmath=nsz)
        if combiner == "sum":
            return lambda total, value, _y, _x: arith.addf(total, value)
        shape = (len(self.sources), *self.kernel)
        weights = {position: self._weight(position) for position in product(*map(range, shape))}
        return lambda total, value, y, x: multiply_add(weights[self.source_index, y, x], value, total)

    def _weight(self, position: tuple[int, ...]) -> ir.Value:
        coordinates = [self.channel, *map(index_value, position)]
        return vector.BroadcastOp(self.vector_type, tensor.extract(self.window.weights, coordinates)).result

    def _find_row(self, offset: int) -> tuple[ir.Value, ir.Value | None]:
        """Returns the index of the row of the image at `offset`, and whether it is inside of the image, None
        if all such rows are."""
        stride, pad = self.strides[0], self.pads[0]
        row = apply_map(dims(1)[0] * stride + (offset - pad), [self.first])
        last = (self.result_height - self.rows) * stride + offset - pad
        if UNKNOWN not in (self.height, self.result_height) and offset >= pad and last < self.height:
            return row, None
        height = extent_of(self.source, 2)
        bound = index_value(height) if isinstance(height, int) else height
        return row, arith.cmpi(arith.CmpIPredicate.ult, row, bound)


def deinterleave(part: ir.Value, stride: int) -> list[ir.Value]:
    """Returns for each phase of the stride the elements of a vector that are `stride` apart from there on."""
    if stride == 1:
        return [part]
    if stride == 2:
        halves = vector.DeinterleaveOp(part)
        return [halves.res1, halves.res2]
    positions = range(ir.VectorType(part.type).shape[0])
    return [vector.ShuffleOp(part, part, list(positions[phase::stride])).result for phase in range(stride)]


def multiply_add(a: ir.Value, b: ir.Value, total: ir.Value) -> ir.Value:
    """`total + a * b`, fused where the processor can."""
    fuse = arith.FastMathFlags.contract
    return arith.addf(total, arith.mulf(a, b, fastmath=fuse), fastmath=fuse)
