"""tloop-unroll-strided-reads: vector reads along other dims than the last become scalar loads."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from mlc.bindings import arith, ir, memref, vector
from mlc.passes.base import Pass
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import apply_patterns, replace_op


def strided_dims(read: vector.TransferRead) -> list[int] | None:
    """Returns the dims of a buffer that a vector is read along in full, if LLVM has no vector load for the
    last of them: it is not the buffer's last one, or its elements are not contiguous. None for other
    reads."""
    if not isinstance(read.base.type, ir.MemRefType) or not all(flag.value for flag in read.in_bounds):
        return None
    results = list(read.permutation_map.results)
    if not results or not all(isinstance(result, ir.AffineDimExpr) for result in results):
        return None
    type_ = ir.MemRefType(read.base.type)
    dims = [ir.AffineDimExpr(result).position for result in results]
    strides, _ = type_.get_strides_and_offset()
    return None if dims[-1] == type_.rank - 1 and strides[-1] == 1 else dims


def unroll(op: ir.Operation) -> bool:
    """Replaces a strided read by scalar loads: upstream lowers it to a loop that inserts at a variable
    position, which goes through memory."""
    read = vector.TransferRead(op)
    dims = strided_dims(read)
    if dims is None:
        return False
    elements = []
    for position in product(*map(range, ir.VectorType(read.vector.type).shape)):
        indices = list(read.indices)
        for dim, offset in zip(dims, position, strict=True):
            indices[dim] = arith.addi(indices[dim], index_constant(offset))
        elements.append(memref.load(read.base, indices))
    replace_op(op, vector.from_elements(read.vector.type, elements))
    return True


@dataclass(frozen=True)
class UnrollStridedReads(Pass):
    """Rewrite each `vector.transfer_read` along another dim than the last one, or with a stride, to one load
    per element. Each element is broadcast next anyway, as in a convolution over an image of unblocked
    channels."""

    name: ClassVar[str] = "tloop-unroll-strided-reads"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, {vector.TransferRead.NAME: unroll})
