"""`accel.mma`: multiplies tiles with the matrix unit or with multiply-adds."""

from __future__ import annotations

from mlc.bindings import arith, ir, math
from mlc.dialects import accel
from mlc.passes.accel.common.matrix_layouts import columns_of, rows_of
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadTile
from mlc.passes.accel.threads.common.layout_conversions import tile_in_layout
from mlc.passes.accel.threads.common.operands import MmaOperand
from mlc.passes.accel.threads.common.small_floats import format_of
from mlc.passes.common.linalg_builders import is_unsigned
from mlc.passes.common.narrow_floats import widen

# Steps of the reduction whose operands a thread holds at a time, without a matrix unit.
STEPS = 4


def mma(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.mma`: for each step of the reduction the loads of its operands, then their products."""
    view = accel.Mma(op)
    result = view.result
    start = tile_in_layout(code, view.accumulator, code.layouts[result])
    left, right = MmaOperand(code, op, 0), MmaOperand(code, op, 1)
    lowering = code.architecture.mma_lowering(op)
    if lowering is not None:
        code.values[result] = lowering.emit(start, left, right)
    else:
        code.values[result] = _emit_multiply_adds(start, left, right)


def _emit_multiply_adds(start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
    """Multiplies each thread's rows by its columns."""
    layout, sums = start.layout, list(start.values)
    steps = min(STEPS, left.depth)
    for first in range(0, left.depth, steps):
        a, b = left.part(rows_of(layout, steps), first), right.part(columns_of(layout, steps), first)
        for step in range(steps):
            for register in range(layout.size):
                row, column = layout.offset(register)
                x, total = a.values[a.layout.register_at((row, step))], sums[register]
                y = b.values[b.layout.register_at((step, column))]
                x, y = _extend(x, left.element, total.type), _extend(y, right.element, total.type)
                sums[register] = _multiply_add(x, y, total)
    return ThreadTile(layout, tuple(sums))


def _extend(value: ir.Value, element: ir.Type, target: ir.Type) -> ir.Value:
    """Converts a value of type `element` to the type of the accumulator."""
    if value.type == target:
        return value
    if (form := format_of(element)) is not None:
        return widen(value, form)
    if isinstance(target, ir.IntegerType):
        return (arith.ExtUIOp if is_unsigned(element) else arith.ExtSIOp)(target, value).result
    return arith.ExtFOp(target, value).result


def _multiply_add(x: ir.Value, y: ir.Value, total: ir.Value) -> ir.Value:
    """Returns `x * y + total`."""
    if isinstance(total.type, ir.IntegerType):
        return arith.AddIOp(arith.MulIOp(x, y).result, total).result
    return math.FmaOp(x, y, total).result


HANDLERS = {accel.Mma.NAME: mma}
