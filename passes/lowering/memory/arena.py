"""Offsets in one arena for buffers with known lifetimes: the best of several strategies.

Every strategy places one buffer after the other at a gap that is free during its life; they differ in the
order and in the gap. Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference" (2020),
compare such orders; no one of them is best for all models.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

ALIGNMENT = 64


@dataclass(frozen=True)
class Lifetime:
    """A buffer of `size` bytes, live from step `first` to step `last`, both included."""

    size: int
    first: int
    last: int

    def overlaps(self, other: Lifetime) -> bool:
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class Plan:
    """Offsets (multiples of ALIGNMENT) per buffer, the arena's size in bytes, and what found them."""

    offsets: tuple[int, ...]
    size: int
    strategy: str


def aligned(size: int) -> int:
    """The size rounded up to the alignment of offsets."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def live_bytes(lifetimes: Sequence[Lifetime]) -> dict[int, int]:
    """The sum of the sizes that are live, at each step at which a life begins."""
    change: dict[int, int] = {}
    for each in lifetimes:
        change[each.first] = change.get(each.first, 0) + aligned(each.size)
        change[each.last + 1] = change.get(each.last + 1, 0) - aligned(each.size)
    live, begins = 0, {each.first for each in lifetimes}
    sums = {}
    for step in sorted(change):
        live += change[step]
        if step in begins:
            sums[step] = live
    return sums


def lower_bound(lifetimes: Sequence[Lifetime]) -> int:
    """The largest sum of sizes that are live at one step: no plan needs less."""
    return max(live_bytes(lifetimes).values(), default=0)


def _by_breadth(lifetimes: Sequence[Lifetime]) -> list[int]:
    """Buffers of the fullest step first, large ones before small ones."""
    live = live_bytes(lifetimes)
    fullest = [
        max(bytes for step, bytes in live.items() if each.first <= step <= each.last) for each in lifetimes
    ]
    return sorted(range(len(lifetimes)), key=lambda i: (-fullest[i], -lifetimes[i].size, i))


def _sorted_by(key: Callable[[Lifetime], object]) -> Callable[[Sequence[Lifetime]], list[int]]:
    return lambda lifetimes: sorted(range(len(lifetimes)), key=lambda i: (key(lifetimes[i]), i))


# In the order in which they are tried; of equally good ones the first is taken.
ORDERS: dict[str, Callable[[Sequence[Lifetime]], list[int]]] = {
    "size": _sorted_by(lambda each: -each.size),
    "breadth": _by_breadth,
    "area": _sorted_by(lambda each: -each.size * (each.last - each.first + 1)),
    "duration": _sorted_by(lambda each: (each.first - each.last, -each.size)),
    "first-use": _sorted_by(lambda each: (each.first, -each.size)),
}


def _lowest(gaps: Iterator[tuple[int, int]]) -> int:
    return next(gaps)[0]


def _tightest(gaps: Iterator[tuple[int, int]]) -> int:
    return min(gaps, key=lambda gap: (gap[1] - gap[0], gap[0]))[0]


# Which gap of those that are large enough: (begin, end) in bytes.
FITS: dict[str, Callable[[Iterator[tuple[int, int]]], int]] = {"lowest": _lowest, "tightest": _tightest}
_ENDLESS = 1 << 62


def _gaps(taken: list[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Free ranges of at least `size` bytes between sorted taken ones, and the endless one behind them."""
    offset = 0
    for begin, end in taken:
        if begin - offset >= size:
            yield offset, begin
        offset = max(offset, end)
    yield offset, _ENDLESS


def _conflicts(lifetimes: Sequence[Lifetime]) -> list[list[int]]:
    """For each buffer, those whose lives overlap its own."""
    return [
        [j for j, other in enumerate(lifetimes) if j != i and each.overlaps(other)]
        for i, each in enumerate(lifetimes)
    ]


def place(
    lifetimes: Sequence[Lifetime],
    conflicts: Sequence[Sequence[int]],
    order: Sequence[int],
    fit: Callable[[Iterator[tuple[int, int]]], int] = _lowest,
) -> tuple[list[int], int]:
    """Offsets, and the arena's size, for buffers placed in `order`."""
    offsets = [-1] * len(lifetimes)
    for index in order:
        taken = sorted(
            (offsets[other], offsets[other] + aligned(lifetimes[other].size))
            for other in conflicts[index]
            if offsets[other] >= 0
        )
        offsets[index] = fit(_gaps(taken, aligned(lifetimes[index].size)))
    ends = (offset + aligned(each.size) for offset, each in zip(offsets, lifetimes, strict=True))
    return offsets, max(ends, default=0)


# Placements that the search may try, and comparisons that it may cost.
_TRIES, _WORK = 400, 4_000_000


def _search(
    lifetimes: Sequence[Lifetime], conflicts: Sequence[Sequence[int]], order: list[int], bound: int
) -> tuple[list[int], int]:
    """Better offsets by moving a random buffer that reaches the top of the arena forward in the order; a
    step is kept unless it is worse. Seeded: equal models have equal plans."""
    generator = random.Random(0)
    best = place(lifetimes, conflicts, order)
    tries = min(_TRIES, _WORK // (1 + sum(map(len, conflicts))))
    for _ in range(tries):
        if best[1] == bound:
            break
        ends = [best[0][i] + aligned(lifetimes[i].size) for i in range(len(order))]
        index = generator.choice([i for i, end in enumerate(ends) if end == best[1]])
        changed = [each for each in order if each != index]
        changed.insert(generator.randrange(order.index(index) + 1), index)
        found = place(lifetimes, conflicts, changed)
        if found[1] <= best[1]:
            best, order = found, changed
    return best


def plan(lifetimes: Sequence[Lifetime]) -> Plan:
    """The smallest plan of all strategies; a search from the best of them where none reaches the bound."""
    bound, conflicts = lower_bound(lifetimes), _conflicts(lifetimes)
    best, best_order = Plan((), _ENDLESS, ""), list(range(len(lifetimes)))
    for name, ordered in ORDERS.items():
        for fit_name, fit in FITS.items():
            order = ordered(lifetimes)
            offsets, size = place(lifetimes, conflicts, order, fit)
            if size < best.size:
                best, best_order = Plan(tuple(offsets), size, f"{name}, {fit_name} gap"), order
            if size == bound:
                return best
    offsets, size = _search(lifetimes, conflicts, best_order, bound)
    return Plan(tuple(offsets), size, f"search from {best.strategy}") if size < best.size else best
