"""The clock of a unit, by which races are found; without the option `races` it does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .asynchronous import Action
from .errors import RaceFound
from .races import NO_CLOCK, Access, Agents, Clock

if TYPE_CHECKING:
    from .machine import Block
    from .unit import Unit


class UnitClock:
    """The accesses that are ordered before the next one of `unit`."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.now = NO_CLOCK

    def start(self, agents: Agents) -> None:
        """Begin to count."""
        ordered = np.zeros(agents.count, np.int64)
        ordered[self.unit.index] = 1
        self.now = Clock(ordered, np.zeros(agents.count, np.int64))

    def release(self) -> Clock:
        """Returns the clock of those that wait for what the unit does now."""
        before = self.now
        self._tick()
        return before

    def acquire(self, clock: Clock) -> None:
        """The unit has waited for `clock`."""
        self.now = self.now.join(clock)

    def acquire_all(self, actions: list[Action]) -> None:
        """The unit has waited for `actions`."""
        for action in actions:
            self.acquire(action.clock)

    def fence(self) -> None:
        """A proxy fence: what is before is visible to the asynchronous proxy."""
        self.now = self.now.after_fence()
        self._tick()

    def start_copy(self) -> Access:
        """The access of a copy of threads (cp.async) that starts now; it is no deed of the async proxy."""
        return self._start(("copies", self.unit.index), asynchronous=False)

    def start_async(self, category: str) -> Access:
        """The access of an operation that starts now, of the "products" or "stores" of the unit."""
        return self._start((category, self.unit.index), asynchronous=True)

    def start_load(self, block: Block, mbarrier: int) -> Access:
        """The access of a copy into `block` that is reported to its mbarrier at an offset."""
        return self._start((f"mbarrier of block {block.rank}", mbarrier), asynchronous=True)

    def _start(self, agent: tuple[str, int], asynchronous: bool) -> Access:
        if not self.now:
            return Access(0, 0, NO_CLOCK, asynchronous, "")
        index, time = self.unit.cluster.agents.next_time(agent)
        ordered, visible = self.now.ordered.copy(), self.now.visible.copy()
        ordered[index] = time
        if asynchronous:
            visible[index] = time
        return Access(index, time, Clock(ordered, visible), asynchronous, self._name())

    def read(self, block: Block, offsets: np.ndarray, by: Access | None = None) -> None:
        """Note a read of shared memory, by the unit itself or by what it started. Raises `RaceFound`."""
        if block.cells is not None:
            self.reach(block, by)
            block.cells.read(offsets, by or self._access())

    def write(self, block: Block, offsets: np.ndarray, by: Access | None = None) -> None:
        """Note a write of shared memory. Raises `RaceFound`."""
        if block.cells is not None:
            self.reach(block, by)
            block.cells.write(offsets, by or self._access())

    def reach(self, block: Block, by: Access | None = None) -> None:
        """Note an access to the shared memory of another block, which must not end before. Raises
        `RaceFound` if it has."""
        if not self.now or block is self.unit.block:
            return
        by = by or self._access()
        if not block.running:
            raise RaceFound(f"{by.name} reaches {block.shared.name}, and nothing keeps the block from ending")
        block.reached[by.agent] = by

    def end(self) -> None:
        """The unit ends, and its block if it is the last one. Raises `RaceFound` if others may still reach
        the block's shared memory."""
        block = self.unit.block
        block.ended = block.ended.join(self.now)
        for access in [] if block.running else block.reached.values():
            if block.ended.ordered[access.agent] < access.time:
                raise RaceFound(f"the block ends, and nothing keeps it until {access.name} has reached it")

    def access(self) -> Access | None:
        """The unit's access to something that is no memory."""
        return self._access() if self.now else None

    def require_after(self, other: Access | None, what: str) -> None:
        """Raises `RaceFound` unless the unit has waited for `other`."""
        ordered = self.now.ordered
        if other is None or other.agent == self.unit.index:
            return
        if ordered[other.agent] < other.time:
            raise RaceFound(f"{self._name()} uses {what}, which {other.name} made, in no order")

    def _access(self) -> Access:
        index = self.unit.index
        return Access(index, int(self.now.ordered[index]), self.now, False, self._name())

    def _name(self) -> str:
        return f"{self.unit.name} ({self.unit.op.name if self.unit.op else ''})"

    def _tick(self) -> None:
        if self.now:
            ordered = self.now.ordered.copy()
            ordered[self.unit.index] += 1
            self.now = Clock(ordered, self.now.visible)
