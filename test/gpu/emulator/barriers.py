"""Barriers: those of a block by index, and mbarriers in shared memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import EmulatorError
from .races import NO_CLOCK, Access, Clock

MAX_COUNT = (1 << 20) - 1


@dataclass
class Mbarrier:
    """An mbarrier of `expected` arrivals per phase (PTX ISA, "mbarrier"): a phase is complete when all have
    come and as many bytes as announced."""

    expected: int
    pending: int = 0
    bytes_due: int = 0
    phase: int = 0  # of which the parity is waited for
    arrived: Clock = NO_CLOCK
    completed: Clock = NO_CLOCK
    made: Access | None = None
    maker: int = -1  # the number of the unit that initialised it
    fenced: bool = False  # a fence has made it visible to copies and to other blocks

    def __post_init__(self) -> None:
        if not 1 <= self.expected <= MAX_COUNT:
            raise EmulatorError(f"an mbarrier cannot wait for {self.expected} arrivals")
        self.pending = self.expected

    def arrive(self, count: int, clock: Clock) -> None:
        """Raises `EmulatorError` for more arrivals than the phase waits for."""
        self.pending -= count
        if self.pending < 0:
            raise EmulatorError(f"more arrivals at an mbarrier than the {self.expected} of its phase")
        self.arrived = self.arrived.join(clock)
        self._complete()

    def expect(self, count: int) -> None:
        """`count` more bytes belong to the phase."""
        self.bytes_due += count

    def transfer(self, count: int, clock: Clock) -> None:
        """`count` bytes have come."""
        self.bytes_due -= count
        self.arrived = self.arrived.join(clock)
        if abs(self.bytes_due) > MAX_COUNT:
            raise EmulatorError("an mbarrier's count of bytes overflows: too few announced")
        self._complete()

    def has_completed(self, parity: int) -> bool:
        """Whether the phase of `parity` is not the current one: the result of try_wait.parity."""
        return self.phase % 2 != parity

    def _complete(self) -> None:
        if self.pending == 0 and self.bytes_due == 0:
            self.phase += 1
            self.pending = self.expected
            self.completed, self.arrived = self.arrived, NO_CLOCK


@dataclass
class NamedBarrier:
    """A barrier of `bar.sync`, where `threads` meet."""

    threads: int = 0
    arrived: int = 0
    generation: int = 0
    joined: Clock = NO_CLOCK
    completed: dict[int, Clock] = field(default_factory=dict)

    def arrive(self, count: int, threads: int, clock: Clock) -> int:
        """`count` threads come; returns the generation they belong to. Raises `EmulatorError`."""
        if self.arrived and threads != self.threads:
            raise EmulatorError(f"a barrier of {self.threads} threads is used with {threads}")
        generation, self.threads = self.generation, threads
        self.arrived += count
        self.joined = self.joined.join(clock)
        if self.arrived > threads:
            raise EmulatorError(f"{self.arrived} threads at a barrier of {threads}")
        if self.arrived == threads:
            self.completed[generation] = self.joined
            self.arrived, self.generation, self.joined = 0, generation + 1, NO_CLOCK
        return generation
