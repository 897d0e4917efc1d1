"""C = A B^T (or A B) for Hopper: blocks that stay, one warp that loads, two warpgroups that multiply.

A is [m, k], B [n, k] or [k, n], C [m, n], of 16 bits each. A loading warp fills a ring of `stages` buffers by
tensor copies; each of the two warpgroups multiplies 64 rows by all columns of the tile, stages its result in
shared memory and lets TMA store it, while the next tile's products begin. In a cluster, blocks
below one another each load a part of B for all.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu_kernels import hopper
from gpu_kernels.builder import (
    TENSOR_MAP,
    Int32,
    at,
    either,
    kernel,
    loop,
    shared_base,
    special,
    uniform,
    when,
)
from mlc.bindings import arith, ir, llvm, nvvm

ROWS, DEPTH, CHUNK = 128, 64, 64
CHUNK_BYTES = CHUNK * hopper.ROW_BYTES


@dataclass(frozen=True)
class Gemm:
    """The kernel's configuration. `right_rows`: B is [k, n]. `group`: rows of tiles that are walked
    together."""

    columns: int = 256
    stages: int = 4
    element_type: str = "bf16"
    right_rows: bool = False
    relu: bool = False
    cluster: int = 1
    group: int = 8

    @property
    def left_bytes(self) -> int:
        """Bytes of a buffer for A."""
        return ROWS * hopper.ROW_BYTES

    @property
    def right_bytes(self) -> int:
        """Bytes of a buffer for B."""
        return self.columns * hopper.ROW_BYTES

    @property
    def staging(self) -> int:
        """Offset of the staged results in shared memory, two chunks per warpgroup."""
        return self.stages * (self.left_bytes + self.right_bytes)

    @property
    def shared_bytes(self) -> int:
        """Dynamic shared memory."""
        return self.staging + 4 * CHUNK_BYTES + 16 * self.stages

    @property
    def right_box(self) -> tuple[int, int]:
        """The box of B's tensor map; those of A and C are (64, 128) and (64, 64)."""
        return (CHUNK, DEPTH) if self.right_rows else (DEPTH, self.columns // self.cluster)


def build_gemm(config: Gemm) -> ir.Module:
    """A module with the kernel: tensor maps of A, B and C, then m, n and k. Blocks have 384 threads."""
    dims = f", nvvm.cluster_dim = array<i32: {config.cluster}, 1, 1>" if config.cluster > 1 else ""
    parameters = [TENSOR_MAP] * 3 + ["i32"] * 3
    with kernel("gemm", parameters, 3 * hopper.WARPGROUP, dims) as (module, arguments):
        _Builder(config, *arguments).build()
    return module


class _Builder:
    """The parts of the kernel, and the values they share."""

    def __init__(
        self, config: Gemm, a: ir.Value, b: ir.Value, c: ir.Value, m: Int32, n: Int32, k: Int32
    ) -> None:
        self.config, self.maps = config, (a, b, c)
        self.shared = shared_base()
        self.full = at(self.shared, config.staging + 4 * CHUNK_BYTES)
        self.empty = at(self.full, 8 * config.stages)
        self.thread = special(nvvm.ThreadIdXOp)
        self.warp = uniform(self.thread >> 5)
        self.steps = k.round_up(DEPTH)
        self.rows_of_tiles = (
            m.round_up(ROWS).round_up(config.cluster) if config.cluster > 1 else m.round_up(ROWS)
        )
        self.columns_of_tiles = n.round_up(config.columns)
        self.tiles = self.rows_of_tiles * self.columns_of_tiles

    def left_address(self, stage: Int32) -> ir.Value:
        return at(self.shared, stage * self.config.left_bytes)

    def right_address(self, stage: Int32) -> ir.Value:
        return at(
            at(self.shared, self.config.stages * self.config.left_bytes), stage * self.config.right_bytes
        )

    def full_barrier(self, stage: Int32) -> ir.Value:
        return at(self.full, stage << 3)

    def empty_barrier(self, stage: Int32) -> ir.Value:
        return at(self.empty, stage << 3)

    def build(self) -> None:
        config = self.config
        with when(self.thread.equals(0)):
            self.init_barriers()
        if config.cluster > 1:
            hopper.cluster_barrier()
        else:
            hopper.barrier()
        self.rank = special(nvvm.ClusterId) if config.cluster > 1 else Int32.of(0)
        self.first = special(nvvm.BlockIdXOp) // config.cluster
        self.stride = special(nvvm.GridDimXOp) // config.cluster
        either((self.warp >> 2).equals(0), self.producer, self.consumer)
        if config.cluster > 1:
            hopper.cluster_barrier()  # a block must not end while others may arrive at its barriers

    def init_barriers(self) -> None:
        for tensor_map in self.maps:
            nvvm.prefetch(tensor_map, tensormap=True)
        for stage in range(self.config.stages):
            hopper.init_mbarrier(at(self.full, 8 * stage), 1)
            hopper.init_mbarrier(at(self.empty, 8 * stage), 8 * self.config.cluster)
        nvvm.fence_mbarrier_init()

    def corner(self, tile: Int32) -> tuple[Int32, Int32]:
        """Row and column of a tile: `group` rows of tiles are walked column by column."""
        config = self.config
        many = self.columns_of_tiles * config.group
        first = tile // many * config.group
        height = (self.rows_of_tiles - first).minimum(config.group)
        row = first + tile % many % height
        row = row * config.cluster + self.rank if config.cluster > 1 else row
        return row * ROWS, tile % many // height * config.columns

    def producer(self) -> None:
        nvvm.setmaxregister(40, nvvm.SetMaxRegisterAction.decrease)
        with when(self.warp.equals(0)), when(nvvm.elect_sync()):
            loop(self.first, self.tiles, self.stride, [0, 0], self.load_tile)

    def load_tile(self, tile: Int32, stage: Int32, parity: Int32) -> list[Int32]:
        row, column = self.corner(tile)

        def step(i: Int32, stage: Int32, parity: Int32) -> tuple[Int32, Int32]:
            hopper.wait_mbarrier(self.empty_barrier(stage), parity ^ 1)
            hopper.arrive_expecting(
                self.full_barrier(stage), self.config.left_bytes + self.config.right_bytes
            )
            hopper.load_tensor(
                self.left_address(stage), self.maps[0], [i << 6, row], self.full_barrier(stage)
            )
            self.load_right(i << 6, column, stage)
            return hopper.next_stage(stage, parity, self.config.stages)

        return loop(0, self.steps, 1, [stage, parity], step)

    def load_right(self, depth: Int32, column: Int32, stage: Int32) -> None:
        config, target, signal = self.config, self.right_address(stage), self.full_barrier(stage)
        if config.right_rows:
            for chunk in range(config.columns // CHUNK):
                offset = at(target, chunk * CHUNK_BYTES)
                hopper.load_tensor(offset, self.maps[1], [column + CHUNK * chunk, depth], signal)
        elif config.cluster > 1:
            part = config.columns // config.cluster
            offset = at(target, self.rank * (part * hopper.ROW_BYTES))
            corner = [depth, column + self.rank * part]
            hopper.load_tensor(offset, self.maps[1], corner, signal, (1 << config.cluster) - 1)
        else:
            hopper.load_tensor(target, self.maps[1], [depth, column], signal)

    def consumer(self) -> None:
        nvvm.setmaxregister(232, nvvm.SetMaxRegisterAction.increase)
        self.group = (self.warp >> 2) - 1
        self.lane = self.thread & 31
        self.leads = (self.thread & 127).equals(0)
        self.chunks = at(at(self.shared, self.config.staging), self.group * (2 * CHUNK_BYTES))
        self.offsets = hopper.fragment_offsets(self.lane, self.warp & 3)
        loop(self.first, self.tiles, self.stride, [0, 0], self.multiply_tile)
        with when(self.leads):
            nvvm.cp_async_bulk_wait_group(0)

    def multiply_tile(self, tile: Int32, stage: Int32, parity: Int32) -> list[Int32]:
        row, column = self.corner(tile)
        hopper.wait_mbarrier(self.full_barrier(stage), parity)
        undefined = llvm.UndefOp(hopper.accumulators(self.config.columns // 2)).result
        sums = self.multiply(undefined, stage, first=True)

        def step(i: Int32, sums: ir.Value, stage: Int32, parity: Int32, old: Int32) -> list:
            hopper.wait_mbarrier(self.full_barrier(stage), parity)
            sums = self.multiply(sums, stage, first=False)
            nvvm.wgmma_wait_group_sync_aligned(1)
            self.release(old)
            return [sums, *hopper.next_stage(stage, parity, self.config.stages), stage]

        following = hopper.next_stage(stage, parity, self.config.stages)
        sums, stage, parity, old = loop(1, self.steps, 1, [sums, *following, stage], step)
        values = hopper.wait_products(0, hopper.unpack(sums, self.config.columns // 2))
        self.release(old)
        self.store(values, row, column)
        return [stage, parity]

    def multiply(self, sums: ir.Value, stage: Int32, first: bool) -> ir.Value:
        """One step's products: 64 rows, all columns."""
        config = self.config
        left = hopper.descriptor(
            at(self.left_address(stage), self.group * CHUNK_BYTES), 16, hopper.ATOM_BYTES
        )
        leading = CHUNK_BYTES if config.right_rows else 16
        right = hopper.descriptor(self.right_address(stage), leading, hopper.ATOM_BYTES)
        along = 2 * hopper.ATOM_BYTES if config.right_rows else 32
        nvvm.wgmma_fence_aligned()
        for part in range(4):
            operands = hopper.advance(left, 32 * part), hopper.advance(right, along * part)
            zero = first and part == 0
            sums = hopper.multiply(
                sums, *operands, config.columns, config.element_type, right_rows=config.right_rows, zero=zero
            )
        nvvm.wgmma_commit_group_sync_aligned()
        return sums

    def release(self, stage: Int32) -> None:
        """The warp does not need a buffer any more; the producers of all blocks that fill it hear of it."""
        if self.config.cluster == 1:
            with when(self.lane.equals(0)):
                hopper.arrive(self.empty_barrier(stage))
        else:
            with when(self.lane.compare("ult", self.config.cluster)):
                hopper.arrive_at_block(self.empty_barrier(stage), self.lane)

    def store(self, values: list[ir.Value], row: Int32, column: Int32) -> None:
        count, index = self.config.columns // CHUNK, self.group + 1
        for chunk in range(count):
            buffer = at(self.chunks, chunk % 2 * CHUNK_BYTES)
            with when(self.leads):
                # With an odd number of chunks two that follow one another, of two tiles, share a buffer.
                nvvm.cp_async_bulk_wait_group(0 if chunk == 0 and count % 2 else 1, read=True)
            hopper.barrier(index, hopper.WARPGROUP)
            held = [self.epilogue(value) for value in values[32 * chunk : 32 * chunk + 32]]
            hopper.store_fragments(buffer, self.offsets, held, self.config.element_type)
            hopper.fence_async_proxy()
            hopper.barrier(index, hopper.WARPGROUP)
            with when(self.leads):
                hopper.store_tensor(self.maps[2], buffer, [column + CHUNK * chunk, row + (self.group << 6)])
                nvvm.cp_async_bulk_commit_group()

    def epilogue(self, value: ir.Value) -> ir.Value:
        if not self.config.relu:
            return value
        zero = arith.ConstantOp(ir.F32Type.get(), ir.FloatAttr.get(ir.F32Type.get(), 0.0)).result
        return arith.MaxNumFOp(value, zero).result
