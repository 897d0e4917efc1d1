"""accel-stage-stores: the copy engine of sm_90a stores what groups of warps multiplied.

Shared memory of buffers that a program has done with, for tiles on their way out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
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
from mlc.passes.accel.distribution.tile_slices import Cut, memory_of
from mlc.passes.accel.threads.common.addresses import LONGEST_BYTES
from mlc.passes.accel.threads.common.architecture import Architecture
from mlc.passes.accel.threads.common.transfers import Transfer
from mlc.passes.accel.tiles.vector_shapes import reshape_vector, transpose_vector
from mlc.passes.base import Pass
from mlc.passes.common.computation import dim_position
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import gpu_target_of

# For tiles that change their layout, and numbers that warps exchange.
SPARE_BYTES = 32 << 10

_LAUNCH, _ROLES = accel.Launch.NAME, accel.Specialize.NAME


def staging_buffer(
    launch: ir.Operation, store: ir.Operation, kind: ir.MemRefType, architecture: Architecture, spare: int
) -> ir.Value | None:
    """For a tile that is written at `store`: in the memory of a buffer that nothing uses from there on, else
    one of its own; None where shared memory has no room for it and `spare` bytes."""
    before = _memory_to_reuse(launch, store, _size(kind), swizzled=widest_swizzle(kind) > 0)
    if before is not None:
        with ir.InsertionPoint(store):
            return new_buffer(kind, before)
    if plan(launch, architecture.alignment).end + _size(kind) + spare > architecture.shared_limit:
        return None
    with ir.InsertionPoint.at_block_begin(launch.regions[0].blocks[0]):
        return new_buffer(kind)


def _memory_to_reuse(launch: ir.Operation, at: ir.Operation, size: int, *, swizzled: bool) -> ir.Value | None:
    """The smallest buffer of `size` bytes or more that nothing uses from the op `at` on, swizzled if what is
    to lie there is; None if there is none."""
    fitting = [
        each.results[0]
        for each in _allocs(launch)
        if _size(each.results[0].type) >= size
        and (each.attributes["swizzle"].value or not swizzled)
        and _is_done(each.results[0], at)
    ]
    return min(fitting, key=lambda each: _size(each.type), default=None)


def _allocs(launch: ir.Operation) -> Iterator[ir.Operation]:
    for op in launch.regions[0].blocks[0].operations:
        if op.operation.name == accel.Alloc.NAME:
            yield op.operation


def _size(kind: ir.MemRefType) -> int:
    """In bytes."""
    return math.prod(kind.shape) * element_bytes(kind.element_type)


def _is_done(buffer: ir.Value, at: ir.Operation) -> bool:
    """Whether all uses come before `at`, which runs once. What producers copy, consumers wait for before they
    use it: copies come before, too, if those uses do."""
    block, around = at.block, at.parent.operation
    if around.name not in (_LAUNCH, _ROLES):
        return False
    here = [op.operation for op in block.operations]
    before = here[: here.index(at)]
    found = [_ancestor(user, around) for user in users(buffer)]
    used = [each for each in found if each in here]
    return bool(used) and all(each in before for each in used) and _others_produce(found, used, around)


def _others_produce(found: list[ir.Operation], used: list[ir.Operation], around: ir.Operation) -> bool:
    """Whether the uses that are not in the block at hand are those of producers."""
    others = [each for each in found if each not in used]
    if around.name != _ROLES:
        return not others
    producers = [op.operation for op in around.regions[0].blocks[0].operations]
    return all(other in producers for other in others)


def _ancestor(op: ir.Operation, around: ir.Operation) -> ir.Operation:
    """The op right inside of `around` that has `op`, or is it; the outermost one if none is."""
    while (parent := op.parent) is not None and parent.operation != around:
        op = parent.operation
    return op


# Of a row of the least part of a tile: what TMA takes of a swizzled buffer at a time.
_PANEL_BYTES = 128
# Of a thread, for a part of a tile beside which others are read that may reach beyond their memory.
_FEW_REGISTERS = 32
_READ = vector.TransferRead.NAME


@dataclass(frozen=True)
class StageStores(Pass):
    """Has results of launches for sm_90a with products by groups of warps (`wgmma`) go to global memory by
    way of shared memory, whose tiles TMA stores: `accel.copy` with `bulk`.

    A thread has pairs of neighbours of the sums, and of what is computed of them; stores of such pairs fill a
    part of what memory takes at a time. In shared memory a tile is a matrix, swizzled as TMA takes it. It
    lies where the launch's loops had their operands, if these are done and it fits (`accel.reuse`), else in a
    buffer of its own: all of it, or parts of its columns one after the other, where there is no room for
    more. TMA leaves out what lies outside of the memory.

    Tiles stay with their threads (`vector.transfer_write`) that are masked, of one dim, or already in pieces
    of 16 bytes, those in a memory that the launch also reads or writes otherwise, and those that TMA cannot
    store: to memrefs of dynamic shape, or with rows of no multiple of 16 bytes, or whose last dim the tile
    has not.
    """

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
                    self.count("stores", help="tiles that the copy engine stores")
                    staged = True
        return staged


@dataclass(frozen=True)
class _Store:
    """A `vector.transfer_write` of all of a tile to global memory; `dims` says along which dim of the memory
    each dim of the tile runs."""

    op: ir.Operation
    dims: list[int]

    @staticmethod
    def of(op: ir.Operation, launch: ir.Operation) -> _Store | None:
        """None if the copy engine could not do it, or if the order in which it does is not that of the
        launch."""
        memref, access = op.operands[1].type, ir.AffineMapAttr(op.attributes["permutation_map"]).value
        dims = [dim_position(result) for result in access.results]
        known = [dim for dim in dims if dim is not None]
        several = len(dims) > 1 and len(known) == len(dims) and max(known) == memref.rank - 1
        if memref.memory_space is not None or Transfer(op).mask is not None or not several:
            return None
        return _Store(op, known) if _is_alone(op, launch) else None

    @property
    def order(self) -> list[int]:
        """The tile's dims as they follow each other in memory."""
        return sorted(range(len(self.dims)), key=lambda each: self.dims[each])

    def is_narrow(self, layout: Layout) -> bool:
        """Whether threads have less of a row than they could store at once."""
        stored = layout.transpose(self.order)
        size = element_bytes(self.op.operands[0].type.element_type)
        run, row = stored.unit_run(len(stored.shape) - 1) * size, stored.shape[-1] * size
        return run < min(LONGEST_BYTES, row)

    def stage(self, launch: ir.Operation, architecture: Architecture, layout: Layout, spare: int) -> bool:
        """Writes the tile to shared memory, which has `spare` bytes for other things, and has it copied, as a
        whole or in parts. Returns whether TMA can do that."""
        tile = self.op.operands[0]
        shape = [tile.type.shape[each] for each in self.order]
        rows, columns = math.prod(shape[:-1]), shape[-1]
        for width in self._widths(layout.transpose(self.order).reshape([rows, columns])):
            kind = matrix_type(rows, width, tile.type.element_type)
            buffer = staging_buffer(launch, self.op, kind, architecture, spare)
            if buffer is not None:
                return self._stage_in(buffer, columns)
        return False

    def _widths(self, layout: Layout) -> list[int]:
        """Of parts of the tile's columns, all of them first, of which each thread has equally many."""
        rows, columns = layout.shape
        size = element_bytes(self.op.operands[0].type.element_type)
        widths = [columns]
        while widths[-1] * size >= 2 * _PANEL_BYTES and layout.part([rows, widths[-1] // 2]) is not None:
            widths.append(widths[-1] // 2)
        if not self._reads_edges():
            return widths
        few = [width for width in widths if layout.size * width // columns <= _FEW_REGISTERS]
        return few or widths[-1:]

    def _reads_edges(self) -> bool:
        """Whether tiles are read beside it that may reach beyond their memory: threads then ask for each
        access whether it lies inside, which takes registers."""
        reads = [op.operation for op in self.op.block.operations if op.name == _READ]
        tiles = [read for read in reads if read.results[0].type.rank > 1]
        return any(not inside.value for tile in tiles for inside in tile.attributes["in_bounds"])

    def _stage_in(self, buffer: ir.Value, columns: int) -> bool:
        """By way of a buffer that has as many rows as the tile, and all or part of its columns."""
        rows, width = buffer.type.shape
        with ir.InsertionPoint(self.op):
            first = self._copy(buffer, 0)
            if tensor_map_fault(first):
                for made in (first, buffer.owner.operation):
                    made.erase()
                return False
            first.erase()
            tile = reshape_vector(transpose_vector(self.op.operands[0], self.order), [rows, columns])
            for start in range(0, columns, width):
                write_matrix(self._cut(start, width).of(tile), buffer)
                copy = self._copy(buffer, start)
                ir.Operation.create(accel.Wait.NAME, [], [copy.results[0]], {"read": ir.UnitAttr.get()})
        self.op.erase()
        return True

    def _cut(self, start: int, width: int) -> Cut:
        """Columns of what the block of the store computes."""
        writes = collect_ops(self.op.block.owner.operation, vector.TransferWrite.NAME)
        return Cut(self.op.block, frozenset(memory_of(write.operands[1]) for write in writes), start, width)

    def _copy(self, buffer: ir.Value, start: int) -> ir.Operation:
        """Of the tile's columns from `start` on, as many as the buffer has, to where they were to be
        written."""
        _, memref, *offsets = self.op.operands
        if start:
            offsets[-1] = arith.AddIOp(offsets[-1], index(start)).result
        attributes = {"box": self._box(memref.type.rank, buffer.type.shape[-1]), "bulk": ir.UnitAttr.get()}
        token = ir.Type.parse("!accel.token")
        return ir.Operation.create(accel.Copy.NAME, [token], [buffer, memref, *offsets], attributes)

    def _box(self, rank: int, width: int) -> ir.Attribute:
        """How many elements `width` columns of the tile have along each dim of the memory."""
        shape = self.op.operands[0].type.shape
        box = [shape[self.dims.index(dim)] if dim in self.dims else 1 for dim in range(rank)]
        return ir.DenseI64ArrayAttr.get([*box[:-1], width])


def _is_alone(store: ir.Operation, launch: ir.Operation) -> bool:
    """Whether nothing else in a launch reads or writes the memory that `store` writes."""
    memory = memory_of(store.operands[1])
    users = [
        op
        for op in collect_ops(launch)
        if any(
            isinstance(operand.type, ir.MemRefType) and memory_of(operand) == memory
            for operand in op.operands
        )
    ]
    return users == [store]
