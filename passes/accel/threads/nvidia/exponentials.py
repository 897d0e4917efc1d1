"""Powers of two by `ex2.approx`, where they may be approximate: errors of 2^-22, and no subnormal numbers.

Source: NVIDIA's PTX documentation, "ex2".
"""

from __future__ import annotations

from mlc.bindings import ir, nvvm
from mlc.passes.accel.threads.common.code import ThreadCode, Tile
from mlc.passes.accel.threads.common.elementwise import elementwise
from mlc.passes.accel.threads.common.layout_conversions import laid_out
from mlc.passes.common.fast_math import is_approximate


def exp2(code: ThreadCode, op: ir.Operation) -> None:
    """`math.exp2`."""
    (operand,), (result,) = op.operands, op.results
    is_f32 = isinstance(result.type, ir.VectorType) and isinstance(result.type.element_type, ir.F32Type)
    if not is_f32 or not is_approximate(op):
        elementwise(code, op)
        return
    tile = laid_out(code, operand, code.layouts[result])
    code.values[result] = Tile(tile.layout, tuple(nvvm.ex2(each, ftz=True) for each in tile.values))


HANDLERS = {"math.exp2": exp2}
