"""The interface between the common code of a thread and a processor; each vendor has a folder.

Everything else is the same for all processors: ops of `arith`, `math`, `scf` and `llvm`. Pointers to global
memory have address space 1, those to shared memory 3.
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

# Threads per warp in the dialect, whatever the processor has.
WARP = 32


class MmaLowering(Protocol):
    """The lowering of an `accel.mma` to instructions of the matrix unit."""

    def accumulator_layout(self, warps: int, *, whole_rows: bool) -> Layout:
        """Returns the layout of the accumulator. Raises PassError if `warps` warps cannot share it. With
        `whole_rows` each warp has all columns of its rows, if there are enough rows."""

    def left_layout(self, accumulator: Layout) -> Layout:
        """Returns the layout of a left operand in registers, given the accumulator's."""

    def emit(self, start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
        """Returns `start` plus the product, both in the layout of the accumulator."""


class Architecture(ABC):
    """A processor: `handlers` emit the ops that have no common lowering; methods emit parts of the others.

    A warp, whose threads execute together, has 2 to the power of `lane_bits` lanes. A thread block has at
    most `shared_limit` bytes of shared memory; buffers are aligned to `alignment` bytes, swizzled ones to
    more. `has_tma`: it has a Tensor Memory Accelerator, which takes tensor maps. `clusters`: thread blocks of
    a cluster can access each other's shared memory.
    """

    lane_bits: ClassVar[int]
    shared_limit: ClassVar[int]
    clusters: ClassVar[bool] = False
    alignment: ClassVar[int] = ALIGNMENT
    has_tma: ClassVar[bool] = False
    handlers: ClassVar[Mapping[str, Handler]]

    def warps(self, launched: int) -> int:
        """Hardware warps per thread block, at least one; `launched` warps of 32 threads are in the launch."""
        return max(1, launched * WARP >> self.lane_bits)

    def prepare(self, code: ThreadCode, launch: ir.Operation) -> None:  # noqa: B027 (most have nothing to prepare)
        """Records in `code` the properties of the whole launch that its parts depend on."""

    @abstractmethod
    def kernel_attributes(self, threads: int, cluster: Sequence[int]) -> str:
        """Attributes of a kernel with `threads` threads per block; `cluster` are blocks per cluster."""

    @abstractmethod
    def thread_id(self) -> ir.Value:
        """The thread's index in its thread block, i32."""

    @abstractmethod
    def block_id(self, dim: int) -> ir.Value:
        """The thread block's index along a dim of the grid, i32."""

    @abstractmethod
    def barrier(self, code: ThreadCode) -> None:
        """Synchronises the threads that run this code, and makes their writes to shared memory visible."""

    @abstractmethod
    def shuffle_xor(self, code: ThreadCode, word: ir.Value, distance: int) -> ir.Value:
        """The 32 bits `word` of the lane whose id is this lane's xor `distance`, a power of two."""

    @abstractmethod
    def mma_lowering(self, op: ir.Operation) -> MmaLowering | None:
        """The lowering of an `accel.mma` to the matrix unit; None if it cannot compute it."""

    def wait(self, code: ThreadCode, written: Sequence[ir.Value], read: Sequence[ir.Value]) -> list[ir.Value]:
        """Waits until only the mma groups of `code.in_flight` are in flight. Returns the registers that the
        others have written; `read` are their operands. Only for processors with asynchronous mma."""
        raise NotImplementedError("the mma of this processor are synchronous")

    def load_operand(
        self, code: ThreadCode, layout: Layout, memory: ThreadMemref, base: Sequence[int]
    ) -> ThreadTile:
        """Loads a tile of an mma's operand, at `base` in `memory` and within its bounds."""
        return load_tile(code, layout, memory, base, None, ANYTHING)

    def store_shared(
        self, code: ThreadCode, tile: ThreadTile, memory: ThreadMemref, base: Sequence[Integer], multiple: int
    ) -> None:
        """Stores a tile to shared memory at `base`, within its bounds; `multiple` divides the last index of
        `base`."""
        store_tile(code, tile, memory, base, False, multiple)
