"""Dependences carried by loops: Banerjee's and the GCD test on the affine indices of buffers.

The index of a loop may occur in quotients and remainders (after `fuse`): it is then decomposed into digits of
mixed radix, each of which is a separate variable of the tests.

Source: R. Allen and K. Kennedy, Optimizing Compilers for Modern Architectures, chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import gcd

from mlc.bindings import ir
from mlc.passes.common.affine import AffineTerm, IndexForm
from mlc.passes.schedule.common.loops import Loop, is_defined_outside, loop_of
from mlc.passes.schedule.nests.accesses import Access, accesses
from mlc.passes.schedule.nests.reductions import is_one_reduction


@dataclass
class Digit:
    """One digit of a loop's index in mixed radix: `count` values of weight `weight`."""

    weight: int
    count: int


class Terms:
    """The terms of two indices, grouped by the loops whose variables they contain."""

    def __init__(self, left: IndexForm, right: IndexForm) -> None:
        self.left, self.right = list(left.terms.items()), list(right.terms.items())

    def take(self, loop: Loop, digit: Digit, digits: list[Digit]) -> tuple[int, int, int] | None:
        """Returns a digit's factors in both indices, and the offset by the lower bound of `loop`; None if not
        known."""
        first, second = (self._factor(side, loop, digit, digits) for side in (self.left, self.right))
        if first is None or second is None:
            return None
        lower = loop.lower
        offset = 0
        if digit is digits[0] and lower != 0:
            gain = self._coefficients(self.left, loop) - self._coefficients(self.right, loop)
            if gain and lower is None:
                return None
            offset = gain * (lower or 0)
        return first, second, offset

    @staticmethod
    def _coefficients(side: list[tuple[AffineTerm[ir.Value], int]], loop: Loop) -> int:
        return sum(coefficient for term, coefficient in side if term.variable == loop.iv)

    @staticmethod
    def _is_digit(loop: Loop, divisor: int, digits: list[Digit]) -> bool:
        """Whether the quotient by `divisor` consists of full digits."""
        beyond = loop.trips is not None and divisor >= loop.trips
        whole = loop.lower == 0 and loop.step == 1
        return whole and (beyond or any(digit.weight == divisor for digit in digits))

    def _factor(
        self,
        side: list[tuple[AffineTerm[ir.Value], int]],
        loop: Loop,
        digit: Digit,
        digits: list[Digit],
    ) -> int | None:
        total = 0
        for term, coefficient in side:
            if term.variable != loop.iv:
                continue
            if loop.step is None or not (term.is_variable or self._is_digit(loop, term.divisor, digits)):
                return None
            below = not term.modulus or digit.weight < term.divisor * term.modulus
            if below and digit.weight >= term.divisor:
                total += coefficient * digit.weight // term.divisor * loop.step
        return total

    def rest(self, loops: Sequence[Loop]) -> Iterator[tuple[int, int | None, int | None]]:
        """Yields factor, least and largest value of the terms that are not indices of `loops`.

        None as value if it is not known. Values from outside the outermost loop are the same for both.
        """
        for side, sign, other in ((self.left, 1, self.right), (self.right, -1, self.left)):
            for term, coefficient in side:
                if any(term.variable == loop.iv for loop in loops):
                    continue
                if is_defined_outside(term.variable, loops[0].op):
                    if (term, coefficient) not in other:
                        yield coefficient, None, None
                    continue
                inner = loop_of(term.variable) if term.is_variable else None
                yield sign * coefficient, *((None, None) if inner is None else (inner.lower, inner.last))


# More iterations than any loop has: the extent of loops with dynamic bounds.
UNKNOWN = 2**40
# A direction of a digit: earlier, same or later iteration of the second access; "*" is any.
Direction = str


@dataclass
class Dependence:
    """`first` and `second` touch the same element in different iterations of the loop that carries it."""

    first: Access
    second: Access

    def __str__(self) -> str:
        return f"between {self.first.text} and {self.second.text}"


class NestAccesses:
    """The accesses inside the innermost of `loops`, which are nested, outermost first."""

    def __init__(self, loops: Sequence[Loop]) -> None:
        self.loops = list(loops)
        self.accesses = accesses(self.loops[-1].op)
        self.digits = [self._digits(loop) for loop in self.loops]

    def _digits(self, loop: Loop) -> list[Digit]:
        """Returns the digits of a loop's index, most significant first; a single one if the index occurs only
        undivided, or is always 0."""
        trips = loop.most_trips if loop.most_trips is not None else UNKNOWN
        weights = {1}
        for access in self.accesses:
            for index in access.indices or []:
                for term in index[0].terms if index else ():
                    if term.variable == loop.iv:
                        weights |= {term.divisor, term.divisor * term.modulus} - {0}
        chain = sorted(weight for weight in weights if weight < trips)
        if not chain or any(large % small for small, large in pairwise(chain)):
            return [Digit(1, trips)]
        ends = [*chain[1:], trips]
        return [Digit(low, -(-high // low)) for low, high in zip(chain, ends, strict=True)][::-1]

    def pairs(self) -> Iterator[tuple[Access, Access]]:
        """Yields the pairs of accesses of one buffer of which one writes, in both orders; one with itself
        too."""
        for first in self.accesses:
            for second in self.accesses:
                if (first.writes or second.writes) and _may_alias(first, second):
                    yield first, second

    def carried_by(self, position: int, sums: bool = False) -> Dependence | None:
        """Returns a dependence that loop `position` carries, in one iteration of those around it, or None.

        With `sums`, updates of one reduction do not depend on each other.
        """
        around = ["="] * position
        inside = ["*"] * (len(self.loops) - position - 1)
        return self.find([*around, "<", *inside], sums)

    def find(self, directions: Sequence[Direction], sums: bool = False) -> Dependence | None:
        """Returns a pair that may touch one element in iterations with these directions, or None."""
        for first, second in self.pairs():
            if sums and is_one_reduction(first.op, second.op):
                continue
            if self.may_meet(first, second, directions):
                return Dependence(first, second)
        return None

    def may_meet(self, first: Access, second: Access, directions: Sequence[Direction]) -> bool:
        """Whether the accesses may touch one element with these directions, one per loop."""
        if first.indices is None or second.indices is None:
            return True
        choices = [
            _digit_directions(direction, len(digits))
            for direction, digits in zip(directions, self.digits, strict=True)
        ]
        return any(self._feasible(first, second, list(choice)) for choice in product(*choices))

    def _feasible(self, first: Access, second: Access, chosen: list[tuple[Direction, ...]]) -> bool:
        assert first.indices is not None and second.indices is not None
        for left, right in zip(first.indices, second.indices, strict=True):
            if left is None or right is None:
                continue
            if not self._dim_feasible(left, right, chosen):
                return False
        return True

    def _dim_feasible(
        self, left: tuple[IndexForm, int], right: tuple[IndexForm, int], chosen: list[tuple[Direction, ...]]
    ) -> bool:
        """Whether ranges of elements, from `left` and from `right` on, can overlap."""
        low = high = base = left[0].constant - right[0].constant
        step = 0
        terms = Terms(left[0], right[0])
        for loop, digits, directions in zip(self.loops, self.digits, chosen, strict=True):
            for digit, direction in zip(digits, directions, strict=True):
                factors = terms.take(loop, digit, digits)
                if factors is None:
                    return True
                offset, (least, most, divisor) = factors[2], _range(*factors[:2], digit.count, direction)
                low, high, step = low + least + offset, high + most + offset, gcd(step, divisor)
                base += offset
        for factor, first, last in terms.rest(self.loops):
            if first is None or last is None:
                return True
            ends = factor * first, factor * last
            low, high, step = low + min(ends), high + max(ends), gcd(step, factor)
            base += factor * first
        return _meets(max(low, 1 - left[1]), min(high, right[1] - 1), step, base)


def _meets(least: int, most: int, step: int, base: int) -> bool:
    """Whether `base` plus a multiple of `step` lies between `least` and `most`."""
    if least > most:
        return False
    if step == 0:
        return least <= base <= most
    return (most - base) // step >= -((base - least) // step)


def _may_alias(first: Access, second: Access) -> bool:
    """Whether the accesses may be of one buffer: operands of kernels do not overlap."""
    return first.buffer is None or second.buffer is None or first.buffer == second.buffer


def _digit_directions(direction: Direction, count: int) -> list[tuple[Direction, ...]]:
    """Returns the directions of a loop's digits, which are compared lexicographically."""
    if direction in "=*":
        return [(direction,) * count]
    return [("=",) * at + (direction,) + ("*",) * (count - at - 1) for at in range(count)]


def _range(a: int, b: int, count: int, direction: Direction) -> tuple[int, int, int]:
    """Returns least and largest value, and divisor, of `a*x - b*y` for `x` and `y` below `count` in that
    relation."""
    last = count - 1
    if direction == "=":
        ends = [0, (a - b) * last]
        return min(ends), max(ends), a - b
    if direction == "*":
        ends = [0, a * last, -b * last, (a - b) * last]
        return min(ends), max(ends), gcd(a, b)
    if last < 1:
        return UNKNOWN**2, -(UNKNOWN**2), 0
    if direction == ">":
        a, b = -b, -a
    ends = [-b, -b * last, a * (last - 1) - b * last]
    return min(ends), max(ends), gcd(a, b)
