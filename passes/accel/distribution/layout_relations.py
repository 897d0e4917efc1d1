"""Relations between the layouts of a launch's vectors."""

from __future__ import annotations

import math
from collections.abc import Callable

from mlc.bindings import arith, ir, scf, vector
from mlc.dialects import accel
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.threads.common.elementwise import broadcast_source
from mlc.passes.accel.threads.common.transfers import Transfer, mask_layout
from mlc.passes.common.rewriting import defining_op

# A value, and the function that computes its layout from another value's one; None if no layout follows.
Relation = tuple[ir.Value, Callable[[Layout], Layout | None]]


def vectors_of(op: ir.Operation) -> list[ir.Value]:
    """Returns the results and operands of an op that are vectors."""
    return [result for result in (*op.results, *op.operands) if isinstance(result.type, ir.VectorType)]


class LayoutRelations:
    """The relations between the layouts of the operands and results of ops."""

    def __init__(self, ops: list[ir.Operation]) -> None:
        self.followers: dict[ir.Value, list[Relation]] = {}
        for op in ops:
            relate = _RELATIONS.get(op.name)
            if relate is not None:
                relate(self, op)
            elif op.name.startswith(("arith.", "math.")):
                self.same(vectors_of(op))

    def same(self, values: list[ir.Value]) -> None:
        """Relates values that have equal layouts."""
        for one in values:
            for other in values:
                if one != other:
                    self.follows(other, one, lambda layout: layout)

    def follows(self, value: ir.Value, source: ir.Value, how: Callable[[Layout], Layout | None]) -> None:
        """Relates `value` to `source`, from whose layout `how` computes that of `value`. Constants relate
        nothing: they are rematerialised in every layout."""
        if defining_op(source, arith.Constant.NAME) is None:
            self.followers.setdefault(source, []).append((value, how))

    def loads_for(self, value: ir.Value) -> list[ir.Value]:
        """Returns the loads of tiles of equal size whose layouts follow from that of `value`."""
        found, waiting = {value}, [value]
        for related in waiting:
            others = [other for other, _ in self.followers.get(related, []) if other not in found]
            waiting += others
            found.update(others)
        size = math.prod(value.type.shape)
        loads = [tile for tile in waiting if defining_op(tile, vector.TransferRead.NAME) is not None]
        return [load for load in loads if math.prod(load.type.shape) == size]

    def reduced_rows(self, ops: list[ir.Operation]) -> set[ir.Value]:
        """Returns the matrices that are reduced along their rows, and all that are related to them in either
        direction. A warp should have whole rows of them, so that warps exchange no partial results."""
        related_to: dict[ir.Value, list[ir.Value]] = {}
        for source, followers in self.followers.items():
            for value, _ in followers:
                related_to.setdefault(source, []).append(value)
                related_to.setdefault(value, []).append(source)
        found: set[ir.Value] = set()
        waiting = [vector.MultiDimReduction(op).source for op in ops if _reduces_rows(op)]
        while waiting:
            value = waiting.pop()
            if value not in found:
                found.add(value)
                waiting += related_to.get(value, [])
        return found


def _reduces_rows(op: ir.Operation) -> bool:
    return (
        op.name == vector.MultiDimReduction.NAME
        and vector.MultiDimReduction(op).source.type.rank == 2
        and list(vector.MultiDimReduction(op).reduction_dims) == [1]
    )


def _relate_loop(relations: LayoutRelations, op: ir.Operation) -> None:
    loop = scf.For(op)
    yielded = loop.terminator.operands
    groups = zip(loop.init_args, loop.iteration_arguments, yielded, op.results, strict=True)
    for given, argument, after, result in groups:
        if isinstance(result.type, ir.VectorType):
            relations.same([argument, given, after, result])


def _relate_branch(relations: LayoutRelations, op: ir.Operation) -> None:
    for region in op.regions:
        for block in region:
            yielded = block.operations[len(block.operations) - 1].operation.operands
            for value, result in zip(yielded, op.results, strict=True):
                if isinstance(result.type, ir.VectorType):
                    relations.same([value, result])


def _relate_broadcast(relations: LayoutRelations, op: ir.Operation) -> None:
    operand, result = vector.Broadcast(op).source, vector.Broadcast(op).vector
    if isinstance(operand.type, ir.VectorType):
        relations.follows(operand, result, lambda layout: broadcast_source(layout, operand.type))


def _relate_reduction(relations: LayoutRelations, op: ir.Operation) -> None:
    reduction = vector.MultiDimReduction(op)
    result, dims = reduction.dest, reduction.reduction_dims
    for value in (result, reduction.acc):
        if isinstance(value.type, ir.VectorType):
            relations.follows(value, reduction.source, lambda layout: layout.remove_dims(dims))
            relations.follows(value, result, lambda layout: layout)
            relations.follows(result, value, lambda layout: layout)


def _relate_reshape(relations: LayoutRelations, op: ir.Operation) -> None:
    operand, result = vector.ShapeCast(op).source, vector.ShapeCast(op).result
    relations.follows(result, operand, lambda layout: layout.reshape(list(result.type.shape)))
    relations.follows(operand, result, lambda layout: layout.reshape(list(operand.type.shape)))


def _relate_part(relations: LayoutRelations, op: ir.Operation) -> None:
    operand, result = vector.ExtractStridedSlice(op).source, op.results[0]
    relations.follows(result, operand, lambda layout: layout.part(list(result.type.shape)))


def _relate_transpose(relations: LayoutRelations, op: ir.Operation) -> None:
    operand, result = vector.Transpose(op).vector, vector.Transpose(op).result
    order = list(vector.Transpose(op).permutation)
    if _breaks_coalescing(operand, order):
        return
    back = [order.index(dim) for dim in range(len(order))]
    relations.follows(result, operand, lambda layout: layout.transpose(order))
    relations.follows(operand, result, lambda layout: layout.transpose(back))


def _relate_transfer(relations: LayoutRelations, op: ir.Operation) -> None:
    mask = Transfer(op).mask
    if mask is not None:
        read = vector.TransferRead.match(op)
        tile = vector.TransferWrite(op).value_to_store if read is None else read.vector
        relations.follows(mask, tile, lambda layout: mask_layout(op, layout))


def _breaks_coalescing(value: ir.Value, order: list[int]) -> bool:
    """Whether a tile is read from memory along one dim, and is used along another: threads then exchange
    elements, so that adjacent threads access contiguous elements."""
    read = defining_op(value, vector.TransferRead.NAME) is not None
    first, last = value.type.shape[-1], value.type.shape[order[-1]]
    return read and order[-1] != len(order) - 1 and first > 1 and last > 1


def _relate_gather(relations: LayoutRelations, op: ir.Operation) -> None:
    relations.same(vectors_of(op))


def _relate_mma(relations: LayoutRelations, op: ir.Operation) -> None:
    relations.same([accel.Mma(op).accumulator, accel.Mma(op).result])


_RELATIONS: dict[str, Callable[[LayoutRelations, ir.Operation], None]] = {
    accel.Mma.NAME: _relate_mma,
    scf.For.NAME: _relate_loop,
    scf.If.NAME: _relate_branch,
    vector.Broadcast.NAME: _relate_broadcast,
    vector.ExtractStridedSlice.NAME: _relate_part,
    vector.Gather.NAME: _relate_gather,
    vector.MultiDimReduction.NAME: _relate_reduction,
    vector.ShapeCast.NAME: _relate_reshape,
    vector.TransferRead.NAME: _relate_transfer,
    vector.TransferWrite.NAME: _relate_transfer,
    vector.Transpose.NAME: _relate_transpose,
}
