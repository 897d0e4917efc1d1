"""graph-eliminate-concat-split: what is split, computed equally in parts and joined again is computed as a
whole.

The concatenation of several values that equal ops compute from parts of one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.function_dims import NAMES
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import attributes_of, collect_ops, defining_op, has_one_use
from mlc.passes.graph.common.op_families import CONVERTING, ELEMENTWISE
from mlc.passes.graph.common.rules import Rules, apply_rules
from mlc.passes.graph.common.rules import join_tables as joined_tables
from mlc.passes.graph.common.values import is_constant, is_ranked
from mlc.passes.graph.simplify import slice_rules
from mlc.passes.graph.simplify.slice_rules import Part, parts, slice_of
from mlc.passes.remarks import listening, report_missed

# Chains of more ops in each branch are not followed.
_DEPTH = 12


class Joined:
    """The concatenation of values along an axis, still to be built."""

    # Whether it stands for slices of one value; else for constants, or for values that all branches share.
    is_whole = False

    def build(self) -> ir.Value:
        """Builds it at the insertion point."""
        raise NotImplementedError(type(self).__name__)


@dataclass
class Shared(Joined):
    """One value that every branch reads, broadcast along the axis."""

    value: ir.Value

    def build(self) -> ir.Value:
        return self.value


@dataclass
class Constants(Joined):
    """Constants, one per branch: @prepare joins them."""

    values: Sequence[ir.Value]
    axis: int

    def build(self) -> ir.Value:
        return graph.build("concat", list(self.values), {"axis": self.axis})


@dataclass
class Slices(Joined):
    """Neighbouring slices of x, in order."""

    x: ir.Value
    taken: list[Part]
    is_whole = True

    def build(self) -> ir.Value:
        shape = graph.shape_of(self.x)
        whole = all(part.is_whole(dim) for part, dim in zip(self.taken, shape, strict=True))
        return self.x if whole else slice_of(self.x, self.taken)


@dataclass
class JoinedOps(Joined):
    """The same op in every branch."""

    op: ir.Operation
    operands: list[Joined]
    attributes: dict[str, int]
    is_whole = True

    def build(self) -> ir.Value:
        attributes = attributes_of(self.op)
        operands = [operand.build() for operand in self.operands]
        result_type = _joined_type(self.op, operands) if self.op.name in CONVERTING else None
        return graph.build(self.op.name, operands, attributes | self.attributes, result_type)


def _joined_type(op: ir.Operation, operands: Sequence[ir.Value]) -> ir.Type:
    return ir.RankedTensorType.get(operands[0].type.shape, graph.element_type(op.results[0]))


def join_tables(values: Sequence[ir.Value], axis: int, depth: int = _DEPTH) -> Joined | None:
    """The concatenation of `values` along `axis` without a concat of what is computed; None where there is
    none. Nothing is built yet."""
    return (
        _slices(values, axis)
        or _constants(values, axis)
        or (_join_equal_ops(values, axis, depth) if depth else None)
    )


def _slices(values: Sequence[ir.Value], axis: int) -> Slices | None:
    slices = [defining_op(value, graph.Slice.NAME) for value in values]
    found = [piece for piece in slices if piece is not None]
    if len(found) < len(values) or any(piece.operands[0] != found[0].operands[0] for piece in found):
        return None
    pieces = [parts(piece) for piece in found]
    first = pieces[0]
    end = first[axis].start
    for piece in pieces:
        part = piece[axis]
        if part.start != end or part.start < 0 or part.size < 1 or part.step != 1:
            return None
        if piece[:axis] + piece[axis + 1 :] != first[:axis] + first[axis + 1 :]:
            return None
        end += part.size
    taken = Part(first[axis].start, end - first[axis].start, 1)
    return Slices(found[0].operands[0], [*first[:axis], taken, *first[axis + 1 :]])


def _constants(values: Sequence[ir.Value], axis: int) -> Constants | None:
    return Constants(values, axis) if all(map(is_constant, values)) else None


def _are_equal_ops(ops: Sequence[ir.Operation | None]) -> bool:
    """Whether all are the same op, with the same attributes and elements, and each is read only once."""
    first = ops[0]
    if first is None or any(op is None or op.name != first.name for op in ops):
        return False
    found = [op for op in ops if op is not None]
    if not all(is_ranked(op) and len(op.results) == 1 and has_one_use(op.results[0]) for op in found):
        return False
    element = graph.element_type(first.results[0])
    return all(
        graph.element_type(op.results[0]) == element and _meaning(op) == _meaning(first) for op in found[1:]
    )


def _meaning(op: ir.Operation) -> dict[str, ir.Attribute]:
    """The attributes but the names of dims."""
    return {name: attribute for name, attribute in attributes_of(op).items() if name != NAMES}


def _join_equal_ops(values: Sequence[ir.Value], axis: int, depth: int) -> Joined | None:
    ops = [defining_op(value) for value in values]
    first = ops[0]
    if first is None or first.name not in _JOINS or not _are_equal_ops(ops):
        return None
    return _JOINS[first.name]([op for op in ops if op is not None], axis, depth - 1)


def _elementwise(ops: Sequence[ir.Operation], axis: int, depth: int) -> Joined | None:
    """f(a1, b1), f(a2, b2), ...: f of the joined operands."""
    operands = [_operand(ops, position, axis, depth) for position in range(len(ops[0].operands))]
    found = [operand for operand in operands if operand is not None]
    if len(found) < len(operands) or not any(operand.is_whole for operand in found):
        return None
    return JoinedOps(ops[0], found, {})


def _operand(ops: Sequence[ir.Operation], position: int, axis: int, depth: int) -> Joined | None:
    """One operand of all branches: joined, where it does not broadcast along the axis."""
    values, rank = [op.operands[position] for op in ops], ops[0].results[0].type.rank
    if any(value.type.rank != values[0].type.rank for value in values):
        return None
    at = axis + values[0].type.rank - rank
    own = [graph.shape_of(value)[at] if at >= 0 else 1 for value in values]
    if own == [graph.shape_of(op.results[0])[axis] for op in ops] and at >= 0 and None not in own:
        return join_tables(values, at, depth)
    same = all(value == values[0] for value in values) and own[0] == 1
    return Shared(values[0]) if same else None


def _convolutions(ops: Sequence[ir.Operation], axis: int, _depth: int) -> Joined | None:
    """Convolutions of neighbouring channels, with constant weights: one with more groups."""
    inputs, weights = ([op.operands[position] for op in ops] for position in (0, 1))
    if axis != 1 or graph.attribute(ops[0], "layout") != "NCHW" or not all(map(is_constant, weights)):
        return None
    x = _slices(inputs, 1)
    if x is None or any(weight.type != weights[0].type for weight in weights):
        return None
    groups = graph.attribute(ops[0], "group") * len(ops)
    return JoinedOps(ops[0], [x, Constants(weights, 0)], {"group": groups})


_JOINS = {**dict.fromkeys(ELEMENTWISE, _elementwise), graph.Conv.NAME: _convolutions}


def computed_whole(op: ir.Operation) -> ir.Value | None:
    """concat(f(a), f(b)) of neighbouring slices a and b of x: f(x); convolutions become a grouped one."""
    if len(op.operands) < 2:
        return None
    found = join_tables(op.operands, graph.Concat(op).axis)
    return found.build() if isinstance(found, JoinedOps) else None


def _may_join(op: ir.Operation) -> bool:
    """Whether every operand is the same op on a slice."""
    makers = [defining_op(value) for value in op.operands]
    names = {None if maker is None else maker.name for maker in makers}
    return len(names) == 1 and all(
        maker is not None
        and len(maker.operands)
        and defining_op(maker.operands[0], graph.Slice.NAME) is not None
        for maker in makers
    )


def _read_operands(lengths: Sequence[int], part: Part) -> tuple[int, int]:
    """The first operand of a concat that a part of it reads, and the one after the last."""
    low, high = sorted((part.start, part.start + (part.size - 1) * part.step))
    ends = list(accumulate(lengths))
    first = next(index for index, end in enumerate(ends) if low < end)
    last = next(index for index, end in enumerate(ends) if high < end)
    return first, last + 1


def slice_of_some_operands(op: ir.Operation) -> ir.Value | None:
    """A part of a concat that nothing else reads: the operands outside it go."""
    slice_op = graph.Slice(op)
    concat = defining_op(slice_op.x, graph.Concat.NAME)
    if concat is None or not has_one_use(slice_op.x):
        return None
    axis, taken = graph.Concat(concat).axis, parts(op)
    lengths, part = [graph.shape_of(value)[axis] for value in concat.operands], taken[axis]
    if None in lengths or part.size < 1:
        return None
    first, end = _read_operands(lengths, part)
    if end - first == len(lengths):
        return None
    taken[axis] = Part(part.start - sum(lengths[:first]), part.size, part.step)
    kept = list(concat.operands)[first:end]
    return slice_of(graph.build("concat", kept, {"axis": axis}), taken, slice_op.result.type)


def _report(function: ir.Operation) -> None:
    """Remarks on what is still computed in parts."""
    for op in collect_ops(function, graph.Concat.NAME):
        if _may_join(op):
            reason = "the parts are not neighbours of one value, in order, or are read elsewhere"
            report_missed(op, "graph.eliminate_concat_split.computed_whole", reason)


RULES: Rules = joined_tables(
    slice_rules.RULES, {graph.Concat.NAME: (computed_whole,), graph.Slice.NAME: (slice_of_some_operands,)}
)


@dataclass(frozen=True)
class EliminateConcatSplit(Pass):
    """Undo splits and concatenations that meet.

    A concat of all parts of a value is the value; a slice of one operand of a concat is one of that operand.
    Where the same elementwise op runs on each part before they are joined, it runs once, on the whole;
    convolutions on neighbouring channels with constant weights become one grouped convolution, bias and
    activation included. A slice that misses some operands of a concat, and is its only reader, joins the
    others alone.
    """

    name: ClassVar[str] = "graph-eliminate-concat-split"

    def run(self, op: ir.Operation) -> bool:
        changed = apply_rules(op, RULES, self.exactness)
        if listening():
            _report(op)
        return changed
