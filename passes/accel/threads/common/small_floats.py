"""Floats of 8 bits: bytes in registers, which conversions extend to wider floats."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, scf, vector
from mlc.dialects import accel
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadTile
from mlc.passes.accel.threads.common.elementwise import elementwise
from mlc.passes.accel.threads.common.layout_conversions import tile_in_layout
from mlc.passes.base import PassError
from mlc.passes.common.constants import i8
from mlc.passes.common.linalg_builders import constant
from mlc.passes.common.narrow_floats import FORMATS, MULTIPLIED, Format, narrow, widen

# The ops that take them; others take extended values.
MOVES = (
    accel.Mma.NAME,
    arith.Bitcast.NAME,
    arith.Constant.NAME,
    arith.ExtF.NAME,
    arith.Select.NAME,
    arith.TruncF.NAME,
    scf.For.NAME,
    scf.If.NAME,
    scf.Yield.NAME,
    vector.Broadcast.NAME,
    vector.ShapeCast.NAME,
    vector.TransferRead.NAME,
    vector.TransferWrite.NAME,
    vector.Transpose.NAME,
)
_CODE, _SIGN = 0x7F, 0x80


def format_of(element: ir.Type) -> Format | None:
    """Returns the format of a float of 8 bits that matrix units multiply, or None for other types."""
    return FORMATS[type(element)] if isinstance(element, MULTIPLIED) else None


def multiplied_type(element: ir.Type) -> ir.Type:
    """Returns the type in which matrix units without floats of 8 bits multiply: f16, which holds them
    exactly."""
    return element if format_of(element) is None else ir.F16Type.get()


def as_multiplied(tile: ThreadTile, element: ir.Type) -> ThreadTile:
    """Returns a tile of elements of type `element`, converted to `multiplied_type(element)`."""
    form = format_of(element)
    return (
        tile
        if form is None
        else ThreadTile(tile.layout, tuple(as_half(value, form) for value in tile.values))
    )


def as_half(byte: ir.Value, form: Format) -> ir.Value:
    """Returns the f16 of equal value: its exponent of 5 bits is at least as wide."""
    half, word = ir.F16Type.get(), ir.IntegerType.get_signless(16)
    bits = arith.extui(word, byte)
    sign = arith.shli(arith.andi(bits, constant(word, _SIGN)), constant(word, 8))
    code = arith.andi(bits, constant(word, _CODE))
    shifted = arith.bitcast(half, arith.ori(sign, arith.shli(code, constant(word, 10 - form.mantissa))))
    if form.bias == 15:
        return shifted
    scaled = arith.mulf(shifted, constant(half, 2.0 ** (15 - form.bias)))
    is_nan = arith.cmpi(arith.CmpIPredicate.ugt, code, constant(word, form.largest))
    return arith.select(is_nan, constant(half, float("nan")), scaled)


def extend(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `arith.extf`."""
    (operand,), (result,) = op.operands, op.results
    form = format_of(_element(operand))
    if form is None:
        elementwise(code, op)
        return
    _convert(code, operand, result, lambda byte: _resize_float(widen(byte, form), _element(result)))


def truncate(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `arith.truncf`. Raises PassError for f64 to 8 bits, which would round twice."""
    (operand,), (result,) = op.operands, op.results
    form = format_of(_element(result))
    if form is None:
        elementwise(code, op)
        return
    if _element(operand).width > 32:
        raise PassError("cannot distribute a conversion of f64 to 8 bits, which rounds twice", op.location)
    byte, f32 = i8(), ir.F32Type.get()
    _convert(code, operand, result, lambda value: arith.trunci(byte, narrow(_resize_float(value, f32), form)))


def bitcast(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `arith.bitcast`; between a float of 8 bits and an i8 it is the identity."""
    (operand,), (result,) = op.operands, op.results
    if format_of(_element(operand)) is None and format_of(_element(result)) is None:
        elementwise(code, op)
    else:
        _convert(code, operand, result, lambda byte: byte)


def _convert(
    code: ThreadCode, operand: ir.Value, result: ir.Value, convert: Callable[[ir.Value], ir.Value]
) -> None:
    if not isinstance(result.type, ir.VectorType):
        code.values[result] = convert(code.scalar(operand))
        return
    layout = code.layouts[result]
    tile = tile_in_layout(code, operand, layout)
    code.values[result] = ThreadTile(layout, tuple(map(convert, tile.values)))


def _resize_float(value: ir.Value, target: ir.Type) -> ir.Value:
    before, after = value.type.width, target.width
    if before == after:
        return value
    return arith.extf(target, value) if before < after else arith.truncf(target, value)


def _element(value: ir.Value) -> ir.Type:
    type_ = value.type
    return type_.element_type if isinstance(type_, ir.VectorType) else type_


HANDLERS = {arith.Bitcast.NAME: bitcast, arith.ExtF.NAME: extend, arith.TruncF.NAME: truncate}
