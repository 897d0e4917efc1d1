"""Whether a launch's threads exchange what their registers hold: by way of shared memory, which must then be
left for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mlc.bindings import arith, ir, scf, vector
from mlc.dialects import accel
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.distribution.layout_relations import vectors_of
from mlc.passes.accel.threads.common.elementwise import broadcast_source
from mlc.passes.accel.threads.common.transfers import Transfer
from mlc.passes.common.rewriting import collect_ops, defining_op

Layouts = Mapping[ir.Value, Layout]


def moves_nothing(launch: ir.Operation, layouts: Layouts) -> bool:
    """Whether each thread computes of what it has only, in all ops that are known here; others may move
    tiles."""
    return all(_stays(op, layouts) for op in collect_ops(launch) if vectors_of(op))


def _stays(op: ir.Operation, layouts: Layouts) -> bool:
    if op.name in _STAYING:
        return _STAYING[op.name](op, layouts)
    return op.name.startswith(("arith.", "math.")) and _alike(op, layouts)


def _alike(op: ir.Operation, layouts: Layouts) -> bool:
    """Whether operands lie as the first result does; constants are made anew in any layout."""
    operands = [operand for operand in op.operands if isinstance(operand.type, ir.VectorType)]
    moved = [operand for operand in operands if defining_op(operand, arith.Constant.NAME) is None]
    return all(layouts[each].same_threads(layouts[op.results[0]]) for each in moved)


def _broadcast(op: ir.Operation, layouts: Layouts) -> bool:
    (operand,), (result,) = op.operands, op.results
    if not isinstance(operand.type, ir.VectorType):
        return True
    return layouts[operand].same_threads(broadcast_source(layouts[result], operand.type))


def _reshape(op: ir.Operation, layouts: Layouts) -> bool:
    (operand,), (result,) = op.operands, op.results
    return layouts[operand].same_threads(layouts[result].reshape(list(operand.type.shape)))


def _transpose(op: ir.Operation, layouts: Layouts) -> bool:
    (operand,), (result,) = op.operands, op.results
    order = list(ir.DenseI64ArrayAttr(op.attributes["permutation"]))
    return layouts[operand].transpose(order).same_threads(layouts[result])


def _product(op: ir.Operation, layouts: Layouts) -> bool:
    """Whose operands lie in shared memory."""
    operands = [isinstance(operand.type, ir.VectorType) for operand in list(op.operands)[:2]]
    return not any(operands) and _alike(op, layouts)


def _loop(op: ir.Operation, layouts: Layouts) -> bool:
    body = op.regions[0].blocks[0]
    yielded = body.operations[len(body.operations) - 1].operation.operands
    groups = zip(list(op.operands)[3:], yielded, op.results, strict=True)
    tiles = [group for group in groups if isinstance(group[-1].type, ir.VectorType)]
    return all(
        defining_op(each, arith.Constant.NAME) is not None or layouts[each].same_threads(layouts[result])
        for *given, result in tiles
        for each in given
    )


def _transfer(op: ir.Operation, _layouts: Layouts) -> bool:
    return Transfer(op).mask is None


def _always(_op: ir.Operation, _layouts: Layouts) -> bool:
    return True


_STAYING: dict[str, Callable[[ir.Operation, Layouts], bool]] = {
    accel.Mma.NAME: _product,
    arith.Constant.NAME: _always,
    scf.For.NAME: _loop,
    scf.Yield.NAME: _always,
    vector.Broadcast.NAME: _broadcast,
    vector.ExtractStridedSlice.NAME: _always,
    vector.ShapeCast.NAME: _reshape,
    vector.TransferRead.NAME: _transfer,
    vector.TransferWrite.NAME: _transfer,
    vector.Transpose.NAME: _transpose,
}
