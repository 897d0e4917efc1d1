"""A unit of execution: one warp, or a few that run in step."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from .asynchronous import Action, Groups
from .clocks import UnitClock
from .decode import Op
from .errors import EmulatorError
from .interpreter import run_region
from .memory import CLUSTER, GENERIC_SHARED, SHARED, Bytes
from .values import LANES, Value, spread

if TYPE_CHECKING:
    from .machine import Block

GENERIC, GLOBAL, SHARED_SPACE, CLUSTER_SPACE = 0, 1, 3, 7


class Unit:
    """Threads `threads` of `block`; `mask` says which of them are active."""

    def __init__(self, block: Block, index: int, threads: np.ndarray) -> None:
        self.block, self.cluster, self.index, self.threads = block, block.cluster, index, threads
        self.launch = block.cluster.launch
        self.mask = np.ones(len(threads), np.bool_)
        self.env: list[Value] = [None] * self.launch.kernel.slots
        self.op: Op | None = None
        self.products, self.copies, self.bulk_stores = Groups(), Groups(), Groups()
        self.product_fence = False  # whether wgmma.fence stands before the next product
        self.clock = UnitClock(self)
        self.prerequisites = self.launch.prerequisites(len(threads))

    @property
    def lanes(self) -> int:
        """The number of threads of the unit."""
        return len(self.threads)

    @property
    def name(self) -> str:
        """For messages."""
        first, last = self.threads[0] // LANES, self.threads[-1] // LANES
        return f"block {self.block.index} warp {first}" + (f"-{last}" if last > first else "")

    def location(self) -> str:
        """The op that is being executed, for messages."""
        return f"{self.op.name} ({self.op.location})" if self.op else "its begin"

    def run(self) -> Generator[str, None, None]:
        """Execute the kernel. Raises `EmulatorError` that names op, block and warps."""
        kernel = self.launch.kernel
        for slot, value in zip(kernel.blocks[0].arguments, self.launch.arguments, strict=True):
            self.env[slot] = value
        try:
            yield from run_region(self, kernel.blocks)
            self._end()
        except EmulatorError as error:
            error.args = (f"{self.name}, {self.location()}: {error}",)
            raise

    def _end(self) -> None:
        """Raises for operations that are still in flight when the last thread of a block ends."""
        self.block.running -= 1
        self.clock.end()
        if not self.prerequisites.over.all():
            raise EmulatorError("threads end that have not waited for the kernels before this one")
        if any(len(action.stages) > 1 for action in self.bulk_stores.in_flight()):
            raise EmulatorError("ends before its bulk stores have read shared memory")
        for actions in self.in_flight():
            for action in actions:
                action.finish()
        late = [action for action in self.cluster.pending if action.stages]
        if not self.block.running and late and len(self.cluster.blocks) == 1:
            raise EmulatorError("the block ends before copies into its shared memory are complete")

    def in_flight(self) -> list[list[Action]]:
        """Unfinished asynchronous operations by unit, oldest first."""
        return [groups.in_flight() for groups in (self.products, self.copies, self.bulk_stores)]

    def fail(self, message: str) -> NoReturn:
        """Raises `EmulatorError`."""
        raise EmulatorError(message)

    def active(self, value: np.ndarray) -> np.ndarray:
        """`value` in the active lanes."""
        return spread(value, self.lanes)[self.mask]

    def uniform(self, value: np.ndarray) -> int:
        """The integer that all active lanes have. Raises `EmulatorError` where they differ."""
        values = self.active(value)
        if (values != values[0]).any():
            self.fail(f"lanes differ in what must be the same for all: {values[:4]}...")
        return int(values[0])

    def warps(self) -> np.ndarray:
        """The mask as [warps, lanes]."""
        return self.mask.reshape(-1, LANES)

    def require_whole_warps(self) -> None:
        """Raises `EmulatorError` where some lanes of a warp are active and some not."""
        warps = self.warps()
        if (warps.any(1) != warps.all(1)).any():
            self.fail("needs all lanes of a warp, but they have diverged")

    def load(self, space: int, addresses: np.ndarray, size: int, alignment: int) -> np.ndarray:
        """Bytes [lanes, size] at `addresses`; garbage in inactive lanes. Raises `MemoryFault`."""
        result = np.full((self.lanes, size), 0xFF, np.uint8)
        lanes = np.nonzero(self.mask)[0]
        for positions, memory, block, where in self.resolve(space, self.active(addresses)):
            offsets = memory.offsets(where, size, alignment)
            if block is not None:
                self.clock.read(block, offsets)
            else:
                self.prerequisites.require(lanes[positions], memory.base)
            result[lanes[positions]] = memory.data[offsets]
        return result

    def store(self, space: int, addresses: np.ndarray, data: np.ndarray, alignment: int) -> None:
        """Store bytes `data` [lanes, size] of the active lanes at `addresses`. Raises `MemoryFault`."""
        data, lanes = self.active(data), np.nonzero(self.mask)[0]
        for positions, memory, block, where in self.resolve(space, self.active(addresses)):
            offsets = memory.offsets(where, data.shape[1], alignment)
            if block is not None:
                self.clock.write(block, offsets)
            else:
                self.prerequisites.require(lanes[positions])
            memory.data[offsets] = data[positions]

    def resolve(
        self, space: int, addresses: np.ndarray
    ) -> list[tuple[np.ndarray, Bytes, Block | None, np.ndarray]]:
        """Returns, by memory, positions in `addresses`, the memory, its block if shared, and the addresses in
        it."""
        if len(addresses) == 0:
            return []
        shared = addresses >= GENERIC_SHARED if space == GENERIC else np.full(len(addresses), False)
        if space in (SHARED_SPACE, CLUSTER_SPACE):
            shared[:] = True
        parts: list[tuple[np.ndarray, Bytes, Block | None, np.ndarray]] = []
        if not shared.all():
            rest = np.nonzero(~shared)[0]
            windows = self.launch.memory.windows(addresses[rest])
            parts += [(rest[at], memory, None, addresses[rest[at]]) for at, memory in windows]
        if shared.any():
            at = np.nonzero(shared)[0]
            inside = addresses[at] % np.uint64(GENERIC_SHARED)
            for tag in np.unique(inside // np.uint64(CLUSTER)):
                own = inside // np.uint64(CLUSTER) == tag
                block = self.block_of(int(tag) * CLUSTER)
                parts.append((at[own], block.shared, block, inside[own] % np.uint64(CLUSTER)))
        return parts

    def block_of(self, address: int) -> Block:
        """The block of the cluster whose shared memory an address is in."""
        tag = address // CLUSTER
        if tag > len(self.cluster.blocks):
            self.fail(f"no block {tag - 1} in the cluster (address {address:#x})")
        return self.cluster.blocks[tag - 1] if tag else self.block

    def shared_offset(self, address: int) -> tuple[Block, int]:
        """The block and the offset in its shared memory of a shared or cluster address."""
        inside = address % GENERIC_SHARED
        return self.block_of(inside), inside % CLUSTER - SHARED
