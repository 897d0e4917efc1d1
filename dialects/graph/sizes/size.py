"""Sizes: polynomials with integer coefficients over named dims."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as pairs

# Characters of a size. Where each size has the one before it twice, the formula doubles from op to op; sums
# of hundreds of names, as detectors have, are shorter.
LONGEST_FORMULA = 20_000


class Undecided(Exception):
    """The result of a comparison depends on named dims."""


@dataclass(frozen=True, order=True)
class Name:
    """A named dim. Its text has quotes around a name that would read like something else."""

    name: str

    @property
    def text(self) -> str:
        """The name as `parse_size` reads it."""
        return self.name if _PLAIN.fullmatch(self.name) else "'" + self.name.replace("'", "''") + "'"

    def names(self) -> frozenset[str]:
        """Returns the named dims on which it depends."""
        return frozenset([self.name])


# Names that need no quotes.
_PLAIN = re.compile(r"[A-Za-z_][\w.#:/\[\]]*")


@dataclass(frozen=True)
class SizeFunction:
    """A function of two sizes that is no polynomial: "floordiv", "max" or "broadcast"."""

    name: str
    operands: tuple[int | Size, int | Size]

    @property
    def text(self) -> str:
        """The function as `parse_size` reads it."""
        return f"{self.name}({', '.join(map(str, self.operands))})"

    def names(self) -> frozenset[str]:
        """Returns the named dims on which it depends."""
        return frozenset().union(*(operand.names for operand in self.operands if isinstance(operand, Size)))


Factor = Name | SizeFunction
# Factors of a term, sorted by their text.
Monomial = tuple[Factor, ...]


@dataclass(frozen=True)
class Size:
    """A sum of terms: products of factors, each with its coefficient, which is not 0."""

    terms: tuple[tuple[Monomial, int], ...]

    @property
    def names(self) -> frozenset[str]:
        """The named dims on which it depends."""
        return frozenset().union(*(factor.names() for monomial, _ in self.terms for factor in monomial))

    def __str__(self) -> str:
        text = " + ".join(_term_text(monomial, count) for monomial, count in self.terms)
        return text.replace("+ -", "- ")

    def __bool__(self) -> bool:
        return self > 0

    def __lt__(self, other: int | Size) -> bool:
        return not self >= other

    def __gt__(self, other: int | Size) -> bool:
        return not self <= other

    def __le__(self, other: int | Size) -> bool:
        from .bounds import at_least

        return at_least(other, self)

    def __ge__(self, other: int | Size) -> bool:
        from .bounds import at_least

        return at_least(self, other)

    def __add__(self, other: int | Size) -> int | Size:
        return collect_terms([*self.terms, *terms(other)])

    def __mul__(self, other: int | Size) -> int | Size:
        return collect_terms(
            [
                (tuple(sorted((*a, *b), key=_text)), m * n)
                for (a, m), (b, n) in pairs(self.terms, terms(other))
            ]
        )

    def __neg__(self) -> int | Size:
        return self * -1

    def __sub__(self, other: int | Size) -> int | Size:
        return self + other * -1

    def __rsub__(self, other: int) -> int | Size:
        return -self + other

    def __floordiv__(self, other: int | Size) -> int | Size:
        from .quotients import floordiv

        return floordiv(self, other)

    def __rfloordiv__(self, other: int) -> int | Size:
        from .quotients import floordiv

        return floordiv(other, self)

    def __mod__(self, other: int | Size) -> int | Size:
        return self - self // other * other

    def __rmod__(self, other: int) -> int | Size:
        return other - other // self * self

    __radd__, __rmul__ = __add__, __mul__


def symbol(name: str) -> Size:
    """Returns the named dim."""
    return Size((((Name(name),), 1),))


def name_of(size: int | Size) -> str | None:
    """Returns the name if the size is a named dim and nothing else, else None."""
    match size:
        case Size(terms=(((Name(name=name),), 1),)):
            return name
    return None


def is_long(size: int | Size) -> bool:
    """Whether the formula of a size, which is no name, is too long to be repeated: such a size gets one."""
    return isinstance(size, Size) and name_of(size) is None and len(str(size)) > LONGEST_FORMULA


def function_of(name: str, left: int | Size, right: int | Size) -> Size:
    """Returns the size that is a function of two sizes and nothing else."""
    return Size((((SizeFunction(name, (left, right)),), 1),))


def terms(size: int | Size) -> Sequence[tuple[Monomial, int]]:
    """Returns the terms of a size or an int."""
    return size.terms if isinstance(size, Size) else [((), size)] if size else []


def collect_terms(terms: Sequence[tuple[Monomial, int]]) -> int | Size:
    """Returns the sum of the terms, with like terms collected, in canonical order."""
    counts: dict[Monomial, int] = {}
    for monomial, count in terms:
        counts[monomial] = counts.get(monomial, 0) + count
    left = {monomial: count for monomial, count in counts.items() if count}
    if not any(left):
        return left.get((), 0)
    return Size(tuple(sorted(left.items(), key=lambda term: (-len(term[0]), [_text(f) for f in term[0]]))))


def _text(factor: Factor) -> str:
    return factor.text


def _term_text(monomial: Monomial, count: int) -> str:
    names = "*".join(map(_text, monomial))
    if not names or abs(count) != 1:
        return f"{count}*{names}" if names else str(count)
    return names if count > 0 else f"-{names}"
