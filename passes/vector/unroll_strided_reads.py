"""tloop-unroll-strided-reads: vector reads along other dims than the last become scalar loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, memref, vector
from mlc.passes.base import Pass
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import apply_patterns, replace_op


def strided_dim(op: ir.Operation) -> int | None:
    """The dim of a buffer along which a 1-D vector is read in full, if LLVM has no vector load for that: it
    is not the last one, or its elements do not lie side by side. None for other reads."""
    if not isinstance(op.operands[0].type, ir.MemRefType) or ir.VectorType(op.results[0].type).rank != 1:
        return None
    (place,) = op.attributes["permutation_map"].value.results
    if not isinstance(place, ir.AffineDimExpr) or not all(flag.value for flag in op.attributes["in_bounds"]):
        return None
    dim, kind = ir.AffineDimExpr(place).position, ir.MemRefType(op.operands[0].type)
    strides, _ = kind.get_strides_and_offset()
    return None if dim == kind.rank - 1 and strides[-1] == 1 else dim


def unroll(op: ir.Operation) -> bool:
    """Upstream lowers such a read to a loop that inserts at a variable position, which goes through
    memory."""
    transfer_read = vector.TransferRead(op)
    dim = strided_dim(op)
    if dim is None:
        return False
    source = transfer_read.base
    places = list(op.operands)[1 : 1 + ir.MemRefType(source.type).rank]
    elements = []
    for position in range(ir.VectorType(transfer_read.vector.type).shape[0]):
        offset = index_constant(position)
        place = arith.addi(places[dim], offset)
        elements.append(memref.load(source, [*places[:dim], place, *places[dim + 1 :]]))
    replace_op(op, vector.from_elements(transfer_read.vector.type, elements))
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
