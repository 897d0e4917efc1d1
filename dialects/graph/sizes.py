"""Sizes that are known only when a model runs: polynomials with integer coefficients over named dims.

    batch, seq = symbol("batch"), symbol("seq")
    batch * seq * 768 // 12 == 64 * seq * batch      # True: both are "64*batch*seq"

Named dims are at least 0. Equal sizes have one form, so that `==` compares them; a size without names is a
plain int. Quotients that do not divide, maxima and broadcast dims are factors like names. `<` and its kind
answer from bounds, and raise `Undecided` where these do not tell.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import product as pairs
from math import prod
from typing import Any, ClassVar


class Undecided(Exception):
    """Whether a comparison holds depends on named dims."""


@dataclass(frozen=True, order=True)
class Name:
    """A named dim. Its text has quotes around a name that would read like something else."""

    name: str
    least: ClassVar[int] = 0

    @property
    def text(self) -> str:
        return self.name if _PLAIN.fullmatch(self.name) else "'" + self.name.replace("'", "''") + "'"

    def value(self, dims: Mapping[str, int]) -> int:
        return dims[self.name]

    def names(self) -> frozenset[str]:
        return frozenset([self.name])


# Names that need no quotes.
_PLAIN = re.compile(r"[A-Za-z_][\w.#:/\[\]]*")

# "broadcast": NumPy's rule for one dim of two tensors, which the program that runs has checked.
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "floordiv": operator.floordiv,
    "max": max,
    "broadcast": lambda left, right: right if left == 1 else left,
}


@dataclass(frozen=True)
class Operation:
    """A function of two sizes that is no polynomial."""

    kind: str
    operands: tuple[int | Size, int | Size]

    @property
    def text(self) -> str:
        return f"{self.kind}({', '.join(map(str, self.operands))})"

    @property
    def least(self) -> int | None:
        """A lower bound, None where there is none."""
        left, right = map(_lower_bound, self.operands)
        if self.kind == "max":
            return max((each for each in (left, right) if each is not None), default=None)
        if left is None or right is None or left < 0 or right < 0:
            return None
        return left // self.operands[1] if isinstance(self.operands[1], int) and right else 0

    def value(self, dims: Mapping[str, int]) -> int:
        return _OPERATIONS[self.kind](*(evaluate(each, dims) for each in self.operands))

    def names(self) -> frozenset[str]:
        return frozenset().union(*(each.names for each in self.operands if isinstance(each, Size)))


Factor = Name | Operation
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

    @property
    def least(self) -> int | None:
        """A lower bound, or None where a term may be any negative number."""
        bound = self._least_of_terms()
        return self._least_of_minimum() if bound is None else bound

    def _least_of_minimum(self) -> int | None:
        """The same where a smaller one of two is in it: a + b - max(a, b)."""
        for monomial, count in self.terms:
            match monomial:
                case (Operation(kind="max", operands=(a, b)),) if count < 0:
                    rest = self + Size(((monomial, -count),)) + (a + b) * count
                    bounds = [_lower_bound(each) for each in (rest, a, b)]
                    known = [bound for bound in bounds if bound is not None]
                    return known[0] - count * min(known[1:]) if len(known) == 3 else None
        return None

    def _least_of_terms(self) -> int | None:
        total = 0
        for monomial, count in self.terms:
            bounds = [factor.least for factor in monomial]
            if monomial and (count < 0 or any(bound is None or bound < 0 for bound in bounds)):
                return None
            total += count * prod(bound for bound in bounds if bound is not None)
        return total

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
        return _at_least(other, self)

    def __ge__(self, other: int | Size) -> bool:
        return _at_least(self, other)

    def __add__(self, other: int | Size) -> int | Size:
        return _collected([*self.terms, *_terms(other)])

    def __mul__(self, other: int | Size) -> int | Size:
        return _collected(
            [
                (tuple(sorted((*a, *b), key=_text)), m * n)
                for (a, m), (b, n) in pairs(self.terms, _terms(other))
            ]
        )

    def __neg__(self) -> int | Size:
        return self * -1

    def __sub__(self, other: int | Size) -> int | Size:
        return self + other * -1

    def __rsub__(self, other: int) -> int | Size:
        return -self + other

    def __floordiv__(self, other: int | Size) -> int | Size:
        return floordiv(self, other)

    def __rfloordiv__(self, other: int) -> int | Size:
        return floordiv(other, self)

    def __mod__(self, other: int | Size) -> int | Size:
        return self - floordiv(self, other) * other

    __radd__, __rmul__ = __add__, __mul__


def symbol(name: str) -> Size:
    """The named dim."""
    return Size((((Name(name),), 1),))


def name_of(size: int | Size) -> str | None:
    """The name if the size is a named dim and nothing else."""
    match size:
        case Size(terms=(((Name(name=name),), 1),)):
            return name
    return None


def operation(kind: str, left: int | Size, right: int | Size) -> int | Size:
    """A function of two sizes by its name, "floordiv", "max" or "broadcast". Raises KeyError."""
    functions: dict[str, Callable[[Any, Any], int | Size]] = {
        "floordiv": floordiv, "max": maximum, "broadcast": broadcast,
    }  # fmt: skip
    return functions[kind](left, right)


def floordiv(left: int | Size, right: int | Size) -> int | Size:
    """`left / right` rounded down. Raises ZeroDivisionError for a divisor that is 0."""
    if isinstance(left, int) and isinstance(right, int):
        return left // right
    exact = exact_quotient(left, right)
    if exact is not None:
        return exact
    if not isinstance(right, int) or right < 0:
        return _operation("floordiv", left, right)
    whole, rest = _divided(left, right)
    return whole if isinstance(rest, int) else whole + _operation("floordiv", rest, right)


def _divided(left: int | Size, right: int) -> tuple[int | Size, int | Size]:
    """Quotient and rest by a positive number: the terms that it divides are in the quotient, and of a number
    its whole part."""
    whole, rest = [], []
    for monomial, count in _terms(left):
        if count % right and monomial:
            rest.append((monomial, count))
        else:
            whole.append((monomial, count // right))
            rest.append((monomial, count % right))
    return _collected(whole), _collected(rest)


def exact_quotient(left: int | Size, right: int | Size) -> int | Size | None:
    """`left / right` where each term of `left` is divisible by `right`, a single term; else None.

    Raises ZeroDivisionError for a divisor that is 0.
    """
    divisor = _terms(right)
    if not divisor:
        raise ZeroDivisionError("a size divided by 0")
    if len(divisor) > 1:
        return 1 if left == right else None
    ((factors, count),) = divisor
    quotients = []
    for monomial, have in _terms(left):
        rest = _without(monomial, factors)
        if rest is None or have % count:
            return None
        quotients.append((rest, have // count))
    return _collected(quotients)


def maximum(left: int | Size, right: int | Size) -> Any:
    """The larger one. (Typed Any: a number where both are.)"""
    for one, other in ((left, right), (right, left)):
        try:
            return one if one >= other else other
        except Undecided:
            continue
    return _operation("max", *sorted((left, right), key=str))


def minimum(left: int | Size, right: int | Size) -> int | Size:
    """The smaller one."""
    return left + right - maximum(left, right)


def broadcast(left: int | Size, right: int | Size) -> int | Size:
    """The dim that `left` and `right` broadcast to, as in NumPy. Raises ValueError where they never do."""
    if right in (left, 1):
        return left
    if left == 1:
        return right
    if isinstance(left, int) and isinstance(right, int):
        raise ValueError(f"{left} and {right} do not broadcast")
    for one, other in ((left, right), (right, left)):
        if other in _broadcast_of(one) or _is_clipped(other, one):
            return one
    if isinstance(left, int) or isinstance(right, int):
        return left if isinstance(left, int) else right
    return _operation("broadcast", *sorted((left, right), key=str))


def _is_clipped(size: int | Size, whole: int | Size) -> bool:
    """Whether a dim is the smaller one of `whole` and a number above 1. Only where it is `whole` the two
    broadcast."""
    if isinstance(size, int) or isinstance(whole, int):
        return False
    factors = [factor for monomial, _ in size.terms for factor in monomial if isinstance(factor, Operation)]
    limits = [each for factor in factors for each in factor.operands if isinstance(each, int)]
    return any(limit > 1 and size == minimum(limit, whole) for limit in limits)


def _broadcast_of(size: int | Size) -> list[int | Size]:
    """The dims that a dim is the broadcast of."""
    match size:
        case Size(terms=(((Operation(kind="broadcast", operands=operands),), 1),)):
            return [*operands, *(inner for each in operands for inner in _broadcast_of(each))]
    return []


def evaluate(size: int | Size, dims: Mapping[str, int]) -> int:
    """The size for these values of named dims. Raises KeyError for one that is missing."""
    if isinstance(size, int):
        return size
    return sum(count * prod(each.value(dims) for each in monomial) for monomial, count in size.terms)


def substituted(size: int | Size, known: Mapping[str, int | Size]) -> int | Size:
    """The size with what is known in the place of names. Raises ValueError where dims do not broadcast."""
    if isinstance(size, int) or not size.names & known.keys():
        return size
    total: int | Size = 0
    for monomial, count in size.terms:
        term: int | Size = count
        for factor in monomial:
            term = term * _factor_with(factor, known)
        total = total + term
    return total


def _factor_with(factor: Factor, known: Mapping[str, int | Size]) -> int | Size:
    if isinstance(factor, Name):
        return known.get(factor.name, symbol(factor.name))
    left, right = (substituted(each, known) for each in factor.operands)
    return operation(factor.kind, left, right)


def product(sizes: Sequence[int | Size]) -> Any:
    """The number of elements of a tensor with these dims. (Typed Any: a number where all are.)"""
    total: int | Size = 1
    for size in sizes:
        total = total * size
    return total


# What `differ` has left open, where somebody collects it.
_open: ContextVar[list[tuple[int | Size, int | Size]] | None] = ContextVar("open_equalities", default=None)


@contextmanager
def open_equalities() -> Iterator[list[tuple[int | Size, int | Size]]]:
    """The pairs of which `differ` does not know inside the `with` block whether they are equal: what a
    definition takes for equal, and only a call tells."""
    found: list[tuple[int | Size, int | Size]] = []
    token = _open.set(found)
    try:
        yield found
    finally:
        _open.reset(token)


def differ(left: int | Size, right: int | Size) -> bool:
    """Whether the two are unequal for all values of named dims, as far as their bounds tell."""
    difference = left - right
    bounds = (_lower_bound(difference), _lower_bound(-difference))
    certain = any(bound is not None and bound > 0 for bound in bounds)
    found = _open.get()
    if found is not None and not certain and left != right:
        found.append((left, right))
    return certain


def surely_less(left: int | Size, right: int | Size) -> bool:
    """Whether `left < right` for all values of named dims, as far as their bounds tell."""
    try:
        return left < right
    except Undecided:
        return False


def _at_least(left: int | Size, right: int | Size) -> bool:
    """Whether `left >= right`. Raises Undecided."""
    difference = left - right
    least, most = _lower_bound(difference), _lower_bound(-difference)
    if least is not None and least >= 0:
        return True
    if most is not None and most > 0:
        return False
    raise Undecided(f"{left} >= {right}")


def _operation(kind: str, left: int | Size, right: int | Size) -> Size:
    return Size((((Operation(kind, (left, right)),), 1),))


def _terms(size: int | Size) -> Sequence[tuple[Monomial, int]]:
    return size.terms if isinstance(size, Size) else [((), size)] if size else []


def _collected(terms: Sequence[tuple[Monomial, int]]) -> int | Size:
    """The sum of the terms: like ones added up, in one order."""
    counts: dict[Monomial, int] = {}
    for monomial, count in terms:
        counts[monomial] = counts.get(monomial, 0) + count
    left = {monomial: count for monomial, count in counts.items() if count}
    if not any(left):
        return left.get((), 0)
    return Size(tuple(sorted(left.items(), key=lambda term: (-len(term[0]), [_text(f) for f in term[0]]))))


def _without(monomial: Monomial, factors: Monomial) -> Monomial | None:
    """The factors that are left, or None if some of `factors` are not there."""
    rest = list(monomial)
    for factor in factors:
        if factor not in rest:
            return None
        rest.remove(factor)
    return tuple(rest)


def _text(factor: Factor) -> str:
    return factor.text


def _term_text(monomial: Monomial, count: int) -> str:
    names = "*".join(map(_text, monomial))
    if not names or abs(count) != 1:
        return f"{count}*{names}" if names else str(count)
    return names if count > 0 else f"-{names}"


def _lower_bound(size: int | Size) -> int | None:
    return size if isinstance(size, int) else size.least
