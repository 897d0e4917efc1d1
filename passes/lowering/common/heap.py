"""A binary heap in two tensors: values, and the positions at which they were found.

Values are ordered from the largest or from the smallest one; NaN is larger than all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, math, tensor
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.constants import i1, i64
from mlc.passes.common.linalg_builders import constant, index_value, is_float, is_unsigned
from mlc.passes.common.loop_builders import Carried, loop
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.scalars import select


def comes_before(a: ir.Value, b: ir.Value, largest: bool) -> ir.Value:
    """Whether `a` precedes `b` and does not equal it: a boolean, or a vector of booleans for vectors."""
    vectors = isinstance(a.type, ir.VectorType)
    element = a.type.element_type if vectors else a.type
    if not is_float(element):
        sign = "u" if is_unsigned(element) else "s"
        return arith.cmpi(getattr(arith.CmpIPredicate, f"{sign}{'gt' if largest else 'lt'}"), a, b)
    if element.width < 32:
        a, b = convert(a, ir.F32Type.get()), convert(b, ir.F32Type.get())
    # Unordered or greater: also where either is NaN, of which only the larger one may be.
    beyond = arith.cmpf(arith.CmpFPredicate.UGT if largest else arith.CmpFPredicate.ULT, a, b)
    smaller = b if largest else a
    return arith.andi(beyond, arith.cmpf(arith.CmpFPredicate.ORD, smaller, smaller))


def precedes(one: Sequence[ir.Value], other: Sequence[ir.Value], largest: bool) -> ir.Value:
    """Whether one pair of value and position precedes another; of equal values that of the lower position."""
    (a, at), (b, there) = one, other
    before, after = comes_before(a, b, largest), comes_before(b, a, largest)
    lower = arith.cmpi(arith.CmpIPredicate.slt, at, there)
    equal = arith.xori(after, constant(i1(), 1))
    return arith.ori(before, arith.andi(equal, lower))


@dataclass(frozen=True)
class Heap:
    """`size` values and positions along `axis` of two tensors of that rank, whose other dims are 1.

    No item precedes its children: the root is the last of all, and the next better item replaces it.
    (Williams, "Algorithm 232: Heapsort", 1964.)
    """

    axis: int
    rank: int
    size: int | Size
    largest: bool

    def _at(self, index: ir.Value) -> list[ir.Value]:
        return [index if dim == self.axis else index_value(0) for dim in range(self.rank)]

    def read(self, heap: Sequence[ir.Value], index: ir.Value) -> Carried:
        """Returns the value and the position at `index` of the heap."""
        return [tensor.extract(part, self._at(index)) for part in heap]

    def write(self, heap: Sequence[ir.Value], index: ir.Value, item: Sequence[ir.Value]) -> Carried:
        """Returns the heap with `item` at `index`."""
        return [tensor.insert(value, part, self._at(index)) for value, part in zip(item, heap, strict=True)]

    def sift_down(self, heap: Carried, item: Carried, start: ir.Value, size: ir.Value) -> Carried:
        """Puts `item` at `start` or below in the heap of the first `size` items: later ones move up.

        The loop has an iteration per level of the heap and no branch: once nothing moves any more, the item
        is written to the same index again.
        """
        last = arith.subi(size, index_value(1))

        def level(_index: ir.Value, carried: Carried) -> Carried:
            *parts, at = carried
            first = arith.addi(arith.addi(at, at), index_value(1))
            left = arith.minsi(first, last)
            right = arith.minsi(arith.addi(left, index_value(1)), last)
            one, other = self.read(parts, left), self.read(parts, right)
            # The later one of both.
            turned = precedes(one, other, self.largest)
            below = [select(turned, b, a) for a, b in zip(one, other, strict=True)]
            exists = arith.cmpi(arith.CmpIPredicate.slt, first, size)
            moves = arith.andi(exists, precedes(item, below, self.largest))
            up = [select(moves, a, b) for a, b in zip(below, item, strict=True)]
            return [*self.write(parts, at, up), select(moves, select(turned, right, left), at)]

        *parts, at = loop(self._levels(), [*heap, start], level)
        return self.write(parts, at, item)

    def _levels(self) -> int | ir.Value:
        """Returns the number of levels below the root."""
        if isinstance(self.size, int):
            return self.size.bit_length() - 1
        zeros = math.ctlz(arith.index_cast(i64(), index_value(self.size)))
        return arith.index_cast(ir.IndexType.get(), arith.subi(constant(i64(), 63), zeros))

    def heapify(self, heap: Carried) -> Carried:
        """Makes a heap of items in any order."""
        size, inner = index_value(self.size), self.size // 2

        def step(index: ir.Value, parts: Carried) -> Carried:
            start = arith.subi(index_value(inner - 1), index)
            return self.sift_down(parts, self.read(parts, start), start, size)

        return loop(inner, heap, step)

    def sort(self, heap: Carried) -> Carried:
        """Sorts the items of a heap: the root moves to the end of the rest of the heap, repeatedly."""

        def step(index: ir.Value, parts: Carried) -> Carried:
            end = arith.subi(index_value(self.size - 1), index)
            root, item = self.read(parts, index_value(0)), self.read(parts, end)
            return self.sift_down(self.write(parts, end, root), item, index_value(0), end)

        return loop(self.size - 1, heap, step)
