"""Bounds of sizes that hold for all values of the named dims, which are at least 0."""

from __future__ import annotations

from math import lcm, prod

from .size import Factor, Monomial, Name, Size, SizeFunction, Undecided


def lower_bound(size: int | Size) -> int | None:
    """Returns an integer that the size is never below, or None where a term is unbounded below."""
    if isinstance(size, int):
        return size
    rules = (_of_terms, _of_minimum, _of_quotients)
    return next((bound for bound in (rule(size) for rule in rules) if bound is not None), None)


def at_least(left: int | Size, right: int | Size) -> bool:
    """Whether `left >= right`. Raises Undecided."""
    difference = left - right
    least, most = lower_bound(difference), lower_bound(-difference)
    if least is not None and least >= 0:
        return True
    if most is not None and most > 0:
        return False
    raise Undecided(f"{left} >= {right}")


def always_less(left: int | Size, right: int | Size) -> bool:
    """Whether bounds prove `left < right` for all values of named dims."""
    try:
        return left < right
    except Undecided:
        return False


def always_unequal(left: int | Size, right: int | Size) -> bool:
    """Whether bounds prove that the two are unequal for all values of named dims."""
    difference = left - right
    bounds = (lower_bound(difference), lower_bound(-difference))
    return any(bound is not None and bound > 0 for bound in bounds)


def _of_terms(size: Size) -> int | None:
    total = 0
    for monomial, count in size.terms:
        bounds = [_of_factor(factor) for factor in monomial]
        if monomial and (count < 0 or any(bound is None or bound < 0 for bound in bounds)):
            return None
        total += count * prod(bound for bound in bounds if bound is not None)
    return total


def _of_minimum(size: Size) -> int | None:
    """Returns the lower bound of a sum that has a minimum in it: a + b - max(a, b)."""
    for monomial, count in size.terms:
        match monomial:
            case (SizeFunction(name="max", operands=(a, b)),) if count < 0:
                rest = size + Size(((monomial, -count),)) + (a + b) * count
                bounds = [lower_bound(part) for part in (rest, a, b)]
                known = [bound for bound in bounds if bound is not None]
                return known[0] - count * min(known[1:]) if len(known) == 3 else None
    return None


def _of_quotients(size: Size) -> int | None:
    """Returns the lower bound of a sum with quotients, from (a - d + 1) / d <= floordiv(a, d) <= a / d.

    That of floordiv(n + 3, 2) - floordiv(n, 2) is 1: it is at least (n + 3 - 1) / 2 - n / 2.
    """
    found = [_quotient(monomial) for monomial, _ in size.terms]
    if not any(found):
        return None
    multiple = lcm(*(quotient[1] for quotient in found if quotient))
    total: int | Size = 0
    for quotient, (monomial, count) in zip(found, size.terms, strict=True):
        if quotient is None:
            total = total + Size(((monomial, count * multiple),))
            continue
        dividend, divisor = quotient
        rest = divisor - 1 if count > 0 else 0
        total = total + (dividend - rest) * (count * multiple // divisor)
    bound = lower_bound(total)
    return None if bound is None else -(-bound // multiple)


def _quotient(monomial: Monomial) -> tuple[int | Size, int] | None:
    """Returns dividend and divisor of a term that is a quotient by a positive integer, else None."""
    match monomial:
        case (SizeFunction(name="floordiv", operands=(dividend, int(divisor))),) if divisor > 0:
            return dividend, divisor
    return None


def _of_factor(factor: Factor) -> int | None:
    if isinstance(factor, Name):
        return 0
    left, right = map(lower_bound, factor.operands)
    if factor.name == "max":
        return max((bound for bound in (left, right) if bound is not None), default=None)
    if left is None or right is None or left < 0 or right < 0:
        return None
    return left // factor.operands[1] if isinstance(factor.operands[1], int) and right else 0
