"""`accel.mma`: products of tiles, by tensor units or by multiply-adds."""

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

# Steps of the reduction whose numbers a thread holds at a time, without tensor units.
STEPS = 4


def mma(code: ThreadCode, op: ir.Operation) -> None:
    """One step of the reduction after the other: its operands, then their products."""
    (result,) = op.results
    start = tile_in_layout(code, op.operands[2], code.layouts[result])
    left, right = MmaOperand(code, op, 0), MmaOperand(code, op, 1)
    product = code.architecture.mma_lowering(op)
    if product is not None:
        code.values[result] = product.emit(start, left, right)
    else:
        code.values[result] = _by_multiply_adds(start, left, right)


def _by_multiply_adds(start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
    """Each thread multiplies its rows by its columns."""
    layout, sums = start.layout, list(start.values)
    steps = min(STEPS, left.depth)
    for first in range(0, left.depth, steps):
        a, b = left.part(rows_of(layout, steps), first), right.part(columns_of(layout, steps), first)
        for step in range(steps):
            for register in range(layout.size):
                row, column = layout.offset(register)
                x = _widened(a.values[a.layout.register_at((row, step))], left.element, sums[register].type)
                y = _widened(
                    b.values[b.layout.register_at((step, column))], right.element, sums[register].type
                )
                sums[register] = _multiply_add(x, y, sums[register])
    return ThreadTile(layout, tuple(sums))


def _widened(value: ir.Value, element: ir.Type, kind: ir.Type) -> ir.Value:
    """A number of type `element` in the type of the sums."""
    if value.type == kind:
        return value
    if (form := format_of(element)) is not None:
        return widen(value, form)
    if isinstance(kind, ir.IntegerType):
        return (arith.ExtUIOp if is_unsigned(element) else arith.ExtSIOp)(kind, value).result
    return arith.ExtFOp(kind, value).result


def _multiply_add(x: ir.Value, y: ir.Value, total: ir.Value) -> ir.Value:
    """`x * y + total`."""
    if isinstance(total.type, ir.IntegerType):
        return arith.AddIOp(arith.MulIOp(x, y).result, total).result
    return math.FmaOp(x, y, total).result


HANDLERS = {accel.Mma.NAME: mma}
