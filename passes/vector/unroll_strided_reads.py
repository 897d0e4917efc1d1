"""tloop-unroll-strided-reads: vector reads along other dims than the last become scalar loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, memref, vector
from mlc.passes.base import Pass
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import apply_patterns, replace_op


def strided_dim(read: vector.TransferRead) -> int | None:
    """Returns the dim of a buffer along which a 1-D vector is read in full, if LLVM has no vector load for
    that: it is not the last one, or its elements are not contiguous. None for other reads."""
    if not isinstance(read.base.type, ir.MemRefType) or ir.VectorType(read.vector.type).rank != 1:
        return None
    [expression] = read.permutation_map.results
    if not isinstance(expression, ir.AffineDimExpr) or not all(flag.value for flag in read.in_bounds):
        return None
    dim, type_ = ir.AffineDimExpr(expression).position, ir.MemRefType(read.base.type)
    strides, _ = type_.get_strides_and_offset()
    return None if dim == type_.rank - 1 and strides[-1] == 1 else dim


def unroll(op: ir.Operation) -> bool:
    """Replaces a strided read by scalar loads: upstream lowers it to a loop that inserts at a variable
    position, which goes through memory."""
    read = vector.TransferRead(op)
    dim = strided_dim(read)
    if dim is None:
        return False
    indices, elements = read.indices, []
    for position in range(ir.VectorType(read.vector.type).shape[0]):
        offset = index_constant(position)
        index = arith.addi(indices[dim], offset)
        elements.append(memref.load(read.base, [*indices[:dim], index, *indices[dim + 1 :]]))
    replace_op(op, vector.from_elements(read.vector.type, elements))
    return True


@dataclass(frozen=True)
class UnrollStridedReads(Pass):
    """Rewrite 1-D `vector.transfer_read` along another dim than the last one, or with a stride, to one load
    per element. Each element is broadcast next anyway, as in a convolution over an image of unblocked
    channels."""

    name: ClassVar[str] = "tloop-unroll-strided-reads"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, {vector.TransferRead.NAME: unroll})
