"""Floats of 8 bits: in registers they are bytes, which conversions make numbers of."""

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

# What may be done with them: to compute, they are extended first.
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


def format_of(kind: ir.Type) -> Format | None:
    """None for what is no float of 8 bits that tensor units multiply."""
    return FORMATS[type(kind)] if isinstance(kind, MULTIPLIED) else None


def multiplied_type(kind: ir.Type) -> ir.Type:
    """What tensor units multiply that have no floats of 8 bits: f16, which holds them exactly."""
    return kind if format_of(kind) is None else ir.F16Type.get()


def as_multiplied(tile: ThreadTile, kind: ir.Type) -> ThreadTile:
    """A tile of elements of type `kind` as they are multiplied."""
    form = format_of(kind)
    return (
        tile
        if form is None
        else ThreadTile(tile.layout, tuple(as_half(value, form) for value in tile.values))
    )


def as_half(byte: ir.Value, form: Format) -> ir.Value:
    """The f16 of equal value: its exponent has 5 bits, at least as many."""
    half, word = ir.F16Type.get(), ir.IntegerType.get_signless(16)
    bits = arith.extui(word, byte)
    sign = arith.shli(arith.andi(bits, constant(word, _SIGN)), constant(word, 8))
    code = arith.andi(bits, constant(word, _CODE))
    placed = arith.bitcast(half, arith.ori(sign, arith.shli(code, constant(word, 10 - form.mantissa))))
    if form.bias == 15:
        return placed
    number = arith.mulf(placed, constant(half, 2.0 ** (15 - form.bias)))
    is_nan = arith.cmpi(arith.CmpIPredicate.ugt, code, constant(word, form.largest))
    return arith.select(is_nan, constant(half, float("nan")), number)


def extend(code: ThreadCode, op: ir.Operation) -> None:
    """`arith.extf`."""
    (operand,), (result,) = op.operands, op.results
    form = format_of(_element(operand))
    if form is None:
        elementwise(code, op)
        return
    _each(code, operand, result, lambda byte: _resized(widen(byte, form), _element(result)))


def truncate(code: ThreadCode, op: ir.Operation) -> None:
    """`arith.truncf`."""
    (operand,), (result,) = op.operands, op.results
    form = format_of(_element(result))
    if form is None:
        elementwise(code, op)
        return
    if _element(operand).width > 32:
        raise PassError("cannot distribute a conversion of f64 to 8 bits, which rounds twice", op.location)
    byte = i8()
    _each(
        code,
        operand,
        result,
        lambda number: arith.trunci(byte, narrow(_resized(number, ir.F32Type.get()), form)),
    )


def bitcast(code: ThreadCode, op: ir.Operation) -> None:
    """`arith.bitcast`: between a float of 8 bits and an i8 nothing changes."""
    (operand,), (result,) = op.operands, op.results
    if format_of(_element(operand)) is None and format_of(_element(result)) is None:
        elementwise(code, op)
    else:
        _each(code, operand, result, lambda byte: byte)


def _each(
    code: ThreadCode, operand: ir.Value, result: ir.Value, convert: Callable[[ir.Value], ir.Value]
) -> None:
    if not isinstance(result.type, ir.VectorType):
        code.values[result] = convert(code.scalar(operand))
        return
    layout = code.layouts[result]
    tile = tile_in_layout(code, operand, layout)
    code.values[result] = ThreadTile(layout, tuple(map(convert, tile.values)))


def _resized(number: ir.Value, kind: ir.Type) -> ir.Value:
    before, after = number.type.width, kind.width
    if before == after:
        return number
    return arith.extf(kind, number) if before < after else arith.truncf(kind, number)


def _element(value: ir.Value) -> ir.Type:
    kind = value.type
    return kind.element_type if isinstance(kind, ir.VectorType) else kind


HANDLERS = {arith.Bitcast.NAME: bitcast, arith.ExtF.NAME: extend, arith.TruncF.NAME: truncate}
