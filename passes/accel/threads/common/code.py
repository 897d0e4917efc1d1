"""Emission of a thread's code in the LLVM dialect from the program of its thread block: the lowered form of
each value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from mlc.bindings import ir, llvm
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.axis_info import ANYTHING
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.common.shared_memory import SharedMemory
from mlc.passes.accel.common.tensor_maps import TileTensorMap
from mlc.passes.base import PassError

if TYPE_CHECKING:
    from mlc.passes.accel.threads.common.architecture import Architecture

SHARED_MEMORY = "shared_memory"


@dataclass(frozen=True)
class ThreadTile:
    """A thread's part of a vector: the value of each register."""

    layout: Layout
    values: tuple[ir.Value, ...]


@dataclass(frozen=True)
class ThreadMemref:
    """A memref: element (0, ..., 0) is at `pointer`; strides are in elements. A swizzled buffer consists of
    contiguous panels with rows of `swizzle` bytes. `pointer` is a multiple of `multiple` elements after an
    address that is aligned to 16 bytes."""

    pointer: ir.Value
    sizes: tuple[Integer, ...]
    strides: tuple[Integer, ...]
    element: ir.Type
    shared: bool
    swizzle: int = 0
    multiple: int = ANYTHING


@dataclass(frozen=True)
class Role:
    """Warps of a thread block that run specialised code; `barrier` is the id of the barrier that synchronises
    them, `warp` the warp's index, which LLVM knows to be uniform."""

    warps: int
    barrier: int
    warp: ir.Value


@dataclass(frozen=True)
class MmaInFlight:
    """A group of asynchronous mma: the tile of `value`, their result, is valid after a wait; until then the
    registers that they read, `reads`, must not change."""

    value: ir.Value
    reads: tuple[ir.Value, ...] = ()


Lowered: TypeAlias = "ThreadTile | ThreadMemref | ir.Value"
Handler = Callable[["ThreadCode", ir.Operation], None]


@dataclass
class ThreadCode:
    """The code of a thread. `warps` are the hardware's per thread block; `layouts` distribute vectors;
    `handlers` emit ops, by name, or by dialect as "arith.*". `tensor_maps` are parameters of the kernel."""

    architecture: Architecture
    warps: int
    layouts: dict[ir.Value, Layout]
    handlers: dict[str, Handler]
    shared: SharedMemory
    values: dict[ir.Value, Lowered] = field(default_factory=dict)
    # Callbacks that finish asynchronous work; run before control flow and barriers.
    unfinished: list[Callable[[], None]] = field(default_factory=list)
    # In the order in which they complete; awaited where their tile is used.
    in_flight: list[MmaInFlight] = field(default_factory=list)
    # Results of the latest reduction that overlaps mma in flight: the wait for those comes after it.
    overlapped: tuple[ir.Value, ...] = ()
    tensor_maps: dict[tuple[ir.Value, TileTensorMap], ir.Value] = field(default_factory=dict)
    role: Role | None = None
    # Offsets in shared memory of what a processor has reserved, by its purpose.
    reserved_offsets: dict[str, int] = field(default_factory=dict)
    # Whether asynchronous mma or copies read what threads write to shared memory.
    fences: bool = False
    _thread: ir.Value | None = None

    @property
    def threads(self) -> int:
        """Threads per thread block."""
        return self.warps << self.architecture.lane_bits

    def emit_block(self, block: ir.Block, terminator: str = "") -> None:
        """Emits code for each op before the terminator, at the current insertion point."""
        for op in block.operations:
            if op.operation.name != terminator:
                self.emit(op.operation)

    def emit(self, op: ir.Operation) -> None:
        """Emits code for `op`. Raises PassError if no handler is registered for it."""
        dialect = op.name.partition(".")[0]
        handler = self.handlers.get(op.name) or self.handlers.get(f"{dialect}.*")
        if handler is None:
            raise PassError(f"cannot distribute '{op.name}' to threads", op.location)
        with op.location:
            handler(self, op)

    def tile(self, value: ir.Value) -> ThreadTile:
        """Returns the tile of a vector, after a wait if it is in flight."""
        for index, mma in enumerate(self.in_flight):
            if mma.value == value:
                self._wait_for(index + 1)
                break
        found = self.values[value]
        assert isinstance(found, ThreadTile), "vectors become tiles"
        return found

    def memory(self, value: ir.Value) -> ThreadMemref:
        """Returns the lowered form of a memref."""
        found = self.values[value]
        assert isinstance(found, ThreadMemref), "memrefs become memories"
        return found

    def scalar(self, value: ir.Value) -> ir.Value:
        """Returns the value in the thread's code of a scalar of the thread block's program."""
        found = self.values[value]
        assert isinstance(found, ir.Value), "scalars become scalars"
        return found

    def shared_pointer(self) -> ir.Value:
        """Returns the start of the thread block's shared memory."""
        return llvm.AddressOfOp(ir.Type.parse("!llvm.ptr<3>"), ir.FlatSymbolRefAttr.get(SHARED_MEMORY)).result

    def start(self) -> None:
        """Reads the thread's index at the start of the kernel, whose code it then dominates."""
        self._thread = self.architecture.thread_id()

    def thread_id(self) -> ir.Value:
        """The thread's index in its thread block."""
        assert self._thread is not None, "start() comes first"
        return self._thread

    def barrier(self) -> None:
        """Waits for all threads that run this code."""
        self.wait_all()
        self.architecture.barrier(self)

    def wait_all(self, pending: int = 0) -> None:
        """Finishes all asynchronous work but the last `pending` mma."""
        for finish in self.unfinished:
            finish()
        self.unfinished.clear()
        self._wait_for(max(0, len(self.in_flight) - pending))

    def _wait_for(self, count: int) -> None:
        """Waits for the first `count` mma in flight."""
        ended, self.in_flight = self.in_flight[:count], self.in_flight[count:]
        if not ended:
            return
        tiles = [self.tile(mma.value) for mma in ended]
        written = [register for tile in tiles for register in tile.values]
        read = [register for mma in ended for register in mma.reads]
        results = iter(self.architecture.wait(self, written, read))
        self.overlapped = ()
        for mma, tile in zip(ended, tiles, strict=True):
            self.values[mma.value] = ThreadTile(tile.layout, tuple(islice(results, len(tile.values))))

    def thread_offset(self, layout: Layout, dim: int) -> Integer:
        """Returns the part of an index along `dim` that depends on the thread only, not on the register."""
        return weighted_bit_sum(self.thread_id(), [vector[dim] for vector in layout.threads])


def weighted_bit_sum(index: ir.Value, weights: list[int]) -> Integer:
    """Returns the sum of the `weights` of the bits that are set in `index`, which has no more bits."""
    result: Integer = 0
    bit = 0
    while bit < len(weights):
        count = _run(weights, bit)
        if weights[bit]:
            part = integers.shift_right(index, bit)
            if bit + count < len(weights):
                part = integers.mask(part, (1 << count) - 1)
            result = integers.add(result, integers.multiply(part, weights[bit]))
        bit += count
    return result


def _run(weights: list[int], start: int) -> int:
    """Returns the number of bits from `start` on with weights that double, or that are all 0."""
    end = start + 1
    while end < len(weights) and weights[end] == (weights[start] << (end - start)):
        end += 1
    return end - start
