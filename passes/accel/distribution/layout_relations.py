"""Which vectors of a launch have their layouts from one another's."""

from __future__ import annotations

import math
from collections.abc import Callable

from mlc.bindings import arith, ir, scf, vector
from mlc.dialects import accel
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.threads.common.elementwise import broadcast_source
from mlc.passes.accel.threads.common.transfers import Transfer, mask_layout
from mlc.passes.common.rewriting import defining_op

# From one value's layout follows that of another, by a function; or none, where that is None.
Relation = tuple[ir.Value, Callable[[Layout], Layout | None]]


def vectors_of(op: ir.Operation) -> list[ir.Value]:
    """What an op makes or takes."""
    return [result for result in (*op.results, *op.operands) if isinstance(result.type, ir.VectorType)]


class LayoutRelations:
    """What ops say of their operands' and results' layouts."""

    def __init__(self, ops: list[ir.Operation]) -> None:
        self.followers: dict[ir.Value, list[Relation]] = {}
        for op in ops:
            relate = _RELATIONS.get(op.name)
            if relate is not None:
                relate(self, op)
            elif op.name.startswith(("arith.", "math.")):
                self.same(vectors_of(op))

    def same(self, values: list[ir.Value]) -> None:
        """All have one layout."""
        for one in values:
            for other in values:
                if one != other:
                    self.follows(other, one, lambda layout: layout)

    def follows(self, value: ir.Value, source: ir.Value, how: Callable[[Layout], Layout | None]) -> None:
        """The layout of `value` follows from that of `source`; nothing does from a constant's, which is made
        anew in every layout."""
        if defining_op(source, arith.Constant.NAME) is None:
            self.followers.setdefault(source, []).append((value, how))

    def loads_for(self, value: ir.Value) -> list[ir.Value]:
        """Tiles of as many elements that are read from memory in a layout that follows from that of
        `value`."""
        found, waiting = {value}, [value]
        for each in waiting:
            others = [other for other, _ in self.followers.get(each, []) if other not in found]
            waiting += others
            found.update(others)
        size = math.prod(value.type.shape)
        loads = [each for each in waiting if defining_op(each, vector.TransferRead.NAME) is not None]
        return [load for load in loads if math.prod(load.type.shape) == size]

    def reduced_rows(self, ops: list[ir.Operation]) -> set[ir.Value]:
        """Matrices that are reduced along their rows, and all that meet them, by relations in both
        directions: what one warp has of a row it need not ask another one for."""
        beside: dict[ir.Value, list[ir.Value]] = {}
        for source, followers in self.followers.items():
            for value, _ in followers:
                beside.setdefault(source, []).append(value)
                beside.setdefault(value, []).append(source)
        found: set[ir.Value] = set()
        waiting = [op.operands[0] for op in ops if _reduces_rows(op)]
        while waiting:
            value = waiting.pop()
            if value not in found:
                found.add(value)
                waiting += beside.get(value, [])
        return found


def _reduces_rows(op: ir.Operation) -> bool:
    return (
        op.name == vector.MultiDimReduction.NAME
        and vector.MultiDimReduction(op).source.type.rank == 2
        and list(ir.DenseI64ArrayAttr(op.attributes["reduction_dims"])) == [1]
    )


def _relate_loop(relations: LayoutRelations, op: ir.Operation) -> None:
    body = op.regions[0].blocks[0]
    yielded = body.operations[len(body.operations) - 1].operation.operands
    groups = zip(list(op.operands)[3:], list(body.arguments)[1:], yielded, op.results, strict=True)
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
    (operand,), (result,) = op.operands, op.results
    if isinstance(operand.type, ir.VectorType):
        relations.follows(operand, result, lambda layout: broadcast_source(layout, operand.type))


def _relate_reduction(relations: LayoutRelations, op: ir.Operation) -> None:
    source, initial = op.operands
    (result,) = op.results
    dims = list(ir.DenseI64ArrayAttr(op.attributes["reduction_dims"]))
    for each in (result, initial):
        if isinstance(each.type, ir.VectorType):
            relations.follows(each, source, lambda layout: layout.remove_dims(dims))
            relations.follows(each, result, lambda layout: layout)
            relations.follows(result, each, lambda layout: layout)


def _relate_reshape(relations: LayoutRelations, op: ir.Operation) -> None:
    (operand,), (result,) = op.operands, op.results
    relations.follows(result, operand, lambda layout: layout.reshape(list(result.type.shape)))
    relations.follows(operand, result, lambda layout: layout.reshape(list(operand.type.shape)))


def _relate_part(relations: LayoutRelations, op: ir.Operation) -> None:
    (operand,), (result,) = op.operands, op.results
    relations.follows(result, operand, lambda layout: layout.part(list(result.type.shape)))


def _relate_transpose(relations: LayoutRelations, op: ir.Operation) -> None:
    (operand,), (result,) = op.operands, op.results
    order = list(ir.DenseI64ArrayAttr(op.attributes["permutation"]))
    if _turns_neighbours(operand, order):
        return
    back = [order.index(dim) for dim in range(len(order))]
    relations.follows(result, operand, lambda layout: layout.transpose(order))
    relations.follows(operand, result, lambda layout: layout.transpose(back))


def _relate_transfer(relations: LayoutRelations, op: ir.Operation) -> None:
    mask = Transfer(op).mask
    if mask is not None:
        tile = vector.TransferRead(op).vector if op.name == vector.TransferRead.NAME else op.operands[0]
        relations.follows(mask, tile, lambda layout: mask_layout(op, layout))


def _turns_neighbours(value: ir.Value, order: list[int]) -> bool:
    """Whether a tile is read from memory along one dim, and is used along another: threads then change what
    they have, so that neighbours read and write neighbours."""
    read = defining_op(value, vector.TransferRead.NAME) is not None
    first, last = value.type.shape[-1], value.type.shape[order[-1]]
    return read and order[-1] != len(order) - 1 and first > 1 and last > 1


def _relate_gather(relations: LayoutRelations, op: ir.Operation) -> None:
    relations.same(vectors_of(op))


def _relate_product(relations: LayoutRelations, op: ir.Operation) -> None:
    relations.same([op.operands[2], op.results[0]])


_RELATIONS: dict[str, Callable[[LayoutRelations, ir.Operation], None]] = {
    accel.Mma.NAME: _relate_product,
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
