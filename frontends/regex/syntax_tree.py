"""What a regular expression is made of."""

from __future__ import annotations

from dataclasses import dataclass


class RegexError(ValueError):
    """An expression that is wrong or not covered; the text says where."""


# Ranges of code points, sorted, apart from each other.
Ranges = tuple[tuple[int, int], ...]
MAX_CODE = 0x10FFFF


@dataclass(frozen=True)
class Letters:
    """One of these code points."""

    ranges: Ranges


@dataclass(frozen=True)
class Sequence:
    """One after the other."""

    items: tuple[Regex, ...]


@dataclass(frozen=True)
class Choice:
    """One of several."""

    items: tuple[Regex, ...]


@dataclass(frozen=True)
class Repeated:
    """At least `least` times, at most `most` times (None: any number)."""

    item: Regex
    least: int
    most: int | None


@dataclass(frozen=True)
class Place:
    """A place between code points: "begin" and "end" of the text, "line begin", "line end", "word boundary",
    "no word boundary"."""

    kind: str


Regex = Letters | Sequence | Choice | Repeated | Place


def union(ranges: list[tuple[int, int]]) -> Ranges:
    """Ranges in order, joined where they touch."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], high))
        else:
            result.append((low, high))
    return tuple(result)


def negated(ranges: Ranges) -> Ranges:
    """All other code points."""
    bounds = [-1, *(bound for low, high in ranges for bound in (low - 1, high + 1)), MAX_CODE + 1]
    bounds[0] = 0
    bounds[-1] = MAX_CODE
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    return tuple((low, high) for low, high in pairs if low <= high)
