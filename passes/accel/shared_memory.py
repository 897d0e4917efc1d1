"""Where the buffers of a block lie in its shared memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mlc.bindings import ir

# Where a buffer begins: a swizzled one where its pattern does.
ALIGNMENT, SWIZZLED_ALIGNMENT = 16, 1024


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

    def need_scratch(self, size: int) -> None:
        """Says that `size` bytes are needed at a time."""
        self.scratch_bytes = max(self.scratch_bytes, size)


def plan(launch: ir.Operation) -> SharedMemory:
    """The buffers of a launch, one behind the other."""
    memory = SharedMemory()
    for op in launch.regions[0].blocks[0].operations:
        if op.operation.name == "accel.alloc":
            (buffer,) = op.operation.results
            swizzled = op.operation.attributes["swizzle"].value
            start = _aligned(memory.end, SWIZZLED_ALIGNMENT if swizzled else ALIGNMENT)
            memory.offsets[buffer] = start
            memory.end = start + math.prod(buffer.type.shape) * element_bytes(buffer.type.element_type)
    return memory


def element_bytes(kind: ir.Type) -> int:
    """Of a number in memory; truth values take a byte."""
    return max(8, int(kind.width)) // 8


def _aligned(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
