"""graph-check-data: the host program checks indices that may be out of range, and integer divisors that may
be 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlc.bindings import func, ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.function_dims import argument_dims
from mlc.dialects.graph.sizes import Requirement, Size
from mlc.dialects.tloop import build_expect, build_expect_indices, build_expect_nonzero
from mlc.passes.base import InvalidModelError, Pass, PassError, option
from mlc.passes.common.rewriting import collect_ops, erase_op
from mlc.passes.graph.common.integer_ranges import IntegerRanges
from mlc.passes.graph.common.values import constant_array
from mlc.passes.graph.shapes.merge_size_names import merge_size_names
from mlc.passes.graph.shapes.size_assumptions import who

_ASKING = (graph.ExpectIndices.NAME, graph.ExpectNonzero.NAME, graph.ExpectSizes.NAME)


@dataclass(frozen=True)
class ExpectedIndices:
    """A `graph.expect_indices`, with the sizes of the indexed dims."""

    op: graph.ExpectIndices
    extents: Sequence[int | Size]
    name: str

    def least(self, extent: int | Size) -> int | Size:
        """The least index of a dim."""
        return 0 if self.op.front_only else -extent


class DataChecks:
    """Builds the checks of a function, once per block for equal ones, and erases the ops that ask for
    them."""

    def __init__(self, function: ir.Operation) -> None:
        self.entry_block = function.regions[0].blocks[0]
        self.ranges = IntegerRanges(function)
        # The names of inputs' dims.
        self.given = {name for size in _sizes_of(function) for name in size.names}
        self.seen: list[tuple[object, ...]] = []

    def check(self, op: ir.Operation) -> None:
        """Builds the check before an op that asks for it. Raises InvalidModelError for constants that are not
        allowed where they are certainly checked."""
        with ir.InsertionPoint(op), op.location:
            if graph.ExpectSizes.isa(op):
                self.check_sizes(graph.ExpectSizes(op))
                return
            indices = graph.ExpectIndices.match(op)
            if indices is None:
                self.check_divisors(graph.ExpectNonzero(op))
            else:
                name = who(op, indices.what)
                self.check_indices(ExpectedIndices(indices, self.elements(indices.extents), name))

    def elements(self, sizes: ir.Value) -> Sequence[int | Size]:
        """Returns the elements of a vector of sizes."""
        array = constant_array(sizes)
        found = self.ranges.contents(sizes) if array is None else array
        if found is None:
            raise PassError("the extents do not follow from sizes", self.entry_block.owner.location)
        return [size if isinstance(size, Size) else int(size) for size in found.reshape(-1)]

    def check_sizes(self, op: graph.ExpectSizes) -> None:
        """Checks that sizes are in a relation. Those of inputs are compared before all else: what follows
        from them may be wrong for the same reason."""
        name = who(op.operation, op.what)
        for pair in zip(self.elements(op.left), self.elements(op.right), strict=True):
            needed = Requirement(*pair, op.relation, op.fault)
            found = {dim for dim in pair if isinstance(dim, Size)}
            if not found and not needed.holds({}):
                raise InvalidModelError(f"{name}: {op.fault}", op.operation.location)
            if not found or pair[0] == pair[1]:
                continue
            names = frozenset().union(*(size.names for size in found))
            is_first = op.operation.block == self.entry_block and names <= self.given
            with ir.InsertionPoint(self.entry_block.operations[0] if is_first else op.operation):
                build_expect(needed, name)

    def check_divisors(self, op: graph.ExpectNonzero) -> None:
        """Checks that no divisor is 0, as ONNX Runtime does whether or not there is a dividend."""
        name, constant = who(op.operation, op.what), constant_array(op.divisors)
        is_proven = self.ranges.of(op.divisors).excludes_zero if constant is None else constant.all()
        if is_proven or not self.is_new((op.operation.block, op.divisors)):
            return
        if constant is not None and op.operation.block == self.entry_block:
            raise InvalidModelError(f"{name}: the divisor{_position(constant)} is 0", op.operation.location)
        build_expect_nonzero(op.divisors, name)

    def check_indices(self, expected: ExpectedIndices) -> None:
        """Checks that indices are in range."""
        indices, extents = expected.op.indices, expected.extents
        found, constant = self.ranges.of(indices), constant_array(indices)
        if constant is not None:
            self.check_constant(expected, constant.reshape(-1, len(extents)))
        elif not all(found.is_within(expected.least(extent), extent) for extent in extents):
            self.build(expected)

    def check_constant(self, expected: ExpectedIndices, rows: np.ndarray) -> None:
        """Checks constant indices now, or against a size when the program runs."""
        op = expected.op
        for column, extent in enumerate(expected.extents if rows.size else ()):
            axis, indices = op.axis + column, [int(index) for index in rows[:, column]]
            is_negative = op.front_only and min(indices) < 0
            # The index that needs most elements: -1 needs one, as 0 does.
            worst = min(indices) if is_negative else max(indices, key=lambda index: max(index, -index - 1))
            least = max(worst + 1, -worst)
            wrong = f"index {worst} is out of bounds for axis {axis}"
            if is_negative or (isinstance(extent, int) and least > extent):
                if op.operation.block == self.entry_block:
                    location = op.operation.location
                    raise InvalidModelError(f"{expected.name}: {wrong} of size {extent}", location)
                self.build(expected)
                return
            # That an axis has elements at all is what look-ups require themselves.
            if isinstance(extent, Size) and least > 1:
                build_expect(Requirement(extent, least, "at_least", wrong), expected.name)

    def build(self, expected: ExpectedIndices) -> None:
        """Has the host program check the indices."""
        op, extents = expected.op, expected.extents
        if self.is_new((op.operation.block, op.indices, tuple(extents), op.front_only)):
            build_expect_indices(op.indices, extents, op.axis, expected.name, op.front_only)

    def is_new(self, key: tuple[object, ...]) -> bool:
        """Whether no equal check has been built, after which there is one."""
        if key in self.seen:
            return False
        self.seen.append(key)
        return True


def _sizes_of(function: ir.Operation) -> list[Size]:
    """The dynamic dims of arguments."""
    return [dim for shape in argument_dims(function) for dim in shape if isinstance(dim, Size)]


def _position(array: np.ndarray) -> str:
    """The coordinates of the first 0 of an array, in messages; nothing for a scalar."""
    at = np.argwhere(array == 0)[0]
    return f" at {[int(index) for index in at]}" if len(at) else ""


@dataclass(frozen=True)
class CheckData(Pass):
    """Replace `graph.expect_indices` by `tloop.expect_indices`, `graph.expect_nonzero` by
    `tloop.expect_nonzero`, and `graph.expect_sizes` by `tloop.expect`; drop those that always hold.

    Indices whose computation keeps them in range are not checked: positions that a search returns, ranges,
    iterations of loops, clamped values, remainders; nor are divisors whose range excludes 0. Constants are
    compared now, which is an error where they are checked in any case, or with the sizes of dynamic dims.

    Kernels clamp indices, and give 0 for divisors of 0, with and without checks: a check reads data once
    more, and changes no kernel; but data that only a kernel has seen get a buffer. `@prepare`, which has
    constants alone, runs without checks.
    """

    name: ClassVar[str] = "graph-check-data"

    check: bool = option(True, help="build checks; otherwise drop all")

    def run(self, op: ir.Operation) -> bool:
        functions = [inner.operation for inner in op.regions[0].blocks[0] if func.Func.isa(inner)]
        changed = [self._run(function) for function in functions]
        return any(changed)

    def _run(self, function: ir.Operation) -> bool:
        asking = collect_ops(function, _ASKING)
        if asking and self.check and func.Func(function).sym_name != "prepare":
            # The names of sizes are final then: texts do not follow them.
            merge_size_names(function)
            checks = DataChecks(function)
            for inner in asking:
                checks.check(inner)
        for inner in asking:
            erase_op(inner)
        return bool(asking)
