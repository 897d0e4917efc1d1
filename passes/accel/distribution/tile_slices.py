"""Parts of tiles, computed anew of parts of what they are computed of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlc.bindings import arith, ir, vector
from mlc.passes.common.computation import dim_position
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import attributes_of, defining_op


@dataclass(frozen=True)
class Cut:
    """`width` elements from `start` on along the last dim of a tile. Of the ops in `block` that compute it,
    those on elements are computed for these only, reads of memories that are in none of `written` too; of all
    else the part is taken."""

    block: ir.Block
    written: frozenset[ir.Value]
    start: int
    width: int

    def of(self, value: ir.Value) -> ir.Value:
        """The part of a tile, made at the insertion point."""
        if value.type.shape[-1] == self.width:
            return value
        made = None if isinstance(value, ir.BlockArgument) else defining_op(value)
        part = None
        if made is not None and made.block == self.block and len(made.results) == 1:
            cut = _CUTS.get(made.name)
            if cut is not None:
                part = cut(self, made)
            elif made.name.startswith(("arith.", "math.")):
                part = self.elementwise(made)
        return self.taken(value) if part is None else part

    def kind(self, value: ir.Value) -> ir.VectorType:
        """Of the part."""
        return ir.VectorType.get([*value.type.shape[:-1], self.width], value.type.element_type)

    def taken(self, value: ir.Value) -> ir.Value:
        rank = value.type.rank
        offsets, sizes = [0] * (rank - 1) + [self.start], [*value.type.shape[:-1], self.width]
        kind = self.kind(value)
        return vector.ExtractStridedSliceOp(kind, value, offsets, sizes, [1] * rank).result

    def elementwise(self, op: ir.Operation) -> ir.Value:
        operands = [self.of(operand) if _is_tile(operand) else operand for operand in op.operands]
        kinds = [self.kind(op.results[0])]
        return ir.Operation.create(op.name, kinds, operands, attributes_of(op)).results[0]

    def constant(self, op: ir.Operation) -> ir.Value | None:
        given = op.attributes["value"]
        if not given.is_splat:
            return None
        kind = self.kind(op.results[0])
        return arith.ConstantOp(kind, ir.DenseElementsAttr.get_splat(kind, given.get_splat_value())).result

    def broadcast(self, op: ir.Operation) -> ir.Value:
        (operand,) = op.operands
        if _is_tile(operand) and operand.type.shape[-1] > 1:
            operand = self.of(operand)
        return vector.BroadcastOp(self.kind(op.results[0]), operand).result

    def reshape(self, op: ir.Operation) -> ir.Value | None:
        """As long as it leaves the last dim as it is."""
        (operand,), (result,) = op.operands, op.results
        if operand.type.shape[-1] != result.type.shape[-1]:
            return None
        return vector.ShapeCastOp(self.kind(result), self.of(operand)).result

    def read(self, op: ir.Operation) -> ir.Value | None:
        """Of the last dim's part of a memory."""
        memory, *indices, padding = op.operands
        access = ir.AffineMapAttr(op.attributes["permutation_map"])
        dim = dim_position(access.value.results[-1])
        if memory_of(memory) in self.written or len(indices) != memory.type.rank:
            return None
        if dim is not None:
            indices[dim] = arith.AddIOp(indices[dim], index(self.start)).result
        kind = self.kind(op.results[0])
        inside = op.attributes["in_bounds"]
        return vector.TransferReadOp(kind, memory, indices, access, padding, inside).result


def memory_of(memref: ir.Value) -> ir.Value:
    """What a view is of."""
    while not isinstance(memref, ir.BlockArgument) and len(memref.owner.operands):
        memref = memref.owner.operands[0]
    return memref


def _is_tile(value: ir.Value) -> bool:
    return isinstance(value.type, ir.VectorType)


_CUTS: dict[str, Callable[[Cut, ir.Operation], ir.Value | None]] = {
    arith.Constant.NAME: Cut.constant,
    vector.Broadcast.NAME: Cut.broadcast,
    vector.ShapeCast.NAME: Cut.reshape,
    vector.TransferRead.NAME: Cut.read,
}
