"""Slices of tiles, computed from slices of the operands of the ops that compute them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlc.bindings import arith, ir, vector
from mlc.passes.common.computation import dim_position
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import attributes_of, defining_op


@dataclass(frozen=True)
class TileSlice:
    """A slice of a tile: `width` elements from `start` on along the last dim. Of the ops in `block` that
    compute it, elementwise ones, and reads of memories that are not in `written`, are rebuilt for the slice
    only; the slice is extracted from the results of all others."""

    block: ir.Block
    written: frozenset[ir.Value]
    start: int
    width: int

    def of(self, value: ir.Value) -> ir.Value:
        """Builds the slice of a tile at the insertion point."""
        if value.type.shape[-1] == self.width:
            return value
        op = None if isinstance(value, ir.BlockArgument) else defining_op(value)
        part = None
        if op is not None and op.block == self.block and len(op.results) == 1:
            rebuild = _SLICES.get(op.name)
            if rebuild is not None:
                part = rebuild(self, op)
            elif op.name.startswith(("arith.", "math.")):
                part = self.elementwise(op)
        return self.extract(value) if part is None else part

    def type_of(self, value: ir.Value) -> ir.VectorType:
        """Returns the type of the slice of a tile."""
        return ir.VectorType.get([*value.type.shape[:-1], self.width], value.type.element_type)

    def extract(self, value: ir.Value) -> ir.Value:
        """Extracts the slice from a tile."""
        rank = value.type.rank
        offsets, sizes = [0] * (rank - 1) + [self.start], [*value.type.shape[:-1], self.width]
        return vector.ExtractStridedSliceOp(self.type_of(value), value, offsets, sizes, [1] * rank).result

    def elementwise(self, op: ir.Operation) -> ir.Value:
        """Rebuilds an elementwise op."""
        operands = [self.of(operand) if _is_tile(operand) else operand for operand in op.operands]
        types = [self.type_of(op.results[0])]
        return ir.Operation.create(op.name, types, operands, attributes_of(op)).results[0]

    def constant(self, op: ir.Operation) -> ir.Value | None:
        """Rebuilds a constant that is a splat."""
        given = arith.Constant(op).value
        if not given.is_splat:
            return None
        part = self.type_of(arith.Constant(op).result)
        return arith.ConstantOp(part, ir.DenseElementsAttr.get_splat(part, given.get_splat_value())).result

    def broadcast(self, op: ir.Operation) -> ir.Value:
        """Rebuilds a broadcast."""
        operand = vector.Broadcast(op).source
        if _is_tile(operand) and operand.type.shape[-1] > 1:
            operand = self.of(operand)
        return vector.BroadcastOp(self.type_of(vector.Broadcast(op).vector), operand).result

    def reshape(self, op: ir.Operation) -> ir.Value | None:
        """Rebuilds a reshape that keeps the last dim."""
        operand, result = vector.ShapeCast(op).source, vector.ShapeCast(op).result
        if operand.type.shape[-1] != result.type.shape[-1]:
            return None
        return vector.ShapeCastOp(self.type_of(result), self.of(operand)).result

    def read(self, op: ir.Operation) -> ir.Value | None:
        """Rebuilds a read without a mask from a memory that is not written."""
        view = vector.TransferRead(op)
        memory, indices, access = view.base, view.indices, view.permutation_map
        dim = dim_position(access.results[-1])
        if memory_of(memory) in self.written or view.mask is not None:
            return None
        if dim is not None:
            indices[dim] = arith.AddIOp(indices[dim], index(self.start)).result
        inside = ir.ArrayAttr.get(view.in_bounds)
        part, permutation = self.type_of(view.vector), ir.AffineMapAttr.get(access)
        return vector.TransferReadOp(part, memory, indices, permutation, view.padding, inside).result


def memory_of(memref: ir.Value) -> ir.Value:
    """Returns the memref that a view is a view of."""
    while not isinstance(memref, ir.BlockArgument) and len(memref.owner.operands):
        memref = memref.owner.operands[0]
    return memref


def _is_tile(value: ir.Value) -> bool:
    return isinstance(value.type, ir.VectorType)


_SLICES: dict[str, Callable[[TileSlice, ir.Operation], ir.Value | None]] = {
    arith.Constant.NAME: TileSlice.constant,
    vector.Broadcast.NAME: TileSlice.broadcast,
    vector.ShapeCast.NAME: TileSlice.reshape,
    vector.TransferRead.NAME: TileSlice.read,
}
