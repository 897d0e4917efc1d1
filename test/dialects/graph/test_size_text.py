"""Sizes as text, and back."""

from __future__ import annotations

import pytest

from mlc.dialects.graph.sizes import broadcast, floordiv, maximum, substitute, symbol
from mlc.dialects.graph.sizes.text import SizeTextError, parse_size

A, B, ODD = symbol("a"), symbol("b"), symbol("past seq + 'x'")


@pytest.mark.parametrize(
    "size",
    [
        A * B * 2 - 3,
        -A + 1,
        floordiv(A * A + 1, B),
        maximum(floordiv(A - 5, 2) + 1, 0) * B,
        broadcast(A, B) * 7,
        ODD * 2 + A,
        symbol("nonzero#3.shape[0]") * symbol("read#1[0]"),
    ],
)
def test_what_a_size_prints_is_what_it_parses_from(size: object) -> None:
    assert parse_size(str(size)) == size


def test_integers_and_spaces() -> None:
    assert parse_size(" 2*3 - 1 ") == 5
    assert parse_size("-2*a") == A * -2


WRONG = ["", "a b", "2*", "floordiv(a)", "root(a, b)", "a %", "floordiv(a, 0)", "(a)"]


@pytest.mark.parametrize("text", WRONG)
def test_errors_quote_the_text(text: str) -> None:
    with pytest.raises(SizeTextError, match="is no size"):
        parse_size(text)


def test_names_are_substituted_inside_of_functions() -> None:
    size = floordiv(A * 4 + 2, B) + A
    assert substitute(size, {"a": 3, "b": 2}) == 10
    assert substitute(size, {"a": B}) == floordiv(B * 4 + 2, B) + B
