"""Assignment of layouts to the vectors of a launch: those of matrix multiplications come first."""

from __future__ import annotations

import math
from math import prod

from mlc.bindings import ir, vector
from mlc.dialects import accel
from mlc.dialects.accel import is_shared
from mlc.passes.accel.common.layouts import Layout, blocked_layout
from mlc.passes.accel.common.matrix_layouts import scalar_grid, scalar_sums
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.distribution.layout_relations import LayoutRelations, vectors_of
from mlc.passes.accel.threads.common.addresses import LONGEST_BYTES
from mlc.passes.accel.threads.common.architecture import Architecture
from mlc.passes.accel.threads.common.small_floats import MOVES, format_of
from mlc.passes.base import PassError
from mlc.passes.common.rewriting import collect_ops

# Widths of integers that memory holds in whole bytes, or as booleans; floats of more than 8 bits.
_INTEGER_BITS = (1, 8, 16, 32, 64)

_FLOATS = (ir.BF16Type, ir.F16Type, ir.F32Type, ir.F64Type)

# Most elements of a tile per thread: more would take minutes to compile, and be spilled.
MOST_REGISTERS = 4096


def check_tiles(launch: ir.Operation, threads: int) -> None:
    """Raises PassError, at the op, for a tile whose type or extents `threads` threads cannot hold."""
    for op in collect_ops(launch):
        for value in (*op.results, *op.operands):
            if isinstance(value.type, ir.VectorType):
                _check_vector(op, value.type, threads)
            elif isinstance(value.type, ir.MemRefType) and not _is_supported(value.type.element_type):
                raise PassError(f"threads read no memory of {value.type.element_type}", op.location)
        for tile in _tiles_in_memory(op):
            _check_extents(op, tile)


def _check_vector(op: ir.Operation, tile: ir.VectorType, threads: int) -> None:
    element = tile.element_type
    if not _is_supported(element) and not isinstance(element, ir.IndexType):
        raise PassError(f"threads hold no elements of type {element}", op.location)
    if format_of(element) is not None and op.name not in MOVES:
        raise PassError(f"cannot distribute '{op.name}' on floats of 8 bits: extend them first", op.location)
    _check_extents(op, tile)
    if prod(tile.shape) > MOST_REGISTERS * threads:
        raise PassError(f"a block of {threads} threads cannot hold a {tile}", op.location)


def _check_extents(op: ir.Operation, tile: ir.VectorType | ir.MemRefType) -> None:
    if not tile.rank or (isinstance(tile, ir.VectorType) and tile.scalable):
        raise PassError(f"a tile has dims of known extents, but this is a {tile}", op.location)
    if any(extent < 1 or extent & (extent - 1) for extent in tile.shape):
        raise PassError(f"a tile's extents must be powers of two, not {tile}", op.location)


def _tiles_in_memory(op: ir.Operation) -> list[ir.MemRefType]:
    """The types of the tiles in shared memory that an op copies or multiplies."""
    if op.name not in (accel.Copy.NAME, accel.Mma.NAME):
        return []
    return [operand.type for operand in list(op.operands)[:2] if is_shared(operand)]


def _is_supported(element: ir.Type) -> bool:
    if isinstance(element, ir.IntegerType):
        return element.width in _INTEGER_BITS
    return isinstance(element, _FLOATS) or format_of(element) is not None


def assign_layouts(launch: ir.Operation, architecture: Architecture) -> dict[ir.Value, Layout]:
    """Returns a layout for every vector of a launch. Raises PassError for tiles that threads cannot hold."""
    ops, warps = collect_ops(launch), architecture.warps(accel.Launch(launch).warps)
    check_tiles(launch, warps << architecture.lane_bits)
    assignment = Assignment(architecture, warps, ops)
    for chosen in (_products, _left_operands, _reductions, _transfers, _others):
        for op in sorted(ops, key=_size, reverse=True):
            for value in vectors_of(op):
                if value not in assignment.layouts and (layout := chosen(op, value, assignment)):
                    assignment.assign(value, layout)
    return assignment.layouts


def _size(op: ir.Operation) -> int:
    return max((math.prod(value.type.shape) for value in vectors_of(op)), default=0)


def _products(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    if op.name != accel.Mma.NAME or value != accel.Mma(op).result:
        return None
    lowering, whole_rows = given.architecture.mma_lowering(op), value in given.reduced_rows
    if lowering is not None:
        return lowering.accumulator_layout(given.warps, whole_rows=whole_rows)
    (rows, columns), lane_bits = value.type.shape, given.architecture.lane_bits
    grid = scalar_grid(rows, columns, given.warps, lane_bits, whole_rows=whole_rows)
    return scalar_sums(rows, columns, grid, lane_bits)


def _left_operands(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    """The layout of a left operand in registers that the matrix instruction reads."""
    if op.name != accel.Mma.NAME or value != accel.Mma(op).a or accel.Mma(op).transpose_a:
        return None
    lowering = given.architecture.mma_lowering(op)
    return None if lowering is None else lowering.left_layout(given.layouts[accel.Mma(op).result])


def _reductions(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    """A layout with lanes along the last dim, and warps along others, so that only lanes exchange partial
    results. Narrower elements from which the tile is converted are loaded 16 bytes at a time."""
    if (
        op.name != vector.MultiDimReduction.NAME
        or value != vector.MultiDimReduction(op).source
        or value.type.rank < 2
    ):
        return None
    shape, warps = list(value.type.shape), given.warps
    rows = math.prod(shape[:-1])
    shared = math.gcd(rows, warps)
    run = max(map(_run, [value, *given.relations.loads_for(value)]))
    whole = blocked_layout(shape, 1, run, lane_bits=given.architecture.lane_bits)
    free = [register for register in whole.registers if not register[-1]]
    taken = free[: shared.bit_length() - 1]
    rest = [register for register in whole.registers if register not in taken]
    beyond = [register for register in rest if register[-1] >= run]
    while len(taken) < warps.bit_length() - 1:
        taken.append(beyond.pop() if beyond else (0,) * len(shape))
    registers = tuple(register for register in whole.registers if register not in taken)
    return Layout(tuple(shape), registers, whole.lanes, tuple(taken))


def _transfers(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    memory_ops = (vector.TransferRead.NAME, vector.TransferWrite.NAME, vector.Gather.NAME)
    return _others(op, value, given) if op.name in memory_ops else None


def _others(_op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    return blocked_layout(value.type.shape, given.warps, _run(value), lane_bits=given.architecture.lane_bits)


def _run(value: ir.Value) -> int:
    """Elements of a 16-byte access."""
    element = value.type.element_type
    return max(1, LONGEST_BYTES // (4 if isinstance(element, ir.IndexType) else element_bytes(element)))


class Assignment:
    """The layouts assigned so far. Assigning one also assigns those that follow from it."""

    def __init__(self, architecture: Architecture, warps: int, ops: list[ir.Operation]) -> None:
        self.architecture, self.warps = architecture, warps
        self.layouts: dict[ir.Value, Layout] = {}
        self.relations = LayoutRelations(ops)
        # Matrices whose rows are reduced, and all that are related to them.
        self.reduced_rows = self.relations.reduced_rows(ops)

    def assign(self, value: ir.Value, layout: Layout) -> None:
        """Sets a layout, and those that follow from it for values that have none."""
        waiting = [(value, layout)]
        while waiting:
            value, layout = waiting.pop(0)
            if value in self.layouts:
                continue
            self.layouts[value] = layout
            for other, follow in self.relations.followers.get(value, []):
                if (followed := follow(layout)) is not None:
                    waiting.append((other, followed))
