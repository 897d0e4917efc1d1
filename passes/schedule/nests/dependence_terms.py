"""The terms of indices, which the dependence tests take apart into the digits of loops' iteration numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.common.affine import Linear
from mlc.passes.schedule.common.loops import Loop, is_defined_outside, loop_of


@dataclass
class Digit:
    """One digit of a loop's iteration number: `count` values of weight `weight`."""

    weight: int
    count: int


class Terms:
    """The terms of two sums, of which loops take those of their indices."""

    def __init__(self, left: Linear, right: Linear) -> None:
        self.left, self.right = list(left.terms), list(right.terms)

    def take(self, loop: Loop, digit: Digit, digits: list[Digit]) -> tuple[int, int, int] | None:
        """A digit's factors in both sums, and the offset by the lower bound of `loop`; None if not known."""
        first, second = (self._factor(side, loop, digit, digits) for side in (self.left, self.right))
        if first is None or second is None:
            return None
        lower = loop.lower
        offset = 0
        if digit is digits[0] and lower != 0:
            whole = [sum(f for v, p, f in side if v == loop.iv) for side in (self.left, self.right)]
            if whole[0] != whole[1] and lower is None:
                return None
            offset = (whole[0] - whole[1]) * (lower or 0)
        return first, second, offset

    @staticmethod
    def _is_digit(loop: Loop, divisor: int, digits: list[Digit]) -> bool:
        """Whether the quotient by `divisor` is made of the digits."""
        beyond = loop.trips is not None and divisor >= loop.trips
        whole = loop.lower == 0 and loop.step == 1
        return whole and (beyond or any(each.weight == divisor for each in digits))

    def _factor(
        self,
        side: list[tuple[ir.Value, tuple[int, int], int]],
        loop: Loop,
        digit: Digit,
        digits: list[Digit],
    ) -> int | None:
        total = 0
        for value, (divisor, modulus), factor in side:
            if value != loop.iv:
                continue
            plain = (divisor, modulus) == (1, 0)
            if loop.step is None or (not plain and not self._is_digit(loop, divisor, digits)):
                return None
            inside = digit.weight >= divisor and (not modulus or digit.weight < divisor * modulus)
            total += factor * digit.weight // divisor * loop.step if inside else 0
        return total

    def rest(self, loops: Sequence[Loop]) -> Iterator[tuple[int, int | None, int | None]]:
        """Factor, least and largest value of the terms that are not indices of `loops`.

        None as value where it is not known. Values from outside the outermost loop are the same for both.
        """
        for side, sign, other in ((self.left, 1, self.right), (self.right, -1, self.left)):
            for value, part, factor in side:
                if any(value == each.iv for each in loops):
                    continue
                if is_defined_outside(value, loops[0].op):
                    if (value, part, factor) not in other:
                        yield factor, None, None
                    continue
                inner = loop_of(value)
                known = inner is not None and part == (1, 0)
                yield (
                    sign * factor,
                    inner.lower if inner is not None and known else None,
                    inner.last if inner is not None and known else None,
                )
