"""Races on shared memory: accesses that no chain of barriers orders, found by vector clocks.

Agents are the units of execution, for each of them its products, its copies and its bulk stores, and for each
mbarrier the copies that are reported to it: those of one agent are complete in the order in which they
began. A cell of 4 bytes knows its last write and each agent's last read. Every clock comes in two: what is
ordered before, and what is also visible to the asynchronous proxy (a proxy fence makes the first the
second): TMA and wgmma must not read what an ordinary store wrote without a fence. Lanes of one unit are not
told apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .errors import RaceFound

CELL = 4
# For how many mbarriers of a cluster clocks have room.
MBARRIERS = 128


@dataclass(frozen=True)
class Clock:
    """Per agent, the time up to which its deeds are `ordered` before, and `visible` to the async proxy."""

    ordered: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    visible: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def __bool__(self) -> bool:
        """Whether races are looked for at all."""
        return len(self.ordered) > 0

    def join(self, other: Clock) -> Clock:
        """After both."""
        if not self or not other:
            return self or other
        return Clock(np.maximum(self.ordered, other.ordered), np.maximum(self.visible, other.visible))

    def after_fence(self) -> Clock:
        """After a proxy fence."""
        return Clock(self.ordered, self.ordered)


NO_CLOCK = Clock()


@dataclass(frozen=True)
class Access:
    """An access: index of its agent, its time, what is ordered before it, and its name in messages."""

    agent: int
    time: int
    clock: Clock
    asynchronous: bool  # by the async proxy
    name: str


class Agents:
    """Indices and clocks of the agents of a cluster with `units` units: these, what they start, then
    mbarriers, whose copies read no shared memory."""

    def __init__(self, units: int) -> None:
        self.readers = 4 * units
        self.count = self.readers + MBARRIERS
        agents_of = ("unit", "products", "copies", "stores")
        self.indices = {(agent, i): k * units + i for k, agent in enumerate(agents_of) for i in range(units)}
        self.times = [0] * self.count

    def next_time(self, agent: tuple[str, int]) -> tuple[int, int]:
        """Returns the index of an agent, and the time of its next access."""
        index = self.indices.setdefault(agent, len(self.indices))
        self.times[index] += 1
        return index, self.times[index]


class Cells:
    """The accesses to one block's shared memory of `size` bytes, by agents; the first `readers` of them
    read too."""

    def __init__(self, size: int, readers: int) -> None:
        count = -(-size // CELL)
        self.writer = np.zeros(count, np.int64)
        self.write_time = np.zeros(count, np.int64)
        self.synchronous = np.zeros(count, np.bool_)  # written by a store of a thread
        self.read_time = np.zeros((count, readers), np.int32)
        self.names: dict[int, str] = {}

    def read(self, offsets: np.ndarray, by: Access) -> None:
        """Raises `RaceFound`."""
        cells = offsets.reshape(-1) // CELL
        self._after_write(cells, by, "reads")
        self.read_time[cells, by.agent] = by.time
        self.names[by.agent] = by.name

    def write(self, offsets: np.ndarray, by: Access) -> None:
        """Raises `RaceFound`."""
        cells = offsets.reshape(-1) // CELL
        self._after_write(cells, by, "writes")
        late = self.read_time[cells] > by.clock.ordered[: self.read_time.shape[1]]
        late[:, by.agent : by.agent + 1] = False
        if late.any():
            cell, reader = np.argwhere(late)[0]
            self._fail(by, "writes", cells[cell], f"{self.names[reader]} read")
        self.writer[cells], self.write_time[cells] = by.agent, by.time
        self.synchronous[cells] = not by.asynchronous
        self.names[by.agent] = by.name

    def _after_write(self, cells: np.ndarray, by: Access, verb: str) -> None:
        writer, time = self.writer[cells], self.write_time[cells]
        late = (time > by.clock.ordered[writer]) & (writer != by.agent)
        if late.any():
            cell = np.nonzero(late)[0][0]
            self._fail(by, verb, cells[cell], f"{self.names[writer[cell]]} wrote")
        unseen = (time > by.clock.visible[writer]) & self.synchronous[cells]
        if by.asynchronous and verb == "reads" and unseen.any():
            cell = np.nonzero(unseen)[0][0]
            other = f"{self.names[writer[cell]]} wrote without a proxy fence in between"
            raise RaceFound(f"{by.name} reads byte {cells[cell] * CELL} of shared memory, which {other}")

    def _fail(self, by: Access, verb: str, cell: int, other: str) -> None:
        raise RaceFound(f"{by.name} {verb} byte {cell * CELL} of shared memory, which {other}, in no order")
