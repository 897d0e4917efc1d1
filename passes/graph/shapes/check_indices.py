"""graph-check-indices: the host program checks indices that may be outside of what they index, and integer
divisors that may be 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlc.bindings import func, ir
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Requirement, Size
from mlc.dialects.tloop import build_expect, build_expect_indices, build_expect_nonzero
from mlc.passes.base import InvalidModelError, Pass, option
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.graph.common.integer_ranges import IntegerRanges
from mlc.passes.graph.common.op_families import OUT_OF_RANGE, ZERO_DIVISOR
from mlc.passes.graph.common.values import constant_array
from mlc.passes.graph.shapes.size_assumptions import who

_BY_AXIS = (graph.Gather.NAME, graph.GatherElements.NAME, graph.ScatterElements.NAME)
_BY_TUPLE = (graph.GatherNd.NAME, graph.ScatterNd.NAME)
_DIVISIONS = (graph.Div.NAME, graph.Mod.NAME)


@dataclass(frozen=True)
class IndexedDims:
    """The indices of a look-up or an update, and the sizes of the dims of data that they index, from `axis`
    on. `front_only`: negative indices are out of range."""

    op: ir.Operation
    indices: ir.Value
    axis: int
    extents: Sequence[int | Size]
    front_only: bool

    @classmethod
    def of(cls, op: ir.Operation, ranges: IntegerRanges) -> IndexedDims:
        """Returns those of an op."""
        data, indices = list(op.operands)[:2]
        axis, count = graph.attribute(op, "axis") if op.name in _BY_AXIS else 0, 1
        if op.name in _BY_TUPLE:
            count = indices.type.shape[-1]
        if graph.GatherNd.isa(op):
            axis = graph.GatherNd(op).batch_dims
        extents = [ranges.extent(data, axis + column) for column in range(count)]
        return cls(op, indices, axis, extents, graph.attribute(op, OUT_OF_RANGE) == "fail_negative")

    @property
    def name(self) -> str:
        """The op in messages."""
        return who(self.op, self.op.name.removeprefix("graph."))

    def least(self, extent: int | Size) -> int | Size:
        """The least index of a dim."""
        return 0 if self.front_only else -extent

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for equal checks of a block."""
        return self.op.block, self.indices, tuple(self.extents), self.front_only


class DataChecks:
    """Inserts the checks of a function, once per block for equal ones."""

    def __init__(self, function: ir.Operation) -> None:
        self.entry_block = function.regions[0].blocks[0]
        self.ranges = IntegerRanges(function)
        self.seen: list[tuple[object, ...]] = []

    def check(self, op: ir.Operation) -> None:
        """Inserts the checks of an op's indices or divisors before it. Raises InvalidModelError for constants
        that are not allowed where they are certainly read."""
        if op.name in _DIVISIONS:
            self.check_divisors(op)
        else:
            self.check_indices(op)

    def check_divisors(self, op: ir.Operation) -> None:
        """Checks that no divisor is 0, as ONNX Runtime does whether or not there is a dividend."""
        _, divisors = op.operands
        name, constant = who(op, op.name.removeprefix("graph.")), constant_array(divisors)
        is_proven = self.ranges.of(divisors).excludes_zero if constant is None else constant.all()
        if is_proven or not self.is_new((op.block, divisors)):
            return
        if constant is not None and op.block == self.entry_block:
            raise InvalidModelError(f"{name}: the divisor{_position(constant)} is 0", op.location)
        with ir.InsertionPoint(op), op.location:
            build_expect_nonzero(divisors, name)

    def check_indices(self, op: ir.Operation) -> None:
        """Checks that indices are in range."""
        dims = IndexedDims.of(op, self.ranges)
        found, constant = self.ranges.of(dims.indices), constant_array(dims.indices)
        if constant is not None:
            self.check_constant(dims, constant.reshape(-1, len(dims.extents)))
        elif not all(found.is_within(dims.least(extent), extent) for extent in dims.extents):
            self.insert(dims)

    def check_constant(self, dims: IndexedDims, rows: np.ndarray) -> None:
        """Checks constant indices now, or against a size when the program runs."""
        for column, extent in enumerate(dims.extents if rows.size else ()):
            axis, indices = dims.axis + column, [int(index) for index in rows[:, column]]
            is_negative = dims.front_only and min(indices) < 0
            # The index that needs most elements: -1 needs one, as 0 does.
            worst = min(indices) if is_negative else max(indices, key=lambda index: max(index, -index - 1))
            least = max(worst + 1, -worst)
            wrong = f"index {worst} is out of bounds for axis {axis}"
            if is_negative or (isinstance(extent, int) and least > extent):
                if dims.op.block == self.entry_block:
                    raise InvalidModelError(f"{dims.name}: {wrong} of size {extent}", dims.op.location)
                self.insert(dims)
                return
            # That an axis has elements at all is what look-ups require themselves.
            if isinstance(extent, Size) and least > 1:
                with ir.InsertionPoint(dims.op), dims.op.location:
                    build_expect(Requirement(extent, least, "at_least", wrong), dims.name)

    def insert(self, dims: IndexedDims) -> None:
        """Has the host program check the indices."""
        if not self.is_new(dims.key):
            return
        with ir.InsertionPoint(dims.op), dims.op.location:
            build_expect_indices(dims.indices, dims.extents, dims.axis, dims.name, dims.front_only)

    def is_new(self, key: tuple[object, ...]) -> bool:
        """Whether no equal check has been inserted, after which there is one."""
        if key in self.seen:
            return False
        self.seen.append(key)
        return True


def _position(array: np.ndarray) -> str:
    """The coordinates of the first 0 of an array, in messages; nothing for a scalar."""
    at = np.argwhere(array == 0)[0]
    return f" at {[int(index) for index in at]}" if len(at) else ""


@dataclass(frozen=True)
class CheckIndices(Pass):
    """Insert `tloop.expect_indices` before look-ups and updates whose attribute `out_of_range` asks for it,
    and `tloop.expect_nonzero` before divisions of integers whose attribute `zero_divisor` does; drop the
    attributes. Indices whose computation keeps them in range are not checked: positions that a search
    returns, ranges, iterations of loops, clamped values, remainders; nor are divisors whose range excludes 0.
    Constants are compared now, which is an error where they are read in any case, or with the sizes of
    dynamic dims.

    Kernels clamp indices, and give 0 for divisors of 0, with and without checks: a check reads data once
    more, and changes no kernel; but data that only a kernel has seen get a buffer. `@prepare`, which has
    constants alone, runs without checks.
    """

    name: ClassVar[str] = "graph-check-indices"

    check: bool = option(True, help="insert checks; otherwise only drop the attributes")

    def run(self, op: ir.Operation) -> bool:
        functions = [inner.operation for inner in op.regions[0].blocks[0] if func.Func.isa(inner)]
        changed = [self._run(function) for function in functions]
        return any(changed)

    def _run(self, function: ir.Operation) -> bool:
        asking = [
            (inner, name)
            for inner in collect_ops(function, (*_BY_AXIS, *_BY_TUPLE, *_DIVISIONS))
            for name in (OUT_OF_RANGE, ZERO_DIVISOR)
            if name in inner.attributes
        ]
        if asking and self.check and func.Func(function).sym_name != "prepare":
            checks = DataChecks(function)
            for inner, _ in asking:
                checks.check(inner)
        for inner, name in asking:
            del inner.attributes[name]
        return bool(asking)
