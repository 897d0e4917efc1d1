"""Which thread holds what of each vector of a launch: products decide first, then what memory likes best.

Which tiles can be distributed to threads: by their types and extents.
"""

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

# Integers that memory holds in bytes of their own, or in one, and floats of more than 8 bits.
_INTEGER_BITS = (1, 8, 16, 32, 64)

_FLOATS = (ir.BF16Type, ir.F16Type, ir.F32Type, ir.F64Type)

# Elements of a tile that are registers of one thread: more would take minutes, and lie in memory.
MOST_REGISTERS = 4096


def check_tiles(launch: ir.Operation, threads: int) -> None:
    """Raises PassError, at the op, for what the `threads` of a block cannot hold."""
    for op in collect_ops(launch):
        for value in (*op.results, *op.operands):
            if isinstance(value.type, ir.VectorType):
                _check_vector(op, value.type, threads)
            elif isinstance(value.type, ir.MemRefType) and not _is_number(value.type.element_type):
                raise PassError(f"threads read no memory of {value.type.element_type}", op.location)
        for tile in _tiles_in_memory(op):
            _check_extents(op, tile)


def _check_vector(op: ir.Operation, kind: ir.VectorType, threads: int) -> None:
    element = kind.element_type
    if not _is_number(element) and not isinstance(element, ir.IndexType):
        raise PassError(f"threads hold no elements of type {element}", op.location)
    if format_of(element) is not None and op.name not in MOVES:
        raise PassError(f"cannot distribute '{op.name}' on floats of 8 bits: extend them first", op.location)
    _check_extents(op, kind)
    if prod(kind.shape) > MOST_REGISTERS * threads:
        raise PassError(f"a block of {threads} threads cannot hold a {kind}", op.location)


def _check_extents(op: ir.Operation, kind: ir.VectorType | ir.MemRefType) -> None:
    if not kind.rank or (isinstance(kind, ir.VectorType) and kind.scalable):
        raise PassError(f"a tile has dims of known extents, but this is a {kind}", op.location)
    if any(extent < 1 or extent & (extent - 1) for extent in kind.shape):
        raise PassError(f"a tile's extents must be powers of two, not {kind}", op.location)


def _tiles_in_memory(op: ir.Operation) -> list[ir.MemRefType]:
    """What an op copies or multiplies in shared memory."""
    if op.name not in (accel.Copy.NAME, accel.Mma.NAME):
        return []
    return [operand.type for operand in list(op.operands)[:2] if is_shared(operand)]


def _is_number(kind: ir.Type) -> bool:
    if isinstance(kind, ir.IntegerType):
        return kind.width in _INTEGER_BITS
    return isinstance(kind, _FLOATS) or format_of(kind) is not None


def assign_layouts(launch: ir.Operation, architecture: Architecture) -> dict[ir.Value, Layout]:
    """A layout for every vector. Raises PassError for tiles that threads cannot hold."""
    ops, warps = collect_ops(launch), architecture.warps(launch.attributes["warps"].value)
    check_tiles(launch, warps << architecture.lane_bits)
    assignment = Assignment(architecture, warps, ops)
    for chosen in (_products, _left_operands, _reductions, _transfers, _others):
        for op in sorted(ops, key=_size, reverse=True):
            for value in vectors_of(op):
                if value not in assignment.layouts and (layout := chosen(op, value, assignment)):
                    assignment.assign(value, layout)
    return assignment.layouts


def _size(op: ir.Operation) -> int:
    return max((math.prod(each.type.shape) for each in vectors_of(op)), default=0)


def _products(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    if op.name != accel.Mma.NAME or value != accel.Mma(op).result:
        return None
    product, whole_rows = given.architecture.mma_lowering(op), value in given.reduced_rows
    if product is not None:
        return product.accumulator_layout(given.warps, whole_rows=whole_rows)
    (rows, columns), lane_bits = value.type.shape, given.architecture.lane_bits
    grid = scalar_grid(rows, columns, given.warps, lane_bits, whole_rows=whole_rows)
    return scalar_sums(rows, columns, grid, lane_bits)


def _left_operands(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    """In registers from the start as tensor units take them."""
    if op.name != accel.Mma.NAME or value != accel.Mma(op).a or accel.Mma(op).transpose_a:
        return None
    product = given.architecture.mma_lowering(op)
    return None if product is None else product.left_layout(given.layouts[accel.Mma(op).result])


def _reductions(op: ir.Operation, value: ir.Value, given: Assignment) -> Layout | None:
    """Lanes along the last dim, and warps along others: only lanes then exchange what they have. What is
    loaded as numbers of fewer bits is loaded 16 bytes at a time."""
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
    beyond = [each for each in rest if each[-1] >= run]
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
    kind = value.type.element_type
    return max(1, LONGEST_BYTES // (4 if isinstance(kind, ir.IndexType) else element_bytes(kind)))


class Assignment:
    """Layouts so far; what follows from one is assigned with it."""

    def __init__(self, architecture: Architecture, warps: int, ops: list[ir.Operation]) -> None:
        self.architecture, self.warps = architecture, warps
        self.layouts: dict[ir.Value, Layout] = {}
        self.relations = LayoutRelations(ops)
        # Tiles whose rows are reduced, and all that meet them.
        self.reduced_rows = self.relations.reduced_rows(ops)

    def assign(self, value: ir.Value, layout: Layout) -> None:
        """Sets a layout, and those that follow from it where there are none yet."""
        waiting = [(value, layout)]
        while waiting:
            value, layout = waiting.pop(0)
            if value in self.layouts:
                continue
            self.layouts[value] = layout
            for other, follow in self.relations.followers.get(value, []):
                if (followed := follow(layout)) is not None:
                    waiting.append((other, followed))
