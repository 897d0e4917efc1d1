"""Offsets for sizes that are known only when the program runs.

A plan for representative sizes says which buffer lies above which others. That order stays sound for every
size: a buffer begins where the highest of those below it ends, so its offset is a maximum of sums of sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.passes.lowering.memory.arena import Lifetime, Plan, aligned


@dataclass(frozen=True)
class Stacking:
    """`below[i]`: the buffers on which buffer i stands. `order`: lower buffers first."""

    below: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    def plan(self, sizes: Sequence[int]) -> Plan:
        """Offsets for these sizes in bytes, in the interface of `arena.plan`."""
        offsets = [0] * len(sizes)
        for index in self.order:
            tops = (offsets[other] + aligned(sizes[other]) for other in self.below[index])
            offsets[index] = max(tops, default=0)
        ends = (offset + aligned(size) for offset, size in zip(offsets, sizes, strict=True))
        return Plan(tuple(offsets), max(ends, default=0), "stacking")


def stack(lifetimes: Sequence[Lifetime], plan: Plan) -> Stacking:
    """How the buffers of a plan stand on each other."""

    def is_below(other: int, index: int) -> bool:
        if not lifetimes[other].overlaps(lifetimes[index]):
            return False
        return (plan.offsets[other], other) < (plan.offsets[index], index)

    indices = range(len(lifetimes))
    below = tuple(tuple(other for other in indices if is_below(other, index)) for index in indices)
    return Stacking(below, tuple(sorted(indices, key=lambda index: (plan.offsets[index], index))))
