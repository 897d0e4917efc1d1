"""The parser of sizes, as in "2*batch*seq + floordiv(rows, 4) - 1", the text that `str` of a size gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mlc.dialects.graph.sizes import Size, operation, symbol

_TOKEN = re.compile(
    r"\s*(?:(?P<integer>\d+)|(?P<name>[A-Za-z_][\w.#:/\[\]]*)|'(?P<quoted>(?:[^']|'')*)'|(?P<mark>[-+*(),]))"
)


class SizeTextError(ValueError):
    """A text that is no size."""


@lru_cache(maxsize=4096)
def parse_size(text: str) -> int | Size:
    """Parses a size. Raises SizeTextError."""
    tokens = [*_tokens(text), ("end", "")]
    reader = _Reader(tokens, text)
    size = reader.sum()
    reader.expect("end")
    return size


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position, text = 0, text.rstrip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise SizeTextError(f"'{text}' is no size: '{text[position:]}' is neither a name nor an integer")
        group = found.lastgroup or ""
        value = found.group(group)
        if group == "quoted":
            yield "name", value.replace("''", "'")
        else:
            yield value if group == "mark" else group, value
        position = found.end()


class _Reader:
    """A recursive-descent parser; `at` is the position of the next token, whose type is `next`."""

    def __init__(self, tokens: list[tuple[str, str]], text: str) -> None:
        self.tokens, self.text, self.at = tokens, text, 0

    def sum(self) -> int | Size:
        """Parses a sum of products."""
        total = self.product()
        while self.next in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            total = total + self.product() * sign
        return total

    def product(self) -> int | Size:
        """Parses a product of factors, with leading minus signs."""
        sign = 1
        while self.next == "-":
            self.take()
            sign = -sign
        total = self.factor() * sign
        while self.next == "*":
            self.take()
            total = total * self.factor()
        return total

    def factor(self) -> int | Size:
        """Parses an integer, a name or a function of two sums."""
        if self.next == "integer":
            return int(self.take())
        name = self.expect("name")
        if self.next != "(":
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
    def next(self) -> str:
        """The type of the next token: "integer", "name", "end", or a mark itself."""

        return self.tokens[self.at][0]

    def take(self) -> str:
        """Returns the text of the next token, and moves on."""
        self.at += 1
        return self.tokens[self.at - 1][1]

    def expect(self, token: str) -> str:
        """Returns the text of the next token, which must be of this type. Raises SizeTextError."""
        if self.next != token:
            found = self.tokens[self.at][1] or "the end"
            wanted = {"end": "its end", "name": "a name or integer"}.get(token, f"'{token}'")
            raise SizeTextError(f"'{self.text}' is no size: '{found}' instead of {wanted}")
        return self.take()
