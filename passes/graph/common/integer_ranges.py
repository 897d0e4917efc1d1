"""Ranges of integer values that follow from the ops that compute them, for all inputs.

%at = arg_max(%x)      x: [batch, 1000], along the last axis   ->  [0, 999]
%i  = the iteration of a loop that runs seq times              ->  [0, seq - 1]
%p  = clamp(%v, 0, 511)                                        ->  [0, 511]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.function_dims import Dims
from mlc.dialects.graph.sizes import Size, always_less
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.bounds import bounds_cross, bounds_of
from mlc.passes.graph.common.values import constant_array, dtype

Bound = int | Size | None
_DEPTH = 32


@dataclass(frozen=True)
class IntegerRange:
    """All elements are in `[low, high]`; a bound is a size, or None where nothing is known."""

    low: Bound = None
    high: Bound = None

    def is_within(self, least: int | Size, extent: int | Size) -> bool:
        """Whether all elements are proven to be in `[least, extent)`."""
        return (
            self.low is not None
            and self.high is not None
            and always_less(least - 1, self.low)
            and always_less(self.high, extent)
        )

    @property
    def is_natural(self) -> bool:
        """Whether no element is negative."""
        return self.low is not None and always_less(-1, self.low)

    @property
    def excludes_zero(self) -> bool:
        """Whether no element is 0."""
        is_positive = self.low is not None and always_less(0, self.low)
        return is_positive or (self.high is not None and always_less(self.high, 0))


UNKNOWN = IntegerRange()
Rule = Callable[["IntegerRanges", ir.Operation, int], IntegerRange]


class IntegerRanges:
    """The ranges of the values of a function."""

    def __init__(self, function: ir.Operation) -> None:
        self.dims = cache(lambda: Dims(function))
        self._found: dict[ir.Value, IntegerRange] = {}

    def extent(self, value: ir.Value, axis: int) -> int | Size:
        """Returns a dim of a tensor."""
        if not value.type.is_dynamic_dim(axis):
            size: int = value.type.get_dim_size(axis)
            return size
        return self.dims().of(value)[axis]

    def contents(self, value: ir.Value) -> np.ndarray | None:
        """Returns the elements of a tensor that follows from dims, integers or sizes; None of others."""
        return self.dims().contents(value)

    def of(self, value: ir.Value, depth: int = _DEPTH) -> IntegerRange:
        """Returns the range of an integer tensor; of a deep computation maybe less than what is known."""
        if value not in self._found and depth:
            self._found[value] = _meet(_of_type(value), self._of_definition(value, depth - 1))
        return self._found.get(value, UNKNOWN)

    def scalar(self, value: ir.Value) -> Bound:
        """Returns the only element of a tensor if it is a constant, or follows from dims."""
        array = constant_array(value)
        if array is None:
            array = self.dims().contents(value)
        if array is None or array.size != 1:
            return None
        element = array.reshape(-1)[0]
        return element if isinstance(element, Size) else int(element)

    def _of_definition(self, value: ir.Value, depth: int) -> IntegerRange:
        op = defining_op(value)
        if op is None:
            return self._of_argument(value)
        if op.name == graph.If.NAME:
            yields = [graph.yield_of(region.blocks[0]) for region in op.regions]
            branches = [list(branch.operands)[value.result_number] for branch in yields]
            return _union([self.of(branch, depth) for branch in branches])
        is_value_of_top_k = op.name == graph.TopK.NAME and value.result_number == 0
        if op.name not in _RULES or is_value_of_top_k or dtype(value).kind not in "iub":
            return UNKNOWN
        return _RULES[op.name](self, op, depth)

    def _of_argument(self, value: ir.Value) -> IntegerRange:
        """The iteration of a loop is less than its trip count."""
        loop = value.owner.owner.operation
        if loop.name != graph.Loop.NAME or value.arg_number != 0:
            return UNKNOWN
        trips = self.scalar(graph.Loop(loop).trip_count)
        return IntegerRange(0, None if trips is None else trips - 1)


def _of_type(value: ir.Value) -> IntegerRange:
    """Types of more than 16 bits have no bounds that could matter."""
    element = dtype(value)
    if element.kind == "b":
        return IntegerRange(0, 1)
    if element.kind not in "iu" or element.itemsize > 2:
        return UNKNOWN
    bounds = np.iinfo(element)
    return IntegerRange(int(bounds.min), int(bounds.max))


def _least(one: Bound, other: Bound) -> Bound:
    """The lesser of two bounds that hold both, or the one that is known."""
    if one is None or other is None:
        return other if one is None else one
    return other if always_less(other, one) else one


def _greatest(one: Bound, other: Bound) -> Bound:
    if one is None or other is None:
        return other if one is None else one
    return other if always_less(one, other) else one


def _meet(one: IntegerRange, other: IntegerRange) -> IntegerRange:
    return IntegerRange(_greatest(one.low, other.low), _least(one.high, other.high))


def _union(ranges: Sequence[IntegerRange]) -> IntegerRange:
    """The range of elements that are in one of several ranges."""
    low, high = ranges[0].low, ranges[0].high
    for other in ranges[1:]:
        low = None if low is None or other.low is None else _lower(low, other.low)
        high = None if high is None or other.high is None else _upper(high, other.high)
    return IntegerRange(low, high)


def _lower(one: int | Size, other: int | Size) -> Bound:
    if one == other or always_less(one, other):
        return one
    return other if always_less(other, one) else None


def _upper(one: int | Size, other: int | Size) -> Bound:
    if one == other or always_less(other, one):
        return one
    return other if always_less(one, other) else None


def _constant(ranges: IntegerRanges, op: ir.Operation, _depth: int) -> IntegerRange:
    array = graph.Constant(op).value
    return IntegerRange(int(array.min()), int(array.max())) if array.size else IntegerRange(0, -1)


def _full(ranges: IntegerRanges, op: ir.Operation, _depth: int) -> IntegerRange:
    value = int(graph.Full(op).value)
    return IntegerRange(value, value)


def _range(ranges: IntegerRanges, op: ir.Operation, _depth: int) -> IntegerRange:
    """From `start` on, as many steps as the result has elements."""
    view = graph.Range(op)
    start, step = ranges.scalar(view.start), ranges.scalar(view.delta)
    if start is None or not isinstance(step, int):
        return UNKNOWN
    last = start + (ranges.extent(view.result, 0) - 1) * step
    return IntegerRange(start, last) if step > 0 else IntegerRange(last, start)


def _position(ranges: IntegerRanges, op: ir.Operation, _depth: int) -> IntegerRange:
    """Positions along an axis."""
    return IntegerRange(0, ranges.extent(op.operands[0], graph.attribute(op, "axis")) - 1)


def _operand(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    """The elements are some of the first operand's."""
    return ranges.of(op.operands[0], depth)


def _cast(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    """A cast keeps values that the new type holds."""
    source, result = op.operands[0], op.results[0]
    if dtype(source).kind not in "iub" or dtype(result).kind == "b":
        return UNKNOWN
    found, bounds = ranges.of(source, depth), np.iinfo(dtype(result))
    fits = found.is_within(int(bounds.min), int(bounds.max) + 1)
    widens = dtype(source).kind == dtype(result).kind and dtype(source).itemsize <= dtype(result).itemsize
    return found if fits or widens else UNKNOWN


def _concat(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    return _union([ranges.of(operand, depth) for operand in op.operands])


def _where(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    return _union([ranges.of(operand, depth) for operand in list(op.operands)[1:]])


def _clamp(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    """The range of a clamp or relu."""
    bounds = bounds_of(op)
    if bounds_cross(bounds):
        return UNKNOWN
    low, high = (None if bound is None else int(bound) for bound in bounds)
    return _meet(ranges.of(op.operands[0], depth), IntegerRange(low, high))


def _extremum(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    """A bound on one side holds if either operand has it, on the other side if both have it."""
    found = [ranges.of(operand, depth) for operand in op.operands]
    both = _union(found)
    if op.name == graph.Max.NAME:
        return IntegerRange(_greatest(found[0].low, found[1].low), both.high)
    return IntegerRange(both.low, _least(found[0].high, found[1].high))


def _mod(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    """A remainder is less than a positive divisor, and negative only with C's rule."""
    x, divisor = (ranges.of(operand, depth) for operand in op.operands)
    is_positive = divisor.low is not None and always_less(0, divisor.low)
    if divisor.high is None or not is_positive or (graph.Mod(op).fmod and not x.is_natural):
        return UNKNOWN
    return IntegerRange(0, divisor.high - 1)


def _div(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    """The range of quotients of integers that are not negative by positive constants."""
    x, divisor = (ranges.of(operand, depth) for operand in op.operands)
    if not isinstance(divisor.low, int) or divisor.low < 1 or not isinstance(x.high, int) or not x.is_natural:
        return UNKNOWN
    return IntegerRange(0, x.high // divisor.low)


def _sum(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    """The range of a sum or difference."""
    a, b = (ranges.of(operand, depth) for operand in op.operands)
    if op.name == graph.Sub.NAME:
        b = IntegerRange(*(None if bound is None else -bound for bound in (b.high, b.low)))
    low = None if a.low is None or b.low is None else a.low + b.low
    high = None if a.high is None or b.high is None else a.high + b.high
    return _unless_wrapped(op, IntegerRange(low, high))


def _product(ranges: IntegerRanges, op: ir.Operation, depth: int) -> IntegerRange:
    """The range of products of integers that are not negative."""
    a, b = (ranges.of(operand, depth) for operand in op.operands)
    if not (isinstance(a.high, int) and isinstance(b.high, int) and a.is_natural and b.is_natural):
        return UNKNOWN
    return _unless_wrapped(op, IntegerRange(0, a.high * b.high))


def _unless_wrapped(op: ir.Operation, found: IntegerRange) -> IntegerRange:
    """The range of an exact result; unknown where the type may not hold it. Sizes fit into 62 bits."""
    bounds = np.iinfo(dtype(op.results[0]))
    is_wide = bounds.bits == 64
    for bound in (found.low, found.high):
        fits = int(bounds.min) <= bound <= int(bounds.max) if isinstance(bound, int) else is_wide
        if bound is None or not fits:
            return UNKNOWN
    return found


_RULES: dict[str, Rule] = {
    graph.Constant.NAME: _constant,
    graph.Full.NAME: _full,
    graph.Range.NAME: _range,
    **dict.fromkeys((graph.ArgMax.NAME, graph.ArgMin.NAME, graph.TopK.NAME), _position),
    **dict.fromkeys(
        (
            graph.Reshape.NAME,
            graph.Squeeze.NAME,
            graph.Unsqueeze.NAME,
            graph.Transpose.NAME,
            graph.Slice.NAME,
            graph.Expand.NAME,
            graph.Identity.NAME,
            graph.Tile.NAME,
            graph.Gather.NAME,
            graph.GatherElements.NAME,
            graph.GatherNd.NAME,
        ),
        _operand,
    ),
    graph.Cast.NAME: _cast,
    graph.Concat.NAME: _concat,
    graph.Where.NAME: _where,
    **dict.fromkeys((graph.Clamp.NAME, graph.Relu.NAME), _clamp),
    **dict.fromkeys((graph.Max.NAME, graph.Min.NAME), _extremum),
    graph.Mod.NAME: _mod,
    graph.Div.NAME: _div,
    **dict.fromkeys((graph.Add.NAME, graph.Sub.NAME), _sum),
    graph.Mul.NAME: _product,
}
