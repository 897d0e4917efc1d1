"""Delta debugging (Zeller and Hildebrandt, 2002): the fewest items that a test still finds interesting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
# Takes lists of items to keep; returns the first that is interesting, or None.
FirstInteresting = Callable[[Iterable[list[Item]]], list[Item] | None]


def minimise(items: list[Item], first_interesting: FirstInteresting[Item]) -> list[Item]:
    """A part of `items`, in order, from which no single item can be left out.

    Leaves out everything, then halves, quarters and so on down to single items; single items are tried
    until a whole round finds none. `items` itself is taken to be interesting.
    """
    kept = list(items)
    size = len(kept)
    while kept and size:
        smaller, found = _without_chunks(kept, size, first_interesting)
        kept = smaller
        if size > 1 or not found:
            size = min(size, len(kept) + 1) // 2
    return kept


def _without_chunks(
    kept: list[Item], size: int, first_interesting: FirstInteresting[Item]
) -> tuple[list[Item], bool]:
    """`kept` without each chunk of `size` that can be left out, from the last; whether there was one."""
    end, found = len(kept), False
    while end > 0:
        starts = list(range(end - size, -size, -size))
        candidates = [kept[: max(start, 0)] + kept[start + size :] for start in starts]
        smaller = first_interesting(candidates)
        if smaller is None:
            break
        end = max(starts[candidates.index(smaller)], 0)
        kept, found = smaller, True
    return kept, found
