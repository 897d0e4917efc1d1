"""The check whether tiles of a launch change layouts, through shared memory, which must then be reserved."""

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
    """Whether no op exchanges elements between threads. Ops that are not in the table may."""
    return all(_stays(op, layouts) for op in collect_ops(launch) if vectors_of(op))


def _stays(op: ir.Operation, layouts: Layouts) -> bool:
    if op.name in _STAYING:
        return _STAYING[op.name](op, layouts)
    return op.name.startswith(("arith.", "math.")) and _same_layouts(op, layouts)


def _same_layouts(op: ir.Operation, layouts: Layouts) -> bool:
    """Whether operands have the layout of the first result; constants are rematerialised in any layout."""
    operands = [operand for operand in op.operands if isinstance(operand.type, ir.VectorType)]
    moved = [operand for operand in operands if defining_op(operand, arith.Constant.NAME) is None]
    return all(layouts[operand].same_threads(layouts[op.results[0]]) for operand in moved)


def _broadcast(op: ir.Operation, layouts: Layouts) -> bool:
    operand, result = vector.Broadcast(op).source, vector.Broadcast(op).vector
    if not isinstance(operand.type, ir.VectorType):
        return True
    return layouts[operand].same_threads(broadcast_source(layouts[result], operand.type))


def _reshape(op: ir.Operation, layouts: Layouts) -> bool:
    operand, result = vector.ShapeCast(op).source, vector.ShapeCast(op).result
    return layouts[operand].same_threads(layouts[result].reshape(list(operand.type.shape)))


def _transpose(op: ir.Operation, layouts: Layouts) -> bool:
    view = vector.Transpose(op)
    return layouts[view.vector].transpose(view.permutation).same_threads(layouts[view.result])


def _mma(op: ir.Operation, layouts: Layouts) -> bool:
    factors = (accel.Mma(op).a, accel.Mma(op).b)
    return not any(isinstance(factor.type, ir.VectorType) for factor in factors) and _same_layouts(
        op, layouts
    )


def _loop(op: ir.Operation, layouts: Layouts) -> bool:
    groups = zip(scf.For(op).init_args, scf.For(op).terminator.operands, op.results, strict=True)
    tiles = [group for group in groups if isinstance(group[-1].type, ir.VectorType)]
    return all(
        defining_op(value, arith.Constant.NAME) is not None or layouts[value].same_threads(layouts[result])
        for *given, result in tiles
        for value in given
    )


def _transfer(op: ir.Operation, _layouts: Layouts) -> bool:
    return Transfer(op).mask is None


def _always(_op: ir.Operation, _layouts: Layouts) -> bool:
    return True


_STAYING: dict[str, Callable[[ir.Operation, Layouts], bool]] = {
    accel.Mma.NAME: _mma,
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
