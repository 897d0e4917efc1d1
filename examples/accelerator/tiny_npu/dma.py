"""Lowers copies between main memory and the scratchpad to DMA."""

from __future__ import annotations

from math import prod

from mlc.bindings import arith, ir, memref
from mlc.passes.base import PassError
from tiny_npu.calls import NpuProgram, index
from tiny_npu.vector_unit import element_bytes


def lower_copy(op: ir.Operation, program: NpuProgram) -> None:
    """Lowers a `memref.copy` into or out of the scratchpad. Raises PassError for other copies."""
    source, target = op.operands
    if program.is_allocated(target) and not program.is_allocated(source):
        program.call("npu_dma_in", program.address(target, op), *_rows(source, op))
    elif program.is_allocated(source) and not program.is_allocated(target):
        memory, *rows = _rows(target, op)
        program.call("npu_dma_out", memory, program.address(source, op), *rows)
    else:
        raise PassError(
            "DMA goes between main memory and the scratchpad, but this copy does not", op.location
        )


def _rows(memory: ir.Value, op: ir.Operation) -> tuple[ir.Value, int, int, int]:
    """Returns the address of a matrix or row in main memory, its rows, bytes per row and the row stride."""
    memref_type = ir.MemRefType(memory.type)
    strides, _ = memref_type.get_strides_and_offset()
    size = element_bytes(memref_type.element_type) or 0
    *outer, columns = memref_type.shape
    if len(outer) > 1 or strides[-1] != 1:
        raise PassError(f"DMA copies rows of adjacent elements, but this is a {memref_type}", op.location)
    return _address(memory, size), prod(outer), columns * size, strides[0] * size if outer else 0


def _address(memory: ir.Value, size: int) -> ir.Value:
    """Returns the address of the first element of a memref as an index."""
    offset = memref.ExtractStridedMetadataOp(memory).results[1]
    start = memref.extract_aligned_pointer_as_index(memory)
    return arith.addi(start, arith.muli(offset, index(size)))
