"""Offsets of the buffers of a thread block in its shared memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.dialects import accel

# Bytes to which buffers are aligned; the pattern of a swizzle depends on address bits, up to the larger one.
ALIGNMENT, SWIZZLED_ALIGNMENT = 16, 1024
# Bytes of an mbarrier.
BARRIER_BYTES = 8


@dataclass
class SharedMemory:
    """Offsets of buffers in shared memory in bytes; after them is scratch memory for tiles that change
    layouts."""

    offsets: dict[ir.Value, int] = field(default_factory=dict)
    end: int = 0
    scratch_bytes: int = 0

    @property
    def total(self) -> int:
        """Bytes of shared memory."""
        return self.scratch_start + self.scratch_bytes if self.scratch_bytes else self.end

    @property
    def scratch_start(self) -> int:
        """The offset of the scratch memory in bytes."""
        return _align(self.end, ALIGNMENT)

    def reserve(self, size: int) -> int:
        """Returns the offset of `size` further bytes before the scratch memory, which may not be in use
        yet."""
        start = self.scratch_start
        self.end = start + size
        return start

    def need_scratch(self, size: int) -> None:
        """Requires scratch memory of at least `size` bytes."""
        self.scratch_bytes = max(self.scratch_bytes, size)


def plan(launch: ir.Operation, alignment: int = ALIGNMENT) -> SharedMemory:
    """Assigns consecutive offsets to the buffers of a launch and the barriers of its semaphores."""
    memory = SharedMemory()
    for op in accel.Launch(launch).entry_block.operations:
        if (alloc := accel.Alloc.match(op)) is not None:
            buffer = alloc.memory.type
            start = _align(memory.end, SWIZZLED_ALIGNMENT if alloc.swizzle else alignment)
            size = math.prod(buffer.shape) * element_bytes(buffer.element_type)
            _allocate(memory, alloc.memory, start, size)
        elif (semaphore := accel.CreateSemaphore.match(op)) is not None:
            start = _align(memory.end, BARRIER_BYTES)
            _allocate(memory, semaphore.semaphore, start, semaphore.stages * BARRIER_BYTES)
    return memory


def _allocate(memory: SharedMemory, buffer: ir.Value, start: int, size: int) -> None:
    memory.offsets[buffer] = start
    memory.end = start + size


def element_bytes(element_type: ir.Type) -> int:
    """Returns the size of an element in memory; a boolean takes a byte."""
    return max(8, int(element_type.width)) // 8


def _align(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
