"""C = A B for Ampere and later: cp.async into a ring of buffers, ldmatrix, mma.sync.

A is [m, k], B [k, n], of 16 bits each, C [m, n] f32; all sides are multiples of the tiles'. Four warps
compute a tile, a quarter each. In shared memory the 16-byte chunks of a row are permuted by the row, so
that the eight rows that ldmatrix reads together are in different banks.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu_kernels.builder import Int32, at, f32, kernel, loop, pointer, shared_base, special, when
from gpu_kernels.hopper import attribute, barrier
from mlc.bindings import ir, llvm, nvvm

THREADS, DEPTH, CHUNK = 128, 32, 8
CHUNK_BYTES = 16


@dataclass(frozen=True)
class MmaSync:
    """The kernel's configuration: sides of the tile, multiples of 32 and 64, buffers of the ring."""

    rows: int = 128
    columns: int = 128
    stages: int = 4
    element_type: str = "bf16"

    @property
    def left_bytes(self) -> int:
        """Bytes of a buffer for A."""
        return self.rows * DEPTH * 2

    @property
    def right_bytes(self) -> int:
        """Bytes of a buffer for B."""
        return self.columns * DEPTH * 2

    @property
    def shared_bytes(self) -> int:
        """Dynamic shared memory."""
        return self.stages * (self.left_bytes + self.right_bytes)


def build_mma_sync(config: MmaSync) -> ir.Module:
    """A module with the kernel: A, B, C, n, k. The grid is (n / columns, m / rows)."""
    with kernel("mma_sync", ["!llvm.ptr"] * 3 + ["i32"] * 2, THREADS) as (module, arguments):
        _Builder(config, *arguments).build()
    return module


class _Builder:
    """The parts of the kernel, and the values they share."""

    def __init__(
        self, config: MmaSync, a: ir.Value, b: ir.Value, c: ir.Value, columns: Int32, depth: Int32
    ) -> None:
        self.config, self.a, self.b, self.c, self.n, self.k = config, a, b, c, columns, depth
        self.shared = shared_base()
        self.thread = special(nvvm.ThreadIdXOp)
        self.lane, warp = self.thread & 31, self.thread >> 5
        self.row = special(nvvm.BlockIdYOp) * config.rows
        self.column = special(nvvm.BlockIdXOp) * config.columns
        self.warp_row = (warp >> 1) * (config.rows // 2)
        self.warp_column = (warp & 1) * (config.columns // 2)
        self.steps = depth // DEPTH

    def left_address(self, stage: Int32, row: Int32, chunk: Int32) -> ir.Value:
        """The address of a chunk of A, of which a row has four."""
        start = stage * self.config.left_bytes
        return at(self.shared, start + row * (2 * DEPTH) + ((chunk ^ ((row >> 1) & 3)) << 4))

    def right_address(self, stage: Int32, row: Int32, chunk: Int32) -> ir.Value:
        """The address of a chunk of B."""
        start = stage * self.config.right_bytes + self.config.stages * self.config.left_bytes
        return at(self.shared, start + row * (2 * self.config.columns) + ((chunk ^ (row & 7)) << 4))

    def build(self) -> None:
        config = self.config
        for stage in range(config.stages - 1):
            self.load(Int32.of(stage), Int32.of(stage))
        tiles = (config.rows // 2 // 16) * (config.columns // 2 // 8)
        sums = loop(0, self.steps, 1, [f32(0.0)] * (4 * tiles), self.step)
        self.store(sums)

    def load(self, stage: Int32, step: Int32) -> None:
        """Start the copies of a step's tiles, if there is one, and commit a group in any case."""
        with when(step.compare("ult", self.steps)):
            depth = step * DEPTH
            for row, chunk in self.my_chunks(self.config.rows, DEPTH):
                source = (self.row + row) * self.k + depth + chunk * CHUNK
                _copy(self.left_address(stage, row, chunk), at(self.a, source << 1))
            for row, chunk in self.my_chunks(DEPTH, self.config.columns):
                source = (depth + row) * self.n + self.column + chunk * CHUNK
                _copy(self.right_address(stage, row, chunk), at(self.b, source << 1))
        nvvm.cp_async_commit_group()

    def my_chunks(self, rows: int, columns: int) -> list[tuple[Int32, Int32]]:
        """Rows and chunks of a tile that the thread copies."""
        per_row = columns // CHUNK
        chunks = [self.thread + THREADS * i for i in range(rows * per_row // THREADS)]
        return [(chunk // per_row, chunk % per_row) for chunk in chunks]

    def step(self, i: Int32, *sums: ir.Value) -> list[ir.Value]:
        stages = self.config.stages
        nvvm.cp_async_wait_group(stages - 2)
        barrier()
        self.load((i + (stages - 1)) % stages, i + (stages - 1))
        result = list(sums)
        for part in range(DEPTH // 16):
            lefts = [self.left_fragment(i % stages, row, part) for row in range(self.config.rows // 32)]
            pairs = range(self.config.columns // 32)
            rights = [half for pair in pairs for half in self.right_pair(i % stages, pair, part)]
            for index in range(len(lefts) * len(rights)):
                left, right = lefts[index // len(rights)], rights[index % len(rights)]
                mine = slice(4 * index, 4 * index + 4)
                result[mine] = self.multiply(left, right, result[mine])
        return result

    def left_fragment(self, stage: Int32, tile: int, part: int) -> list[ir.Value]:
        row = self.warp_row + (self.lane & 15) + 16 * tile
        return _load_matrices(
            self.left_address(stage, row, (self.lane >> 4) + 2 * part), "row", self.config.element_type
        )

    def right_pair(self, stage: Int32, pair: int, part: int) -> list[list[ir.Value]]:
        """Fragments of 16 columns of B, 8 each."""
        row = (self.lane & 15) + 16 * part
        chunk = (self.warp_column >> 3) + (self.lane >> 4) + 2 * pair
        registers = _load_matrices(self.right_address(stage, row, chunk), "col", self.config.element_type)
        return [registers[:2], registers[2:]]

    def multiply(self, left: list[ir.Value], right: list[ir.Value], sums: list[ir.Value]) -> list[ir.Value]:
        element_type = attribute(f"mma_type<{self.config.element_type}>")
        result = nvvm.mma_sync(
            ir.Type.parse("!llvm.struct<(f32, f32, f32, f32)>"), attribute("shape<m = 16, n = 8, k = 16>"),
            attribute("mma_layout<row>"), attribute("mma_layout<col>"), left, right, sums,
            multiplicand_a_ptx_type=element_type, multiplicand_b_ptx_type=element_type,
        )  # fmt: skip
        return [llvm.extractvalue(ir.F32Type.get(), result, [i]) for i in range(4)]

    def store(self, sums: list[ir.Value]) -> None:
        across = self.config.columns // 2 // 8
        row = self.row + self.warp_row + (self.lane >> 2)
        column = self.column + self.warp_column + ((self.lane & 3) << 1)
        for pair in range(len(sums) // 2):
            tile, half = pair // 2, pair % 2
            offset = (row + (16 * (tile // across) + 8 * half)) * self.n + column + 8 * (tile % across)
            target = at(self.c, offset << 2)
            for i, value in enumerate(sums[2 * pair : 2 * pair + 2]):
                llvm.store(value, at(target, 4 * i))


def _copy(target: ir.Value, source: ir.Value) -> None:
    source = llvm.addrspacecast(pointer(1), source)
    past_l1 = ir.Attribute.parse("#nvvm<load_cache_modifier cg>")
    nvvm.cp_async_shared_global(target, source, CHUNK_BYTES, past_l1)


def _load_matrices(address: ir.Value, layout: str, element_type: str) -> list[ir.Value]:
    """Loads four 8x8 matrices into registers of the type that products of `element_type` take."""
    structure = nvvm.ldmatrix(
        address, 4, attribute(f"mma_layout<{layout}>"), attribute("ld_st_matrix_shape<m = 8, n = 8>"),
        attribute("ld_st_matrix_elt_type<b16>"),
        results=[ir.Type.parse("!llvm.struct<(i32, i32, i32, i32)>")],
    )  # fmt: skip
    registers = [llvm.extractvalue(ir.IntegerType.get_signless(32), structure, [i]) for i in range(4)]
    if element_type != "f16":
        return registers
    return [llvm.bitcast(ir.Type.parse("vector<2xf16>"), register) for register in registers]
