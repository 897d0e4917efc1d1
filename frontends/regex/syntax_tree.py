"""The syntax tree of a regular expression."""

from __future__ import annotations

from dataclasses import dataclass


class RegexError(ValueError):
    """An expression is wrong or not covered; the message says where."""


# Ranges of code points: sorted, disjoint and not adjacent.
Ranges = tuple[tuple[int, int], ...]
MAX_CODE = 0x10FFFF


@dataclass(frozen=True)
class Letters:
    """Matches one code point of `ranges`."""

    ranges: Ranges


@dataclass(frozen=True)
class Sequence:
    """Matches its items one after the other."""

    items: tuple[Regex, ...]


@dataclass(frozen=True)
class Alternation:
    """Matches one of its items."""

    items: tuple[Regex, ...]


@dataclass(frozen=True)
class Repetition:
    """Matches its item at least `least` and at most `most` times (None: without limit)."""

    item: Regex
    least: int
    most: int | None


@dataclass(frozen=True)
class Assertion:
    """Matches the empty string at a position: "begin" or "end" of the text, "line begin", "line end", "word
    boundary" or "no word boundary"."""

    position: str


Regex = Letters | Sequence | Alternation | Repetition | Assertion


def union(ranges: list[tuple[int, int]]) -> Ranges:
    """Returns the ranges sorted, with overlapping and adjacent ones merged."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], high))
        else:
            result.append((low, high))
    return tuple(result)


def negate(ranges: Ranges) -> Ranges:
    """Returns the ranges of all other code points."""
    bounds = [-1, *(bound for low, high in ranges for bound in (low - 1, high + 1)), MAX_CODE + 1]
    bounds[0] = 0
    bounds[-1] = MAX_CODE
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    return tuple((low, high) for low, high in pairs if low <= high)
