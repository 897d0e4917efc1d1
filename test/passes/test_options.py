"""Typed options: text to values and back."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from mlc.passes.base import OptionError, Pass, option
from mlc.passes.options import split_options


@dataclass(frozen=True)
class Example(Pass):
    """An example."""

    name = "example"

    max_iterations: int = option(8, help="rounds")
    scale: float = option(0.5, help="a factor")
    fast: bool = option(False, help="a switch")
    text: str = option("", help="any text")
    sizes: tuple[int, ...] = option((), help="tile sizes")
    names: tuple[str, ...] = option((), help="names", choices=("a", "b"))


def test_defaults_round_trip() -> None:
    assert str(Example()) == "example{max-iterations=8 scale=0.5 fast=false text={} sizes= names=}"
    assert Example.from_text("") == Example()


@pytest.mark.parametrize(
    "value",
    [
        Example(max_iterations=-3, scale=1e-5, fast=True, text="two words", sizes=(4, 8), names=("b", "a")),
        Example(text="key=value {nested} (x)"),
        Example(text="builtin.module(cse{a=1})"),
    ],
)
def test_values_round_trip(value: Example) -> None:
    inside = str(value).removeprefix("example{").removesuffix("}")
    assert Example.from_text(inside) == value


def test_switch_without_value_is_true() -> None:
    assert Example.from_text("fast scale=2").fast


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "iterations=3",
            "no option 'iterations'; valid options: max-iterations, scale, fast, text, sizes, names",
        ),
        ("max-iterations=many", "option 'max-iterations' is of type int, but the value is 'many'"),
        ("max-iterations", "option 'max-iterations' needs a value"),
        ("fast=maybe", "option 'fast' is of type bool"),
        ("scale=nan", "option 'scale' is of type float, but the value is 'nan'"),
        ("sizes=4,x", "option 'sizes' is of type list of int"),
        ("names=a,c", "option 'names' must be one of a, b, but the value is 'c'"),
        ("text={open", "unbalanced '{'"),
        ("=3", "an option has no name"),
    ],
)
def test_errors_say_what_is_valid(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message.replace("(", r"\(").replace("{", r"\{")):
        Example.from_text(text)


def test_quotes_and_brackets_hold_spaces() -> None:
    text = "a=\"x y\" b='p q' c={r{s t} u} d=[1, 2] e"
    assert dict(split_options(text)) == {"a": "x y", "b": "p q", "c": "r{s t} u", "d": "[1, 2]", "e": None}
