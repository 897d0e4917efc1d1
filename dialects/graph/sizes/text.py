"""Sizes from their text, as in "2*batch*seq + floordiv(rows, 4) - 1": what `str` of a size gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mlc.dialects.graph.sizes import Size, operation, symbol

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<name>[A-Za-z_][\w.#:/\[\]]*)|'(?P<quoted>(?:[^']|'')*)'|(?P<mark>[-+*(),]))"
)


class SizeTextError(ValueError):
    """A text that is no size."""


@lru_cache(maxsize=4096)
def parse_size(text: str) -> int | Size:
    """The size that a text says. Raises SizeTextError."""
    tokens = [*_tokens(text), ("end", "")]
    reader = _Reader(tokens, text)
    size = reader.sum()
    reader.expect("end")
    return size


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place, text = 0, text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise SizeTextError(f"'{text}' is no size: '{text[place:]}' is neither a name nor a number")
        kind = found.lastgroup or ""
        value = found.group(kind)
        if kind == "mark":
            kind = value
        yield ("name", value.replace("''", "'")) if kind == "quoted" else (kind, value)
        place = found.end()


class _Reader:
    """Recursive descent; `at` is the token that comes next."""

    def __init__(self, tokens: list[tuple[str, str]], text: str) -> None:
        self.tokens, self.text, self.at = tokens, text, 0

    def sum(self) -> int | Size:
        total = self.product()
        while self.kind in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            total = total + self.product() * sign
        return total

    def product(self) -> int | Size:
        sign = 1
        while self.kind == "-":
            self.take()
            sign = -sign
        total = self.factor() * sign
        while self.kind == "*":
            self.take()
            total = total * self.factor()
        return total

    def factor(self) -> int | Size:
        if self.kind == "number":
            return int(self.take())
        name = self.expect("name")
        if self.kind != "(":
            return symbol(name)
        self.take()
        left = self.sum()
        self.expect(",")
        right = self.sum()
        self.expect(")")
        try:
            return operation(name, left, right)
        except (KeyError, ValueError, ZeroDivisionError):
            raise SizeTextError(f"'{self.text}' is no size: '{name}' of these is none") from None

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][1]

    def expect(self, kind: str) -> str:
        if self.kind != kind:
            found = self.tokens[self.at][1] or "the end"
            wanted = {"end": "its end", "name": "a name or number"}.get(kind, f"'{kind}'")
            raise SizeTextError(f"'{self.text}' is no size: '{found}' instead of {wanted}")
        return self.take()
