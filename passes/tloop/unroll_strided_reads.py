"""tloop-unroll-strided-reads: vector reads whose elements do not lie side by side become scalar loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, memref, vector
from mlc.passes.base import Pass
from mlc.passes.rewriting import apply_patterns, replace_op


def is_strided_read(op: ir.Operation) -> bool:
    """A full read of a 1-D vector along the last dim of a buffer whose last stride is not 1."""
    if not isinstance(op.operands[0].type, ir.MemRefType):
        return False
    kind, result = ir.MemRefType(op.operands[0].type), ir.VectorType(op.results[0].type)
    strides, _ = kind.get_strides_and_offset()
    indexing_map = op.attributes["permutation_map"].value
    last = ir.AffineMap.get_minor_identity(kind.rank, 1)
    in_bounds = all(flag.value for flag in op.attributes["in_bounds"])
    return result.rank == 1 and indexing_map == last and in_bounds and strides[-1] != 1


def unroll(op: ir.Operation) -> bool:
    """Upstream lowers such a read to a loop that inserts at a variable position, which goes through
    memory."""
    if not is_strided_read(op):
        return False
    source = op.operands[0]
    rank = ir.MemRefType(source.type).rank
    *outer, last = list(op.operands)[1 : 1 + rank]
    elements = []
    for position in range(ir.VectorType(op.results[0].type).shape[0]):
        offset = arith.ConstantOp(ir.IndexType.get(), ir.IntegerAttr.get(ir.IndexType.get(), position)).result
        elements.append(memref.load(source, [*outer, arith.addi(last, offset)]))
    replace_op(op, vector.from_elements(op.results[0].type, elements))
    return True


@dataclass(frozen=True)
class UnrollStridedReads(Pass):
    """Rewrite 1-D `vector.transfer_read` with a stride to one load per element. Each element is broadcast
    next anyway, as in a convolution with stride over an image of unblocked channels."""

    name: ClassVar[str] = "tloop-unroll-strided-reads"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, {"vector.transfer_read": unroll})
