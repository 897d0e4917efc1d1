"""What a processor has of its own in the code of a thread: an interface, of which each vendor has a folder.

All that is not asked for here is the same everywhere: ops of `arith`, `math`, `scf` and `llvm`, where
pointers to global memory have address space 1, and those to shared memory 3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from mlc.bindings import ir
from mlc.passes.accel.common.axis_info import ANYTHING
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.common.shared_memory import ALIGNMENT
from mlc.passes.accel.threads.common.addresses import load_tile, store_tile
from mlc.passes.accel.threads.common.code import Handler, ThreadCode, ThreadMemref, ThreadTile
from mlc.passes.accel.threads.common.operands import MmaOperand

# The threads of a warp as the dialect counts them.
WARP = 32


class MmaLowering(Protocol):
    """How tensor units compute an `accel.mma`."""

    def accumulator_layout(self, warps: int, *, whole_rows: bool) -> Layout:
        """The layout of the sums. Raises PassError if `warps` warps cannot share them. With `whole_rows`
        each of them has all columns of its rows, if there are rows enough."""

    def left_layout(self, sums: Layout) -> Layout:
        """The layout of a left operand in registers, for sums of that layout."""

    def emit(self, start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
        """The product added to `start`, both in the layout of the sums."""


class Architecture(ABC):
    """A processor: how ops are emitted for which there is no common way, in `handlers`, and parts of others.

    A warp, whose threads go through the code together, has 2 to the power of `lane_bits` lanes. A block has
    `shared_limit` bytes of shared memory at most; buffers begin at multiples of `alignment` bytes, or of more
    where they are swizzled. `copies_tiles` says that it has a copy engine, which takes tensor maps;
    `clusters`, that blocks of a cluster reach each other's shared memory.
    """

    lane_bits: ClassVar[int]
    shared_limit: ClassVar[int]
    clusters: ClassVar[bool] = False
    alignment: ClassVar[int] = ALIGNMENT
    has_tma: ClassVar[bool] = False
    handlers: ClassVar[Mapping[str, Handler]]

    def warps(self, launched: int) -> int:
        """How many warps a block has whose launch says `launched` warps of 32 threads: at least one."""
        return max(1, launched * WARP >> self.lane_bits)

    def prepare(self, code: ThreadCode, launch: ir.Operation) -> None:  # noqa: B027 (most have nothing to prepare)
        """Notes in `code` what of the whole launch its parts must know."""

    @abstractmethod
    def kernel_attributes(self, threads: int, cluster: Sequence[int]) -> str:
        """Of a kernel whose blocks have this many threads, and clusters so many blocks along each dim."""

    @abstractmethod
    def thread_id(self) -> ir.Value:
        """The thread's number in its block, i32."""

    @abstractmethod
    def block_id(self, dim: int) -> ir.Value:
        """The block's number along a dim of the grid, i32."""

    @abstractmethod
    def barrier(self, code: ThreadCode) -> None:
        """The threads that run this code meet, and see what others wrote to shared memory before."""

    @abstractmethod
    def shuffle_xor(self, code: ThreadCode, word: ir.Value, distance: int) -> ir.Value:
        """The 32 bits `word` of the lane whose number differs in the one bit that is set in `distance`."""

    @abstractmethod
    def mma_lowering(self, op: ir.Operation) -> MmaLowering | None:
        """How tensor units compute an `accel.mma`; None if they cannot."""

    def wait(self, code: ThreadCode, written: Sequence[ir.Value], read: Sequence[ir.Value]) -> list[ir.Value]:
        """Waits until no other groups of products than those of the code are under way. Those that end then
        write registers, which are returned, and read others. Asked for where products leave such groups."""
        raise NotImplementedError("products of this processor end at once")

    def load_operand(
        self, code: ThreadCode, layout: Layout, memory: ThreadMemref, base: Sequence[int]
    ) -> ThreadTile:
        """A tile of a product's operand, which begins at `base` in `memory` and lies inside of it."""
        return load_tile(code, layout, memory, base, None, ANYTHING)

    def store_shared(
        self, code: ThreadCode, tile: ThreadTile, memory: ThreadMemref, base: Sequence[Integer], multiple: int
    ) -> None:
        """Writes a tile to shared memory, in which it begins at `base` and lies inside; `multiple` divides
        the last number of `base`."""
        store_tile(code, tile, memory, base, False, multiple)
