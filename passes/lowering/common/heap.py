"""A heap in two tensors: numbers, and the positions at which they were found.

Which of two numbers comes first: the larger or the smaller one, NaN being larger than all others.
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
    """Whether `a` comes before `b`, for each pair of elements where they are vectors; not where they are
    equal."""
    vectors = isinstance(a.type, ir.VectorType)
    kind = a.type.element_type if vectors else a.type
    if not is_float(kind):
        sign = "u" if is_unsigned(kind) else "s"
        return arith.cmpi(getattr(arith.CmpIPredicate, f"{sign}{'gt' if largest else 'lt'}"), a, b)
    if kind.width < 32:
        a, b = convert(a, ir.F32Type.get()), convert(b, ir.F32Type.get())
    # Unordered or greater: also where either is NaN, of which only the larger one may be.
    beyond = arith.cmpf(arith.CmpFPredicate.UGT if largest else arith.CmpFPredicate.ULT, a, b)
    smaller = b if largest else a
    return arith.andi(beyond, arith.cmpf(arith.CmpFPredicate.ORD, smaller, smaller))


def precedes(one: Sequence[ir.Value], other: Sequence[ir.Value], largest: bool) -> ir.Value:
    """Whether a pair of a number and its position comes before another: of equals that of the lower
    position."""
    (a, at), (b, there) = one, other
    before, behind = comes_before(a, b, largest), comes_before(b, a, largest)
    lower = arith.cmpi(arith.CmpIPredicate.slt, at, there)
    equal = arith.xori(behind, constant(i1(), 1))
    return arith.ori(before, arith.andi(equal, lower))


@dataclass(frozen=True)
class Heap:
    """`size` numbers and positions along `axis` of two tensors of that rank, whose other dims are 1.

    Nothing comes before what is below it: the root is the last of all, and the next better one replaces it.
    (Williams, "Algorithm 232: Heapsort", 1964.)
    """

    axis: int
    rank: int
    size: int | Size
    largest: bool

    def _at(self, index: ir.Value) -> list[ir.Value]:
        return [index if dim == self.axis else index_value(0) for dim in range(self.rank)]

    def read(self, heap: Sequence[ir.Value], index: ir.Value) -> Carried:
        """The number and the position at a place of the heap."""
        return [tensor.extract(each, self._at(index)) for each in heap]

    def write(self, heap: Sequence[ir.Value], index: ir.Value, item: Sequence[ir.Value]) -> Carried:
        """The heap with another item at a place."""
        return [tensor.insert(part, each, self._at(index)) for part, each in zip(item, heap, strict=True)]

    def put(self, heap: Carried, item: Carried, place: ir.Value, size: ir.Value) -> Carried:
        """The first `size` places with `item` at `place` or below: what comes behind it moves up.

        The loop has as many steps as the heap has levels, without a branch: where nothing moves any more, the
        item is written to its place again.
        """
        last = arith.subi(size, index_value(1))

        def level(_index: ir.Value, carried: Carried) -> Carried:
            *parts, at = carried
            first = arith.addi(arith.addi(at, at), index_value(1))
            left = arith.minsi(first, last)
            right = arith.minsi(arith.addi(left, index_value(1)), last)
            one, other = self.read(parts, left), self.read(parts, right)
            # The one of both that comes behind the other.
            turned = precedes(one, other, self.largest)
            below = [select(turned, b, a) for a, b in zip(one, other, strict=True)]
            exists = arith.cmpi(arith.CmpIPredicate.slt, first, size)
            moves = arith.andi(exists, precedes(item, below, self.largest))
            up = [select(moves, a, b) for a, b in zip(below, item, strict=True)]
            return [*self.write(parts, at, up), select(moves, select(turned, right, left), at)]

        *parts, at = loop(self._levels(), [*heap, place], level)
        return self.write(parts, at, item)

    def _levels(self) -> int | ir.Value:
        """How many there are below the root."""
        if isinstance(self.size, int):
            return self.size.bit_length() - 1
        kind = i64()
        zeros = math.ctlz(arith.index_cast(kind, index_value(self.size)))
        return arith.index_cast(ir.IndexType.get(), arith.subi(constant(kind, 63), zeros))

    def built(self, heap: Carried) -> Carried:
        """Any items as a heap."""
        size, inner = index_value(self.size), self.size // 2

        def step(index: ir.Value, parts: Carried) -> Carried:
            place = arith.subi(index_value(inner - 1), index)
            return self.put(parts, self.read(parts, place), place, size)

        return loop(inner, heap, step)

    def ordered(self, heap: Carried) -> Carried:
        """The items from the first to the last: the root goes to the end of what is left of the heap."""

        def step(index: ir.Value, parts: Carried) -> Carried:
            end = arith.subi(index_value(self.size - 1), index)
            root, item = self.read(parts, index_value(0)), self.read(parts, end)
            return self.put(self.write(parts, end, root), item, index_value(0), end)

        return loop(self.size - 1, heap, step)
