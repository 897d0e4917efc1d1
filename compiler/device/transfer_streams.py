"""Streams for the transfers of a GPU's program that run beside its kernels."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.compiler.host_program.step_list import COPY, Step
from mlc.runtime.cuda.plan.checks import MAX_STREAMS

# The stream of kernels, and of copies that kernels wait for anyway.
MAIN = 0


def transfer_streams(steps: Sequence[Step]) -> dict[int | None, int]:
    """The stream of each transfer by its number: the lowest that no transfer under way has. Where all streams
    are taken the last one is shared, and who waits for one of its transfers waits for all. What has no number
    is on the main stream."""
    free, found = list(range(MAX_STREAMS - 1, MAIN, -1)), dict[int | None, int]({None: MAIN})
    for step in steps:
        if step.transfer is None:
            continue
        if step.kernel == COPY:
            found[step.transfer] = free.pop() if len(free) > 1 else free[0]
        elif found[step.transfer] not in free:
            free.append(found[step.transfer])
            free.sort(reverse=True)
    return found
