"""Which tiles can be distributed to threads: by their types and extents."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir
from mlc.dialects.accel import is_shared
from mlc.passes.accel.threads.common.small_floats import MOVES, format_of
from mlc.passes.base import PassFailure
from mlc.passes.common.rewriting import collect_ops

# Integers that memory holds in bytes of their own, or in one, and floats of more than 8 bits.
_INTEGER_BITS = (1, 8, 16, 32, 64)
_FLOATS = (ir.BF16Type, ir.F16Type, ir.F32Type, ir.F64Type)
# Elements of a tile that are registers of one thread: more would take minutes, and lie in memory.
MOST_REGISTERS = 4096


def check_tiles(launch: ir.Operation, threads: int) -> None:
    """Raises PassFailure, at the op, for what the `threads` of a block cannot hold."""
    for op in collect_ops(launch):
        for value in (*op.results, *op.operands):
            if isinstance(value.type, ir.VectorType):
                _check_vector(op, value.type, threads)
            elif isinstance(value.type, ir.MemRefType) and not _is_number(value.type.element_type):
                raise PassFailure(f"threads read no memory of {value.type.element_type}", op.location)
        for tile in _tiles_in_memory(op):
            _check_extents(op, tile)


def _check_vector(op: ir.Operation, kind: ir.VectorType, threads: int) -> None:
    element = kind.element_type
    if not _is_number(element) and not isinstance(element, ir.IndexType):
        raise PassFailure(f"threads hold no elements of type {element}", op.location)
    if format_of(element) is not None and op.name not in MOVES:
        raise PassFailure(
            f"cannot distribute '{op.name}' on floats of 8 bits: extend them first", op.location
        )
    _check_extents(op, kind)
    if prod(kind.shape) > MOST_REGISTERS * threads:
        raise PassFailure(f"a block of {threads} threads cannot hold a {kind}", op.location)


def _check_extents(op: ir.Operation, kind: ir.VectorType | ir.MemRefType) -> None:
    if not kind.rank or (isinstance(kind, ir.VectorType) and kind.scalable):
        raise PassFailure(f"a tile has dims of known extents, but this is a {kind}", op.location)
    if any(extent < 1 or extent & (extent - 1) for extent in kind.shape):
        raise PassFailure(f"a tile's extents must be powers of two, not {kind}", op.location)


def _tiles_in_memory(op: ir.Operation) -> list[ir.MemRefType]:
    """What an op copies or multiplies in shared memory."""
    if op.name not in ("accel.copy", "accel.mma"):
        return []
    return [each.type for each in list(op.operands)[:2] if is_shared(each)]


def _is_number(kind: ir.Type) -> bool:
    if isinstance(kind, ir.IntegerType):
        return kind.width in _INTEGER_BITS
    return isinstance(kind, _FLOATS) or format_of(kind) is not None
