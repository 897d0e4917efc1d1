"""The distinct elements of a vector: all elements are sorted with their positions, then counted."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, tensor
from mlc.dialects import graph
from mlc.passes.common.constants import i64
from mlc.passes.common.linalg_builders import constant, empty, index_value, static_shape, tensor_type
from mlc.passes.common.loop_builders import Carried, loop
from mlc.passes.lowering.common.heap import Heap, comes_before
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import select
from mlc.passes.lowering.rules.compaction import integer, zero_tail


@rule("unique")
def lower_unique(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.unique` to a heap sort and a loop that groups equal elements."""
    unique = graph.Unique(op)
    x = unique.x
    (size,), element = static_shape(x), tensor_type(x).element_type
    pairs = _sort(size, element, lambda at: tensor.extract(x, [at]))
    *groups, count = _groups(pairs, size, element)
    if not unique.sorted:
        groups = _sort_by_first_position(groups, count, size, element)
    values, first, inverse, counts = groups
    values, first = (zero_tail(part, [size], count, 0)[0] for part in (values, first))
    return [values, first, inverse, *zero_tail(counts, [size], count, 0)]


def _index(value: ir.Value) -> ir.Value:
    return arith.index_cast(ir.IndexType.get(), value)


def _sort(size: int, element: ir.Type, value_at: Callable[[ir.Value], ir.Value]) -> Carried:
    """Sorts the values at 0, 1, ... from the smallest on; returns them and their positions."""
    heap = Heap(0, 1, size, largest=False)
    parts = [empty([size], element), empty([size], i64())]
    filled = loop(size, parts, lambda at, items: heap.write(items, at, [value_at(at), integer(at)]))
    return heap.sort(heap.heapify(filled))


def _groups(pairs: Carried, size: int, element: ir.Type) -> Carried:
    """Returns the distinct values, their first positions, for each position the index of its value among
    them, the count of each value, and the number of distinct values, an index. Values are equal if neither
    precedes the other.
    """
    ordered, positions = pairs
    zero, one = index_value(0), index_value(1)

    def step(at: ir.Value, carried: Carried) -> Carried:
        *parts, count = carried
        values, first, inverse, counts = parts
        value, position = tensor.extract(ordered, [at]), tensor.extract(positions, [at])
        before = tensor.extract(ordered, [arith.maxsi(arith.subi(at, one), zero)])
        begins = arith.cmpi(arith.CmpIPredicate.eq, at, zero)
        new = arith.ori(begins, comes_before(before, value, largest=False))
        group = select(new, count, arith.subi(count, one))
        kept = [select(new, a, tensor.extract(b, [group])) for a, b in ((value, values), (position, first))]
        often = select(new, constant(i64(), 0), tensor.extract(counts, [group]))
        written = [tensor.insert(a, b, [group]) for a, b in zip(kept, (values, first), strict=True)]
        numbered = tensor.insert(integer(group), inverse, [_index(position)])
        counted = tensor.insert(arith.addi(often, constant(i64(), 1)), counts, [group])
        return [*written, numbered, counted, arith.addi(group, one)]

    parts = [empty([size], type_) for type_ in (element, *[i64()] * 3)]
    return loop(size, [*parts, zero], step)


def _sort_by_first_position(groups: Carried, count: ir.Value, size: int, element: ir.Type) -> Carried:
    """Sorts the groups by their first positions."""
    values, first, inverse, counts = groups

    def key(at: ir.Value) -> ir.Value:
        exists = arith.cmpi(arith.CmpIPredicate.slt, at, count)
        return select(exists, tensor.extract(first, [at]), constant(i64(), size))

    _, order = _sort(size, i64(), key)

    def move(at: ir.Value, carried: Carried) -> Carried:
        *parts, ranks = carried
        group = _index(tensor.extract(order, [at]))
        taken = [tensor.extract(part, [group]) for part in (values, first, counts)]
        written = [tensor.insert(a, b, [at]) for a, b in zip(taken, parts, strict=True)]
        return [*written, tensor.insert(integer(at), ranks, [group])]

    parts = [empty([size], type_) for type_ in (element, *[i64()] * 3)]
    new_values, new_first, new_counts, ranks = loop(count, parts, move)

    def renumber(at: ir.Value, carried: Carried) -> Carried:
        rank = tensor.extract(ranks, [_index(tensor.extract(inverse, [at]))])
        return [tensor.insert(rank, carried[0], [at])]

    (new_inverse,) = loop(size, [empty([size], i64())], renumber)
    return [new_values, new_first, new_inverse, new_counts]
