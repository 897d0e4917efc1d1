"""Blocks of a cluster, and the order in which their units run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .asynchronous import Action
from .barriers import Mbarrier, NamedBarrier
from .decode import Kernel
from .errors import Deadlock, EmulatorError
from .memory import GlobalMemory, shared_memory
from .prerequisites import Prerequisites
from .races import NO_CLOCK, Access, Agents, Cells
from .registry import BLOCKED
from .unit import Unit
from .values import Value

Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Options:
    """Options of a run.

    `seed` decides the order of things; `early` is the chance, at each step, that something asynchronous
    gets on before it is waited for. A unit of `warps_per_unit` warps runs as one: 4 is faster, 1 finds
    more, and kernels whose warps differ inside a group of 4 need 1. `races` looks for races on shared
    memory. More than `max_steps` of the scheduler are taken for a loop without end.
    """

    seed: int = 0
    early: float = 0.1
    warps_per_unit: int = 1
    races: bool = False
    max_steps: int = 2_000_000


@dataclass(frozen=True)
class Launch:
    """State that the blocks of a launch share."""

    kernel: Kernel
    arguments: Sequence[Value]
    memory: GlobalMemory
    grid: Dim3
    block: Dim3
    cluster: Dim3
    shared_bytes: int
    options: Options

    def prerequisites(self, lanes: int) -> Prerequisites:
        """Returns the prerequisites of a unit with `lanes` lanes."""
        constant = [
            self.arguments[position] for position in self.kernel.attributes.get("accel.early_reads", [])
        ]
        return Prerequisites(lanes, self.kernel.overlaps, [int(address[0]) for address in constant])


class Block:
    """One thread block: `rank` in its cluster, at `index` in the grid."""

    def __init__(self, cluster: Cluster, rank: int, index: Dim3) -> None:
        self.cluster, self.rank, self.index = cluster, rank, index
        size = cluster.launch.kernel.static_bytes + cluster.launch.shared_bytes
        self.shared = shared_memory(size, f"shared memory of block {index}")
        self.mbarriers: dict[int, Mbarrier] = {}
        self.barriers: dict[int, NamedBarrier] = {}
        self.cells: Cells | None = None
        # The last access of each agent of other blocks, and what is before the end of its units so far.
        self.reached: dict[int, Access] = {}
        self.ended = NO_CLOCK
        self.running = 0  # units

    @property
    def threads(self) -> int:
        """The number of threads of the block."""
        return int(np.prod(self.cluster.launch.block))


@dataclass
class ClusterBarrier(NamedBarrier):
    """The barrier of all threads of a cluster."""

    waiting: dict[int, int] = field(default_factory=dict)  # unit -> the generation it arrived in


class Cluster:
    """Blocks that run together. `progress` counts what could end somebody's wait."""

    def __init__(self, launch: Launch, index: Dim3, seed: str) -> None:
        self.launch = launch
        self.random = random.Random(seed)
        self.progress = 0
        self.pending: list[Action] = []  # copies that signal mbarriers
        self.barrier = ClusterBarrier()
        shape = launch.cluster
        corners = [(x, y, z) for z in range(shape[2]) for y in range(shape[1]) for x in range(shape[0])]
        self.blocks = [
            Block(self, rank, tuple(index[d] * shape[d] + corner[d] for d in range(3)))  # type: ignore[arg-type]
            for rank, corner in enumerate(corners)
        ]
        self.units = [unit for block in self.blocks for unit in self._units(block)]
        self.agents = Agents(len(self.units))
        if launch.options.races:
            for block in self.blocks:
                block.cells = Cells(len(block.shared.data), self.agents.readers)
            for unit in self.units:
                unit.clock.start(self.agents)

    def _units(self, block: Block) -> list[Unit]:
        lanes = self.launch.kernel.lanes * self.launch.options.warps_per_unit
        if block.threads % lanes:
            raise EmulatorError(f"blocks of {block.threads} threads are no whole number of {lanes}")
        first = block.rank * (block.threads // lanes)
        block.running = block.threads // lanes
        return [Unit(block, first + i, np.arange(i * lanes, (i + 1) * lanes)) for i in range(block.running)]

    def run(self) -> None:
        """Run all units to their end. Raises `EmulatorError`."""
        live = {unit: unit.run() for unit in self.units}
        blocked: dict[Unit, int] = {}
        for _ in range(self.launch.options.max_steps):
            if not live:
                self._check_barriers()
                return
            ready = [unit for unit in live if blocked.get(unit) != self.progress]
            if not ready:
                self._complete_a_copy(list(live))
                continue
            unit = self.random.choice(ready)
            try:
                if next(live[unit]) == BLOCKED:
                    blocked[unit] = self.progress
            except StopIteration:
                del live[unit]
            if self.random.random() < self.launch.options.early:
                self._get_on()
        raise Deadlock(f"no end after {self.launch.options.max_steps} steps; {_locations(list(live))}")

    def _check_barriers(self) -> None:
        """Raises `EmulatorError` for threads that arrived where the others never came."""
        for block in self.blocks:
            for position, barrier in block.barriers.items():
                if barrier.arrived:
                    raise EmulatorError(
                        f"{barrier.arrived} of {barrier.threads} threads left at barrier {position}"
                    )

    def _complete_a_copy(self, waiting: list[Unit]) -> None:
        """Advances a copy, when all warps wait."""
        self.pending = [action for action in self.pending if action.stages]
        if not self.pending:
            raise Deadlock(f"all warps wait, and nothing is in flight; {_locations(waiting)}")
        self.random.choice(self.pending).advance()

    def _get_on(self) -> None:
        """Advances an operation in flight; products and copies of a group in their order."""
        self.pending = [action for action in self.pending if action.stages]
        heads = [actions[0] for unit in self.units for actions in unit.in_flight() if actions]
        if candidates := self.pending + heads:
            self.random.choice(candidates).advance()


def _locations(units: list[Unit]) -> str:
    return "; ".join(f"{unit.name} at {unit.location()}" for unit in units)
