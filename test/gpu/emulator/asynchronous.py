"""Asynchronous copies and matrix products in flight, in groups that are committed and awaited."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .errors import EmulatorError
from .races import NO_CLOCK, Clock


class Action:
    """Done in stages, each at a time that nobody knows; `clock` is what those who waited for it come
    after."""

    def __init__(self, *stages: Callable[[], None], clock: Clock = NO_CLOCK) -> None:
        self.stages = deque(stages)
        self.clock = clock

    def advance(self) -> None:
        """Do the next stage."""
        self.stages.popleft()()

    def finish(self, left: int = 0) -> None:
        """Do all stages but the last `left`."""
        while len(self.stages) > left:
            self.advance()


@dataclass
class _Queue:
    """The committed groups of the lanes in `mask`, oldest first."""

    mask: np.ndarray
    groups: deque[list[Action]] = field(default_factory=deque)


class Groups:
    """Commit groups of one operation and unit, kept per set of lanes that committed together."""

    def __init__(self) -> None:
        self.open: list[tuple[np.ndarray, Action]] = []
        self.queues: dict[bytes, _Queue] = {}

    def add(self, mask: np.ndarray, action: Action) -> None:
        """`action` belongs to the next group that the lanes of `mask` commit."""
        self.open.append((mask, action))

    def commit(self, mask: np.ndarray) -> None:
        """Raises `EmulatorError` for lanes that start and commit copies in sets that cross."""
        mine = [action for lanes, action in self.open if not (lanes & ~mask).any()]
        self.open = [(lanes, action) for lanes, action in self.open if (lanes & ~mask).any()]
        if any((lanes & mask).any() for lanes, _ in self.open):
            raise EmulatorError("lanes that started an asynchronous operation together commit it apart")
        self.queues.setdefault(mask.tobytes(), _Queue(mask)).groups.append(mine)

    def wait(self, mask: np.ndarray, allowed: int, left: int = 0) -> list[Action]:
        """Finish all groups but the last `allowed`, up to their last `left` stages; those that had to
        finish."""
        finished = []
        for queue in self.queues.values():
            if not (queue.mask & mask).any():
                continue
            if (queue.mask & ~mask).any():
                raise EmulatorError("lanes that committed a group together wait for it apart")
            for group in list(queue.groups)[: len(queue.groups) - allowed]:
                for action in group:
                    action.finish(left)
                finished += group
            if not left:
                while len(queue.groups) > allowed:
                    queue.groups.popleft()
        return finished

    def in_flight(self) -> list[Action]:
        """Actions that are not finished, oldest first."""
        committed = [a for queue in self.queues.values() for group in queue.groups for a in group]
        return [action for action in committed + [action for _, action in self.open] if action.stages]
