"""Offsets in one arena for buffers with known live ranges: the best of several strategies.

Every strategy puts one buffer after the other into a gap that is free during its live range; they differ in
the order and in the gap. Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference"
(2020), compare such orders; no one of them is best for all models.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

ALIGNMENT = 64


@dataclass(frozen=True)
class Lifetime:
    """A buffer of `size` bytes, live from step `first` to step `last`, both included."""

    size: int
    first: int
    last: int

    def overlaps(self, other: Lifetime) -> bool:
        """Whether both are live at some step."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class ArenaPlan:
    """Offsets (multiples of ALIGNMENT) per buffer, the arena's size in bytes, and the strategy's name."""

    offsets: tuple[int, ...]
    size: int
    strategy: str


def align(size: int) -> int:
    """Rounds a size up to the alignment of offsets."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def live_bytes(lifetimes: Sequence[Lifetime]) -> dict[int, int]:
    """The sum of the live sizes, at each step at which a live range begins."""
    change: dict[int, int] = {}
    for lifetime in lifetimes:
        change[lifetime.first] = change.get(lifetime.first, 0) + align(lifetime.size)
        change[lifetime.last + 1] = change.get(lifetime.last + 1, 0) - align(lifetime.size)
    live, begins = 0, {lifetime.first for lifetime in lifetimes}
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
    """Orders buffers of the fullest step first, large ones before small ones."""
    live = live_bytes(lifetimes)
    fullest = [
        max(bytes for step, bytes in live.items() if lifetime.first <= step <= lifetime.last)
        for lifetime in lifetimes
    ]
    return sorted(range(len(lifetimes)), key=lambda i: (-fullest[i], -lifetimes[i].size, i))


def _sorted_by(key: Callable[[Lifetime], object]) -> Callable[[Sequence[Lifetime]], list[int]]:
    return lambda lifetimes: sorted(range(len(lifetimes)), key=lambda i: (key(lifetimes[i]), i))


# In the order in which they are tried; of equally good ones the first is taken.
ORDERS: dict[str, Callable[[Sequence[Lifetime]], list[int]]] = {
    "size": _sorted_by(lambda buffer: -buffer.size),
    "breadth": _by_breadth,
    "area": _sorted_by(lambda buffer: -buffer.size * (buffer.last - buffer.first + 1)),
    "duration": _sorted_by(lambda buffer: (buffer.first - buffer.last, -buffer.size)),
    "first-use": _sorted_by(lambda buffer: (buffer.first, -buffer.size)),
}


def _lowest(gaps: Iterator[tuple[int, int]]) -> int:
    return next(gaps)[0]


def _tightest(gaps: Iterator[tuple[int, int]]) -> int:
    return min(gaps, key=lambda gap: (gap[1] - gap[0], gap[0]))[0]


def _highest(gaps: Iterator[tuple[int, int]], size: int, top: int) -> int | None:
    """The last offset at which `size` bytes end at `top` or before; None if no gap has it."""
    return max((min(end, top) - size for begin, end in gaps if min(end, top) - size >= begin), default=None)


# The choice among the gaps that are large enough: (begin, end) in bytes.
FITS: dict[str, Callable[[Iterator[tuple[int, int]]], int]] = {"lowest": _lowest, "tightest": _tightest}
_ENDLESS = 1 << 62


def _gaps(taken: list[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Yields free ranges of at least `size` bytes between sorted taken ones, and the endless one after
    them."""
    offset = 0
    for begin, end in taken:
        if begin - offset >= size:
            yield offset, begin
        offset = max(offset, end)
    yield offset, _ENDLESS


@dataclass(frozen=True)
class AllocationProblem:
    """Buffers to place: their sizes, rounded up, and for each those whose live ranges overlap with it."""

    sizes: list[int]
    conflicts: list[list[int]]

    @staticmethod
    def of(lifetimes: Sequence[Lifetime]) -> AllocationProblem:
        """The problem of buffers with these live ranges."""
        conflicts = [
            [j for j, other in enumerate(lifetimes) if j != i and lifetime.overlaps(other)]
            for i, lifetime in enumerate(lifetimes)
        ]
        return AllocationProblem([align(lifetime.size) for lifetime in lifetimes], conflicts)


def assign_offsets(
    problem: AllocationProblem,
    order: Sequence[int],
    fit: Callable[[Iterator[tuple[int, int]]], int] = _lowest,
    hung: Mapping[int, int] | None = None,
    limit: int = _ENDLESS,
) -> tuple[list[int], int]:
    """Returns offsets, and the arena's size, for buffers placed in `order`; those in `hung` end at the offset
    given there or as close below it as possible. Stops at the first buffer that exceeds `limit`."""
    sizes = problem.sizes
    offsets, ends = [-1] * len(sizes), [-1] * len(sizes)
    for index in order:
        taken = sorted([(offsets[i], ends[i]) for i in problem.conflicts[index] if ends[i] >= 0])
        size, top = sizes[index], (hung or {}).get(index)
        offset = None if top is None else _highest(_gaps(taken, size), size, top)
        offsets[index] = fit(_gaps(taken, size)) if offset is None else offset
        ends[index] = offsets[index] + size
        if ends[index] > limit:
            break
    return offsets, max(ends, default=0)


def stack(lifetimes: Sequence[Lifetime], offsets: Sequence[int]) -> tuple[dict[int, set[int]], set[int]]:
    """Returns, for the buffers of a plan from the lowest to the highest one, those below each: live at the
    same time, at lower offsets, and not below another one that is below it; and those that are below none."""
    below: dict[int, set[int]] = {}
    result: dict[int, set[int]] = {}
    # Empty buffers are below those that begin at the same offset.
    for index in sorted(range(len(offsets)), key=lambda i: (offsets[i], lifetimes[i].size, i)):
        lower = {other for other in below if lifetimes[other].overlaps(lifetimes[index])}
        covered = {other for middle in lower for other in below[middle]}
        result[index], below[index] = lower - covered, lower | covered
    return result, set(below).difference(*below.values())


# Placements that a search may try, and comparisons that it may take; the share of moves in the order.
_TRIES, _WORK, _MOVES = 300, 2_000_000, 0.5


def _search(problem: AllocationProblem, order: list[int], bound: int) -> tuple[list[int], int]:
    """Searches better offsets: moves a random buffer that reaches the top of the arena forward in the order,
    or toggles whether a buffer hangs from the bound; a step is kept unless it is worse. Seeded: equal models
    have equal plans."""
    generator = random.Random(0)
    best, hung = assign_offsets(problem, order), dict[int, int]()
    tries = min(_TRIES, _WORK // (1 + sum(map(len, problem.conflicts))))
    for _ in range(tries):
        if best[1] == bound:
            break
        ends = [offset + size for offset, size in zip(best[0], problem.sizes, strict=True)]
        changed, turned = list(order), dict(hung)
        if generator.random() < _MOVES:
            index = generator.choice([i for i, end in enumerate(ends) if end == best[1]])
            changed.remove(index)
            changed.insert(generator.randrange(order.index(index) + 1), index)
        else:
            index = generator.randrange(len(order))
            turned.pop(index) if index in turned else turned.update({index: bound})
        found = assign_offsets(problem, changed, hung=turned, limit=best[1])
        if found[1] <= best[1]:
            best, order, hung = found, changed, turned
    return best


def plan(lifetimes: Sequence[Lifetime]) -> ArenaPlan:
    """Returns the smallest plan of all strategies; searches from each order if none reaches the bound."""
    bound, problem = lower_bound(lifetimes), AllocationProblem.of(lifetimes)
    best = ArenaPlan((), _ENDLESS, "")
    for name, ordered in ORDERS.items():
        for fit_name, fit in FITS.items():
            order = ordered(lifetimes)
            offsets, size = assign_offsets(problem, order, fit)
            if size < best.size:
                best = ArenaPlan(tuple(offsets), size, f"{name}, {fit_name} gap")
            if size == bound:
                return best
    for name, ordered in ORDERS.items():
        offsets, size = _search(problem, ordered(lifetimes), bound)
        if size < best.size:
            best = ArenaPlan(tuple(offsets), size, f"search from {name}")
        if size == bound:
            break
    return best
