"""The state of emission: what each value of the block's program is in the code of a thread."""

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
    """A memref: element (0, ..., 0) lies at `pointer`; strides are in elements. In a swizzled buffer, rows of
    `swizzle` bytes lie in panels, one after the other. `pointer` lies a multiple of `multiple` elements
    behind an address that 16 bytes divide."""

    pointer: ir.Value
    sizes: tuple[Integer, ...]
    strides: tuple[Integer, ...]
    element: ir.Type
    shared: bool
    swizzle: int = 0
    multiple: int = ANYTHING


@dataclass(frozen=True)
class Role:
    """Warps of a block that run code of their own; `barrier` is the number of the barrier at which they meet,
    `warp` that of the warp, which LLVM knows to be the same for all of its threads."""

    warps: int
    barrier: int
    warp: ir.Value


@dataclass(frozen=True)
class MmaInFlight:
    """A group of products whose sums, the tile of `value`, are there when it has been waited for; until then
    registers that it `reads` keep what they have."""

    value: ir.Value
    reads: tuple[ir.Value, ...] = ()


Meaning: TypeAlias = "ThreadTile | ThreadMemref | ir.Value"
Handler = Callable[["ThreadCode", ir.Operation], None]


@dataclass
class ThreadCode:
    """`warps` is how many the processor has in a block; `layouts` says how vectors are distributed;
    `handlers` how ops are emitted, by name, or by dialect as "arith.*". `tensor_maps` are parameters."""

    architecture: Architecture
    warps: int
    layouts: dict[ir.Value, Layout]
    handlers: dict[str, Handler]
    shared: SharedMemory
    values: dict[ir.Value, Meaning] = field(default_factory=dict)
    # What has begun, and must end before other code runs, or other threads see it.
    unfinished: list[Callable[[], None]] = field(default_factory=list)
    # What ends in this order, and is waited for where its tile is wanted.
    in_flight: list[MmaInFlight] = field(default_factory=list)
    # What was reduced last beside products under way: it comes before the wait for them.
    overlapped: tuple[ir.Value, ...] = ()
    tensor_maps: dict[tuple[ir.Value, TileTensorMap], ir.Value] = field(default_factory=dict)
    role: Role | None = None
    # Where a processor has shared memory of its own, by what for.
    reserved_offsets: dict[str, int] = field(default_factory=dict)
    # Whether asynchronous products or copies read what is written to shared memory.
    fences: bool = False
    _thread: ir.Value | None = None

    @property
    def threads(self) -> int:
        """Of a block."""
        return self.warps << self.architecture.lane_bits

    def emit_block(self, block: ir.Block, terminator: str = "") -> None:
        """Emits code for each op in front of the terminator, at the current insertion point."""
        for op in block.operations:
            if op.operation.name != terminator:
                self.emit(op.operation)

    def emit(self, op: ir.Operation) -> None:
        dialect = op.name.partition(".")[0]
        handler = self.handlers.get(op.name) or self.handlers.get(f"{dialect}.*")
        if handler is None:
            raise PassError(f"cannot distribute '{op.name}' to threads", op.location)
        with op.location:
            handler(self, op)

    def tile(self, value: ir.Value) -> ThreadTile:
        """Of a vector, when its registers hold it."""
        for number, each in enumerate(self.in_flight):
            if each.value == value:
                self._wait_for(number + 1)
                break
        found = self.values[value]
        assert isinstance(found, ThreadTile), "vectors become tiles"
        return found

    def memory(self, value: ir.Value) -> ThreadMemref:
        """Of a memref."""
        found = self.values[value]
        assert isinstance(found, ThreadMemref), "memrefs become memories"
        return found

    def scalar(self, value: ir.Value) -> ir.Value:
        """Of anything that all threads have."""
        found = self.values[value]
        assert isinstance(found, ir.Value), "scalars become scalars"
        return found

    def shared_pointer(self) -> ir.Value:
        """The start of the block's shared memory."""
        return llvm.AddressOfOp(ir.Type.parse("!llvm.ptr<3>"), ir.FlatSymbolRefAttr.get(SHARED_MEMORY)).result

    def start(self) -> None:
        """Reads the thread's number; at the start of the kernel, whose code it then dominates."""
        self._thread = self.architecture.thread_id()

    def thread_id(self) -> ir.Value:
        assert self._thread is not None, "start() comes first"
        return self._thread

    def barrier(self) -> None:
        """Waits for all threads that run this code."""
        self.settle()
        self.architecture.barrier(self)

    def settle(self, pending: int = 0) -> None:
        """Ends what has begun, but for the last `pending` products."""
        for finish in self.unfinished:
            finish()
        self.unfinished.clear()
        self._wait_for(max(0, len(self.in_flight) - pending))

    def _wait_for(self, count: int) -> None:
        """Waits for the first ones under way."""
        ended, self.in_flight = self.in_flight[:count], self.in_flight[count:]
        if not ended:
            return
        tiles = [self.tile(each.value) for each in ended]
        written = [register for tile in tiles for register in tile.values]
        read = [register for each in ended for register in each.reads]
        there = iter(self.architecture.wait(self, written, read))
        self.overlapped = ()
        for each, tile in zip(ended, tiles, strict=True):
            self.values[each.value] = ThreadTile(tile.layout, tuple(islice(there, len(tile.values))))

    def thread_offset(self, layout: Layout, dim: int) -> Integer:
        """The part of a coordinate that the thread's number gives: the same for all of its registers."""
        return sum_of_bits(self.thread_id(), [vector[dim] for vector in layout.threads])


def sum_of_bits(number: ir.Value, vectors: list[int]) -> Integer:
    """The sum of those of `vectors` whose bits are set in `number`, which has no more bits than they are."""
    result: Integer = 0
    bit = 0
    while bit < len(vectors):
        count = _run(vectors, bit)
        if vectors[bit]:
            part = integers.shift_right(number, bit)
            if bit + count < len(vectors):
                part = integers.mask(part, (1 << count) - 1)
            result = integers.add(result, integers.multiply(part, vectors[bit]))
        bit += count
    return result


def _run(vectors: list[int], start: int) -> int:
    """How many bits from `start` on are worth twice the one before, or nothing like the first."""
    end = start + 1
    while end < len(vectors) and vectors[end] == (vectors[start] << (end - start)):
        end += 1
    return end - start
