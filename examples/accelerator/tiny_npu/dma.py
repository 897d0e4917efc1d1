"""Copies between main memory and the scratchpad as DMA."""

from __future__ import annotations

from math import prod

from mlc.bindings import arith, ir, memref
from mlc.passes.base import PassError
from tiny_npu.calls import Program, index
from tiny_npu.vector_unit import element_bytes


def lower_copy(op: ir.Operation, program: Program) -> None:
    """`memref.copy` with one side in the scratchpad. Raises PassError for others."""
    source, target = op.operands
    if program.is_placed(target) and not program.is_placed(source):
        program.call("npu_dma_in", program.address(target, op), *_rows(source, op))
    elif program.is_placed(source) and not program.is_placed(target):
        memory, *rows = _rows(target, op)
        program.call("npu_dma_out", memory, program.address(source, op), *rows)
    else:
        raise PassError(
            "DMA goes between main memory and the scratchpad, but this copy does not", op.location
        )


def _rows(memory: ir.Value, op: ir.Operation) -> tuple[ir.Value, int, int, int]:
    """The address of a matrix (or a row) in main memory, its rows, their bytes and their distance."""
    kind = ir.MemRefType(memory.type)
    strides, _ = kind.get_strides_and_offset()
    size = element_bytes(kind.element_type) or 0
    *outer, columns = kind.shape
    if len(outer) > 1 or strides[-1] != 1:
        raise PassError(f"DMA copies rows of adjacent elements, but this is a {kind}", op.location)
    return _address(memory, size), prod(outer), columns * size, strides[0] * size if outer else 0


def _address(memory: ir.Value, size: int) -> ir.Value:
    """Where the first element of a memref lies, as a number."""
    offset = memref.ExtractStridedMetadataOp(memory).results[1]
    start = memref.extract_aligned_pointer_as_index(memory)
    return arith.addi(start, arith.muli(offset, index(size)))
