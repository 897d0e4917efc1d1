"""accel-stage-stores: tiles that warp groups of sm_90a computed are stored by TMA, through shared memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, vector
from mlc.dialects import accel
from mlc.passes.accel.common.buffers import matrix_type, new_buffer, users, widest_swizzle, write_matrix
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.common.shared_memory import element_bytes, plan
from mlc.passes.accel.common.tensor_maps import tensor_map_fault
from mlc.passes.accel.common.warpgroups import group_grid
from mlc.passes.accel.distribution.architectures import architecture_of
from mlc.passes.accel.distribution.layout_assignment import assign_layouts
from mlc.passes.accel.distribution.layout_exchange import moves_nothing
from mlc.passes.accel.distribution.tile_slices import TileSlice, memory_of
from mlc.passes.accel.threads.common.addresses import LONGEST_BYTES
from mlc.passes.accel.threads.common.architecture import Architecture
from mlc.passes.accel.threads.common.transfers import Transfer
from mlc.passes.accel.tiles.vector_shapes import reshape_vector, transpose_vector
from mlc.passes.base import Pass
from mlc.passes.common.computation import dim_position
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import gpu_target_of

# Bytes of scratch memory for tiles that change layouts, and partial results that warps exchange.
SPARE_BYTES = 32 << 10

_LAUNCH, _ROLES = accel.Launch.NAME, accel.Specialize.NAME


def staging_buffer(
    launch: ir.Operation,
    store: ir.Operation,
    buffer_type: ir.MemRefType,
    architecture: Architecture,
    spare: int,
) -> ir.Value | None:
    """Returns a buffer for a tile that is written at `store`: in the memory of a buffer that is not used from
    there on, else a new one; None if it and `spare` bytes do not fit in shared memory."""
    before = _memory_to_reuse(launch, store, _size(buffer_type), swizzled=widest_swizzle(buffer_type) > 0)
    if before is not None:
        with ir.InsertionPoint(store):
            return new_buffer(buffer_type, before)
    if plan(launch, architecture.alignment).end + _size(buffer_type) + spare > architecture.shared_limit:
        return None
    with ir.InsertionPoint.at_block_begin(accel.Launch(launch).entry_block):
        return new_buffer(buffer_type)


def _memory_to_reuse(launch: ir.Operation, at: ir.Operation, size: int, *, swizzled: bool) -> ir.Value | None:
    """The smallest buffer of `size` bytes or more that is not used from the op `at` on, swizzled if the new
    one must be; None if there is none."""
    allocs = [accel.Alloc(op) for op in accel.Launch(launch).entry_block.operations if accel.Alloc.isa(op)]
    fitting = [
        alloc.memory
        for alloc in allocs
        if _size(alloc.memory.type) >= size and (alloc.swizzle or not swizzled) and _is_done(alloc.memory, at)
    ]
    return min(fitting, key=lambda buffer: _size(buffer.type), default=None)


def _size(buffer_type: ir.MemRefType) -> int:
    """The size of a buffer in bytes."""
    return math.prod(buffer_type.shape) * element_bytes(buffer_type.element_type)


def _is_done(buffer: ir.Value, at: ir.Operation) -> bool:
    """Whether all uses of a buffer precede `at`, which is executed once. Consumers wait for the copies of
    producers before they use them, so that the copies precede it, too, if those uses do."""
    block, around = at.block, at.parent.operation
    if around.name not in (_LAUNCH, _ROLES):
        return False
    here = [op.operation for op in block.operations]
    before = here[: here.index(at)]
    found = [_ancestor(user, around) for user in users(buffer)]
    used = [user for user in found if user in here]
    return bool(used) and all(user in before for user in used) and _others_produce(found, used, around)


def _others_produce(found: list[ir.Operation], used: list[ir.Operation], around: ir.Operation) -> bool:
    """Whether the uses that are not in the store's block are in producers."""
    others = [user for user in found if user not in used]
    if around.name != _ROLES:
        return not others
    producers = [op.operation for op in accel.Specialize(around).entry_block.operations]
    return all(other in producers for other in others)


def _ancestor(op: ir.Operation, around: ir.Operation) -> ir.Operation:
    """The op directly in `around` that contains or is `op`; the outermost op around it if there is none."""
    while (parent := op.parent) is not None and parent.operation != around:
        op = parent.operation
    return op


# Least bytes of a row of a part of a tile: what one TMA instruction copies of a swizzled buffer.
_PANEL_BYTES = 128
# Registers per thread of a part of a tile, if its block also reads tiles that may be out of bounds.
_FEW_REGISTERS = 32


@dataclass(frozen=True)
class StageStores(Pass):
    """Stores results of launches for sm_90a with `wgmma` through shared memory by TMA: `accel.copy` with
    `bulk`.

    A thread has pairs of contiguous elements of an accumulator, and of values computed from it; stores of
    such pairs do not fill memory transactions. In shared memory a tile is a matrix, with the swizzle that TMA
    expects. It reuses the memory of the operands of the launch's loops, if these have ended and it fits
    (`accel.reuse`), else it has a new buffer: for all of it, or for parts of its columns one after another,
    as far as shared memory suffices. TMA does not write elements outside of the memory.

    Threads store other tiles (`vector.transfer_write`): those that are masked, of one dim, or already in
    pieces of 16 bytes, those in a memory that the launch also accesses otherwise, and those that TMA cannot
    store: to memrefs of dynamic shape, with rows that are no multiple of 16 bytes, or whose last dim is not a
    dim of the tile."""

    name: ClassVar[str] = "accel-stage-stores"

    def run(self, op: ir.Operation) -> bool:
        changed, launches = False, collect_ops(op, accel.Launch.NAME)
        if not launches or not gpu_target_of(op).clusters:
            return False
        for launch in launches:
            if any(map(group_grid, collect_ops(launch, accel.Mma.NAME))):
                changed |= self._stage(launch, architecture_of(op))
        return changed

    def _stage(self, launch: ir.Operation, architecture: Architecture) -> bool:
        layouts = assign_layouts(launch, architecture)
        spare = 0 if moves_nothing(launch, layouts) else SPARE_BYTES
        staged = False
        for op in collect_ops(launch, vector.TransferWrite.NAME):
            found = _Store.of(op, launch)
            if found is None or not found.is_narrow(layouts[vector.TransferWrite(op).value_to_store]):
                continue
            with op.location:
                if found.stage(launch, architecture, layouts[vector.TransferWrite(op).value_to_store], spare):
                    self.count("stores", help="tiles that TMA stores")
                    staged = True
        return staged


@dataclass(frozen=True)
class _Store:
    """A `vector.transfer_write` of all of a tile to global memory; `dims` are the dims of the memory that the
    dims of the tile are along."""

    op: ir.Operation
    dims: list[int]

    @staticmethod
    def of(op: ir.Operation, launch: ir.Operation) -> _Store | None:
        """Returns the store of an op; None if TMA cannot execute it, or other accesses of the launch must be
        ordered with it."""
        write = vector.TransferWrite(op)
        memref, access = write.base.type, write.permutation_map
        dims = [dim_position(result) for result in access.results]
        known = [dim for dim in dims if dim is not None]
        several = len(dims) > 1 and len(known) == len(dims) and max(known) == memref.rank - 1
        if memref.memory_space is not None or Transfer(op).mask is not None or not several:
            return None
        return _Store(op, known) if _is_alone(op, launch) else None

    @property
    def tile(self) -> ir.Value:
        """The tile that is stored."""
        return vector.TransferWrite(self.op).value_to_store

    @property
    def order(self) -> list[int]:
        """The tile's dims in their order in memory."""
        return sorted(range(len(self.dims)), key=lambda dim: self.dims[dim])

    def is_narrow(self, layout: Layout) -> bool:
        """Whether threads have fewer contiguous elements of a row than an access can store."""
        stored = layout.transpose(self.order)
        size = element_bytes(self.tile.type.element_type)
        run, row = stored.unit_run(len(stored.shape) - 1) * size, stored.shape[-1] * size
        return run < min(LONGEST_BYTES, row)

    def stage(self, launch: ir.Operation, architecture: Architecture, layout: Layout, spare: int) -> bool:
        """Writes the tile to shared memory, of which `spare` bytes stay free, and copies it from there, as a
        whole or in parts. Returns whether TMA can do that."""
        tile = self.tile
        shape = [tile.type.shape[dim] for dim in self.order]
        rows, columns = math.prod(shape[:-1]), shape[-1]
        for width in self._widths(layout.transpose(self.order).reshape([rows, columns])):
            buffer_type = matrix_type(rows, width, tile.type.element_type)
            buffer = staging_buffer(launch, self.op, buffer_type, architecture, spare)
            if buffer is not None:
                return self._stage_in(buffer, columns)
        return False

    def _widths(self, layout: Layout) -> list[int]:
        """Widths, largest first, of parts of the tile's columns of which all threads have equally many."""
        rows, columns = layout.shape
        size = element_bytes(self.tile.type.element_type)
        widths = [columns]
        while widths[-1] * size >= 2 * _PANEL_BYTES and layout.part([rows, widths[-1] // 2]) is not None:
            widths.append(widths[-1] // 2)
        if not self._reads_edges():
            return widths
        few = [width for width in widths if layout.size * width // columns <= _FEW_REGISTERS]
        return few or widths[-1:]

    def _reads_edges(self) -> bool:
        """Whether the block reads tiles that may extend past their memory: threads then check the bounds of
        each access, which takes registers."""
        reads = [vector.TransferRead(op) for op in self.op.block.operations if vector.TransferRead.isa(op)]
        tiles = [read for read in reads if read.vector.type.rank > 1]
        return any(not ir.BoolAttr(inside).value for tile in tiles for inside in tile.in_bounds)

    def _stage_in(self, buffer: ir.Value, columns: int) -> bool:
        """Stores the tile through a buffer with all of its rows, and all or part of its columns."""
        rows, width = buffer.type.shape
        with ir.InsertionPoint(self.op):
            first = self._copy(buffer, 0)
            if tensor_map_fault(first):
                for unused in (first, buffer.owner.operation):
                    unused.erase()
                return False
            first.erase()
            tile = reshape_vector(transpose_vector(self.tile, self.order), [rows, columns])
            for start in range(0, columns, width):
                write_matrix(self._slice(start, width).of(tile), buffer)
                copy = self._copy(buffer, start)
                ir.Operation.create(
                    accel.Wait.NAME, [], [accel.Copy(copy).token], {"read": ir.UnitAttr.get()}
                )
        self.op.erase()
        return True

    def _slice(self, start: int, width: int) -> TileSlice:
        """The slice of columns of the tiles that the block of the store computes."""
        writes = collect_ops(self.op.block.owner.operation, vector.TransferWrite.NAME)
        memories = frozenset(memory_of(vector.TransferWrite(write).base) for write in writes)
        return TileSlice(self.op.block, memories, start, width)

    def _copy(self, buffer: ir.Value, start: int) -> ir.Operation:
        """Builds the copy of a buffer to its destination, the tile's columns from `start` on."""
        write = vector.TransferWrite(self.op)
        memref, offsets = write.base, write.indices
        if start:
            offsets[-1] = arith.AddIOp(offsets[-1], index(start)).result
        attributes = {"box": self._box(memref.type.rank, buffer.type.shape[-1]), "bulk": ir.UnitAttr.get()}
        token = ir.Type.parse("!accel.token")
        return ir.Operation.create(accel.Copy.NAME, [token], [buffer, memref, *offsets], attributes)

    def _box(self, rank: int, width: int) -> ir.Attribute:
        """The extents of `width` columns of the tile along each dim of the memory."""
        shape = self.tile.type.shape
        box = [shape[self.dims.index(dim)] if dim in self.dims else 1 for dim in range(rank)]
        return ir.DenseI64ArrayAttr.get([*box[:-1], width])


def _is_alone(store: ir.Operation, launch: ir.Operation) -> bool:
    """Whether nothing else in a launch reads or writes the memory that `store` writes."""
    memory = memory_of(vector.TransferWrite(store).base)
    users = [
        op
        for op in collect_ops(launch)
        if any(
            isinstance(operand.type, ir.MemRefType) and memory_of(operand) == memory
            for operand in op.operands
        )
    ]
    return users == [store]
