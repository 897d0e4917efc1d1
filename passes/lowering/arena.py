"""Static memory planning: offsets in one arena for buffers with known lifetimes."""

from __future__ import annotations

from collections.abc import Sequence
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


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def lower_bound(lifetimes: Sequence[Lifetime]) -> int:
    """The largest sum of sizes that are live at one step: no plan needs less."""
    steps = {lifetime.first for lifetime in lifetimes}
    return max(
        (sum(aligned(each.size) for each in lifetimes if each.first <= step <= each.last) for step in steps),
        default=0,
    )


def plan(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """Offsets (multiples of ALIGNMENT) per buffer, and the arena's size in bytes.

    Largest first, each at the lowest offset that is free during its life (Pisarchyk and Lee, "Efficient
    Memory Management for Deep Neural Net Inference", 2020).
    """
    offsets = [0] * len(lifetimes)
    placed: list[int] = []
    for index in sorted(range(len(lifetimes)), key=lambda each: (-lifetimes[each].size, each)):
        taken = sorted(
            (offsets[other], offsets[other] + aligned(lifetimes[other].size))
            for other in placed
            if lifetimes[index].overlaps(lifetimes[other])
        )
        offsets[index] = _first_gap(taken, aligned(lifetimes[index].size))
        placed.append(index)
    total = max((offsets[each] + aligned(lifetimes[each].size) for each in placed), default=0)
    return offsets, total


def _first_gap(taken: list[tuple[int, int]], size: int) -> int:
    offset = 0
    for begin, end in taken:
        if begin - offset >= size:
            break
        offset = max(offset, end)
    return offset
