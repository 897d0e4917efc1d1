"""Where the buffers of a block lie in its shared memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.dialects import accel

# Where a buffer begins: a swizzled one where its pattern does.
ALIGNMENT, SWIZZLED_ALIGNMENT = 16, 1024
# An mbarrier.
BARRIER_BYTES = 8


@dataclass
class SharedMemory:
    """Bytes of buffers in shared memory, and behind them what tiles need that change their layout."""

    offsets: dict[ir.Value, int] = field(default_factory=dict)
    end: int = 0
    scratch_bytes: int = 0

    @property
    def total(self) -> int:
        return self.scratch_start + self.scratch_bytes if self.scratch_bytes else self.end

    @property
    def scratch_start(self) -> int:
        return _aligned(self.end, ALIGNMENT)

    def reserve(self, size: int) -> int:
        """Where `size` bytes lie, in front of what tiles need: before any of these is asked for."""
        start = self.scratch_start
        self.end = start + size
        return start

    def need_scratch(self, size: int) -> None:
        """Says that `size` bytes are needed at a time."""
        self.scratch_bytes = max(self.scratch_bytes, size)


def plan(launch: ir.Operation, alignment: int = ALIGNMENT) -> SharedMemory:
    """The buffers of a launch, and the barriers of its semaphores, one behind the other."""
    memory = SharedMemory()
    for each in launch.regions[0].blocks[0].operations:
        op = each.operation
        if op.name == accel.Alloc.NAME:
            kind = accel.Alloc(op).memory.type
            swizzled = accel.Alloc(op).swizzle
            start = _aligned(memory.end, SWIZZLED_ALIGNMENT if swizzled else alignment)
            _place(memory, op, start, math.prod(kind.shape) * element_bytes(kind.element_type))
        elif op.name == accel.CreateSemaphore.NAME:
            start = _aligned(memory.end, BARRIER_BYTES)
            _place(memory, op, start, accel.CreateSemaphore(op).stages * BARRIER_BYTES)
    return memory


def _place(memory: SharedMemory, op: ir.Operation, start: int, size: int) -> None:
    memory.offsets[op.results[0]] = start
    memory.end = start + size


def element_bytes(kind: ir.Type) -> int:
    """Of a number in memory; truth values take a byte."""
    return max(8, int(kind.width)) // 8


def _aligned(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
