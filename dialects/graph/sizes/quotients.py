"""Quotients of two sizes."""

from __future__ import annotations

from .size import Monomial, Size, collect_terms, function_of, terms


def floordiv(left: int | Size, right: int | Size) -> int | Size:
    """Returns `left / right` rounded down. Raises ZeroDivisionError for a divisor that is 0."""
    if isinstance(left, int) and isinstance(right, int):
        return left // right
    exact = exact_quotient(left, right)
    if exact is not None:
        return exact
    if not isinstance(right, int) or right < 0:
        return function_of("floordiv", left, right)
    whole, rest = _divide_terms(left, right)
    if isinstance(rest, int):
        return whole
    leading = next(count for monomial, count in rest.terms if monomial)
    if leading < 0:
        # One form for quotients that are rounded up, -floordiv(-n, d) and floordiv(n + d - 1, d).
        return whole - floordiv(-rest + (right - 1), right)
    return whole + function_of("floordiv", rest, right)


def exact_quotient(left: int | Size, right: int | Size) -> int | Size | None:
    """Returns `left / right` where each term of `left` is divisible by `right`, a single term; else None.

    Raises ZeroDivisionError for a divisor that is 0.
    """
    divisor = terms(right)
    if not divisor:
        raise ZeroDivisionError("a size divided by 0")
    if len(divisor) > 1:
        return 1 if left == right else None
    ((factors, count),) = divisor
    quotients = []
    for monomial, have in terms(left):
        rest = _without(monomial, factors)
        if rest is None or have % count:
            return None
        quotients.append((rest, have // count))
    return collect_terms(quotients)


def _divide_terms(left: int | Size, right: int) -> tuple[int | Size, int | Size]:
    """Returns quotient and rest by a positive integer: the terms that it divides are in the quotient, and of
    a constant term its integer part."""
    whole, rest = [], []
    for monomial, count in terms(left):
        if count % right and monomial:
            rest.append((monomial, count))
        else:
            whole.append((monomial, count // right))
            rest.append((monomial, count % right))
    return collect_terms(whole), collect_terms(rest)


def _without(monomial: Monomial, factors: Monomial) -> Monomial | None:
    """Returns the factors that are left, or None if some of `factors` are not there."""
    rest = list(monomial)
    for factor in factors:
        if factor not in rest:
            return None
        rest.remove(factor)
    return tuple(rest)
