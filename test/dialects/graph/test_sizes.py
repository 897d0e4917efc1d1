"""Sizes of named dims: one form for equal ones, bounds, and their values."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

import pytest

from mlc.dialects.graph.sizes import (
    Size,
    Undecided,
    broadcast,
    differ,
    evaluate,
    exact_quotient,
    floordiv,
    lower_bound,
    maximum,
    minimum,
    product,
    symbol,
)

A, B = symbol("a"), symbol("b")
# The operations on sizes and on ints.
OPERATIONS: dict[str, tuple[Callable, Callable]] = {
    "+": (operator.add, operator.add),
    "-": (operator.sub, operator.sub),
    "*": (operator.mul, operator.mul),
    "/": (floordiv, operator.floordiv),
    ">": (maximum, max),
    "<": (minimum, min),
}


def test_equal_sizes_have_one_form() -> None:
    assert A * B * 768 // 12 == 64 * B * A
    assert (A + 1) * (A - 1) == A * A - 1
    assert (A + B) - B == A
    assert A - A == 0
    assert hash(A + B) == hash(B + A)
    assert str(2 * A * B - A + 3) == "2*a*b - a + 3"


def test_a_size_without_names_is_an_int() -> None:
    assert (A + 5) - A == 5
    assert isinstance((A + 5) - A, int)
    assert product([2, 3]) == 6
    assert product([A, 2, B]) == 2 * A * B


def test_what_does_not_divide_is_a_factor() -> None:
    half = A // 2
    assert str(half) == "floordiv(a, 2)"
    assert exact_quotient(A, 2) is None
    assert exact_quotient(4 * A * B + 2 * A, 2 * A) == 2 * B + 1
    assert evaluate(half * 3 + 1, {"a": 7}) == 10
    assert evaluate(A % 2, {"a": 7}) == 1
    with pytest.raises(ZeroDivisionError):
        floordiv(A, 0)


def test_terms_that_an_int_divides_leave_the_quotient() -> None:
    assert floordiv(2 * A + 3, 2) == A + 1
    assert floordiv(A - 1, 2) + 1 == floordiv(A + 1, 2)
    assert str(floordiv(4 * A + B - 3, 2)) == "2*a + floordiv(b + 1, 2) - 2"


def test_comparisons_know_bounds() -> None:
    assert A + 1 > 0
    assert A >= 0
    assert not A + B + 2 < 2
    assert differ(A + 1, 0)
    assert differ(A, -1)
    assert not differ(A, B)
    assert A // 2 >= 0
    with pytest.raises(Undecided):
        bool(A)
    with pytest.raises(Undecided):
        assert A > B
    with pytest.raises(Undecided):
        assert (A - 5) // 2 >= 0


def test_bounds_of_quotients() -> None:
    assert lower_bound(floordiv(A + 3, 2) - floordiv(A, 2)) == 1
    assert lower_bound(A - 2 * floordiv(A, 2)) == 0
    assert lower_bound(2 * floordiv(A, 2) - A) == -1
    assert lower_bound(floordiv(floordiv(A, 2), 3) - floordiv(A, 6)) is not None
    assert maximum(floordiv(A + 1, 2), floordiv(A, 2)) == floordiv(A + 1, 2)
    # Windows of size 3 and stride 2, the last of which reaches beyond the end.
    last = -floordiv(-(A - 3), 2)
    assert minimum(1, maximum(0, -floordiv(-A, 2) - last)) == 1
    assert lower_bound(floordiv(A, 2) - floordiv(B, 2)) is None


@pytest.mark.parametrize("seed", range(200))
def test_bounds_of_quotients_hold(seed: int) -> None:
    draw = random.Random(seed)

    def term(depth: int) -> int | Size:
        inner = draw.choice([A, B]) if depth == 0 else floordiv(term(depth - 1), draw.randint(1, 4))
        return inner * draw.choice([-3, -2, -1, 1, 2, 3]) + draw.randint(-4, 4)

    size = term(2) + term(1) + term(0)
    bound = lower_bound(size)
    if bound is not None:
        assert all(evaluate(size, {"a": a, "b": b}) >= bound for a in range(12) for b in range(12))


def test_extremes() -> None:
    assert maximum(A, A + 2) == A + 2
    assert minimum(A, A + 2) == A
    assert maximum(A, B) == maximum(B, A)
    assert maximum(A - 5, 1) >= 1
    assert evaluate(minimum(A, B), {"a": 3, "b": 2}) == 2


def test_broadcast() -> None:
    assert broadcast(A, 1) == A
    assert broadcast(1, A) == A
    assert broadcast(A, 4) == 4
    both = broadcast(A, B)
    assert both == broadcast(B, A)
    assert [evaluate(both, {"a": a, "b": b}) for a, b in ((1, 0), (0, 1), (3, 3), (1, 7))] == [0, 0, 3, 7]
    with pytest.raises(ValueError, match="3 and 4"):
        broadcast(3, 4)


def test_broadcast_of_what_was_broadcast_or_clipped() -> None:
    both = broadcast(A, B)
    assert broadcast(both, A) == both == broadcast(B, both)
    # The first `a` of 64 rows broadcast with `a` rows only where they are `a`.
    assert broadcast(minimum(64, A), A) == A == broadcast(A, minimum(64, A))
    assert broadcast(minimum(1, A), A) != A
    assert broadcast(minimum(64, B), A) != A


def test_bounds_of_the_smaller_one() -> None:
    assert maximum(minimum(64, A), 0) == minimum(64, A)
    assert minimum(64, A) + 3 >= 3
    with pytest.raises(Undecided):
        assert minimum(A - 5, B) >= 0


def test_names() -> None:
    size = A * 2 + B // 3
    assert isinstance(size, Size)
    assert size.names == {"a", "b"}


@pytest.mark.parametrize("seed", range(20))
def test_arithmetic_is_that_of_ints(seed: int) -> None:
    """Random expressions, computed with sizes and with the values of their names."""
    generator = random.Random(seed)
    dims = {name: generator.randrange(1, 9) for name in "abc"}
    sizes: list[tuple[int | Size, int]] = [(symbol(name), dims[name]) for name in "abc"] + [(3, 3), (2, 2)]
    for _ in range(12):
        (one, left), (two, right) = generator.choices(sizes, k=2)
        name = generator.choice("+-*/><")
        if name == "/" and right <= 0:
            continue
        on_sizes, on_ints = OPERATIONS[name]
        made = (on_sizes(one, two), on_ints(left, right))
        sizes.append(made)
        assert evaluate(made[0], dims) == made[1]
        bound = lower_bound(made[0]) if isinstance(made[0], Size) else None
        assert bound is None or bound <= made[1]


def test_quotients_rounded_up() -> None:
    up = -floordiv(-A, 3)
    assert up == floordiv(A + 2, 3)
    assert [evaluate(up, {"a": value}) for value in range(7)] == [0, 1, 1, 1, 2, 2, 2]
    assert floordiv(1 - 2 * A * B, 5) == -floordiv(2 * A * B + 3, 5)
