"""The clock of a unit, by which races are found; without the option `races` it does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .asynchronous import Action
from .errors import RaceFound
from .races import NO_CLOCK, Access, Clock

if TYPE_CHECKING:
    from .machine import Block
    from .unit import Unit


class UnitClock:
    """What is ordered before the next deed of `unit`; agent n + u is what unit u of n does asynchronously."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.now = NO_CLOCK
        self.async_agent = 0
        self.async_time = 0

    def start(self, units: int) -> None:
        """Begin to count, among `units` units."""
        ordered = np.zeros(2 * units, np.int64)
        ordered[self.unit.number] = 1
        self.now = Clock(ordered, np.zeros(2 * units, np.int64))
        self.async_agent = units + self.unit.number

    def release(self) -> Clock:
        """What those come after who wait for what the unit does now."""
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
        self.now = self.now.fenced()
        self._tick()

    def start_async(self, ordinary: bool = False) -> Access | None:
        """The access of an asynchronous operation that starts now; `ordinary` if not by the async proxy."""
        if not self.now:
            return None
        self.async_time += 1
        ordered, visible = self.now.ordered.copy(), self.now.visible.copy()
        ordered[self.async_agent] = visible[self.async_agent] = self.async_time
        clock = Clock(ordered, visible)
        return Access(self.async_agent, self.async_time, clock, not ordinary, self._name())

    def read(self, block: Block, offsets: np.ndarray, by: Access | None = None) -> None:
        """Note a read of shared memory, by the unit itself or by what it started. Raises `RaceFound`."""
        if block.cells is not None:
            block.cells.read(offsets, by or self._access())

    def write(self, block: Block, offsets: np.ndarray, by: Access | None = None) -> None:
        """Note a write of shared memory. Raises `RaceFound`."""
        if block.cells is not None:
            block.cells.write(offsets, by or self._access())

    def access(self) -> Access | None:
        """The unit's access to something that is no memory."""
        return self._access() if self.now else None

    def require_after(self, other: Access | None, what: str) -> None:
        """Raises `RaceFound` unless the unit has waited for `other`."""
        ordered = self.now.ordered
        if other is None or other.agent == self.unit.number:
            return
        if ordered[other.agent] < other.time:
            raise RaceFound(f"{self._name()} uses {what}, which {other.name} made, in no order")

    def _access(self) -> Access:
        number = self.unit.number
        return Access(number, int(self.now.ordered[number]), self.now, False, self._name())

    def _name(self) -> str:
        return f"{self.unit.name} ({self.unit.op.name if self.unit.op else ''})"

    def _tick(self) -> None:
        if self.now:
            ordered = self.now.ordered.copy()
            ordered[self.unit.number] += 1
            self.now = Clock(ordered, self.now.visible)
