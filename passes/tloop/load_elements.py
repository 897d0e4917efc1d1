"""tloop-load-elements: vector reads of which only single elements are used become loads of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, memref
from mlc.passes.base import Pass
from mlc.passes.rewriting import apply_patterns, replace_op
from mlc.passes.tloop.computation import dim_position
from mlc.passes.tloop.target_attribute import keeps_rows_in_vectors, target_of


def load_elements(op: ir.Operation) -> bool:
    """One load for each element that is used, where the read was: what is stored later does not matter."""
    extracts = [use.owner.operation for use in op.results[0].uses]
    results = list(op.attributes["permutation_map"].value.results)
    dims = [dim for dim in map(dim_position, results) if dim is not None]
    if len(dims) != len(results) or not is_plain_read(op) or not all(map(is_scalar_extract, extracts)):
        return False
    source = op.operands[0]
    base = list(op.operands)[1 : 1 + ir.MemRefType(source.type).rank]
    loads: dict[tuple[int, ...], ir.Value] = {}
    for extract in extracts:
        position = tuple(extract.attributes["static_position"])
        if position not in loads:
            indices = list(base)
            for dim, offset in zip(dims, position, strict=True):
                indices[dim] = _plus(indices[dim], offset)
            loads[position] = memref.load(source, indices)
        replace_op(extract, loads[position])
    op.erase()
    return True


def is_plain_read(op: ir.Operation) -> bool:
    """Whether all that `op` reads from a buffer is inside it, without a mask."""
    in_bounds = all(flag.value for flag in op.attributes["in_bounds"])
    masked = list(op.attributes["operandSegmentSizes"])[-1] == 1
    return isinstance(op.operands[0].type, ir.MemRefType) and in_bounds and not masked


def is_scalar_extract(op: ir.Operation) -> bool:
    """Whether `op` takes one element at a place that is known."""
    return (
        op.name == "vector.extract"
        and len(op.operands) == 1
        and not isinstance(op.results[0].type, ir.VectorType)
    )


def _plus(index: ir.Value, offset: int) -> ir.Value:
    if offset == 0:
        return index
    kind = ir.IndexType.get()
    return arith.addi(index, arith.ConstantOp(kind, ir.IntegerAttr.get(kind, offset)).result)


@dataclass(frozen=True)
class LoadElements(Pass):
    """Rewrite a `vector.transfer_read` whose elements are each used as numbers, such as the rows' operand of
    a product, to a load per element: a processor that broadcasts what it loads needs no register for the
    rest of the vector. On NEON, whose multiply-add takes a lane of a vector, and on x86 with AVX, where LLVM
    does the same, reads stay."""

    name: ClassVar[str] = "tloop-load-elements"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        if not keeps_rows_in_vectors(target_of(op)):
            apply_patterns(op, {"vector.transfer_read": load_elements})
