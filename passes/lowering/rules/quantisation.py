"""Linear quantisation, element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import ir, math
from mlc.dialects import graph
from mlc.passes.common.linalg_builders import (
    affine_map,
    dims,
    empty,
    generic,
    is_float,
    is_unsigned,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import add, compare, div, mul, number, select, sub


def _parameter_map(op: ir.Operation, shape: Sequence[int]) -> ir.AffineMap:
    """How scale and zero point are read while iterating over x."""
    axis, block = op.attributes["axis"].value, op.attributes["block_size"].value
    exprs, rank = dims(len(shape)), len(static_shape(op.operands[1]))
    if rank == 0:
        return affine_map(len(shape), [])
    if block == 0:
        return affine_map(len(shape), [exprs[axis]])
    exprs[axis] = ir.AffineExpr.get_floor_div(exprs[axis], block)
    return affine_map(len(shape), exprs)


def _scaled(op: ir.Operation, body: Callable[..., ir.Value]) -> ir.Value:
    """`body(x, scale[, zero_point])` for every element."""
    x, result = op.operands[0], op.results[0]
    element = tensor_type(result).element_type
    shape = static_shape(x)
    identity = affine_map(len(shape), dims(len(shape)))
    maps = [identity, *([_parameter_map(op, shape)] * (len(op.operands) - 1))]
    return generic(
        list(op.operands), maps, empty(shape, element), identity, lambda *scalars: body(*scalars[:-1])
    )


def integer_range(kind: ir.IntegerType) -> tuple[int, int]:
    """The smallest and the largest number."""
    if is_unsigned(kind):
        return 0, (1 << kind.width) - 1
    return -(1 << (kind.width - 1)), (1 << (kind.width - 1)) - 1


def _quotient(x: ir.Value, scale: ir.Value) -> ir.Value:
    """x / scale in scale's type, as an f32, or an f64 where scale is one."""
    wide = scale.type if isinstance(scale.type, ir.F64Type) else ir.F32Type.get()
    quotient = div(convert(convert(x, scale.type), wide), convert(scale, wide))
    return convert(convert(quotient, scale.type), wide)


@rule("quantize_linear")
def lower_quantize_linear(op: ir.Operation) -> list[ir.Value]:
    quantize_linear = graph.QuantizeLinear(op)
    kind = tensor_type(quantize_linear.result).element_type
    if is_float(kind):
        saturate = bool(quantize_linear.saturate)
        return [_scaled(op, lambda x, scale, *zero: _to_float(x, scale, zero, kind, saturate))]
    return [_scaled(op, lambda x, scale, *zero: _to_integer(x, scale, zero, kind))]


def _to_float(
    x: ir.Value, scale: ir.Value, zero_point: Sequence[ir.Value], kind: ir.Type, saturate: bool
) -> ir.Value:
    """A sum with 0 would lose the sign of -0."""
    value = _quotient(x, scale)
    for offset in zero_point if kind.width < 8 else ():
        value = add(value, convert(offset, value.type))
    return convert(value, kind, saturate)


def _to_integer(x: ir.Value, scale: ir.Value, zero_point: Sequence[ir.Value], kind: ir.Type) -> ir.Value:
    """In floats, where all numbers of at most 16 bits are exact."""
    value = math.roundeven(_quotient(x, scale))
    for offset in zero_point:
        value = add(value, convert(offset, value.type))
    low, high = (number(value, limit) for limit in integer_range(kind))
    # This way round NaN becomes the bound.
    value = select(compare("greater", value, low), value, low)
    return convert(select(compare("less", value, high), value, high), kind)


@rule("dequantize_linear")
def lower_dequantize_linear(op: ir.Operation) -> list[ir.Value]:
    """The difference of integers is exact."""
    dequantize_linear = graph.DequantizeLinear(op)
    source, kind = (
        tensor_type(dequantize_linear.x).element_type,
        tensor_type(dequantize_linear.result).element_type,
    )
    single = ir.F32Type.get()
    wide = single if is_float(source) else ir.IntegerType.get_signless(64 if source.width == 32 else 32)

    def body(x: ir.Value, scale: ir.Value, *zero_point: ir.Value) -> ir.Value:
        value = convert(x, wide)
        for offset in zero_point:
            value = sub(value, convert(offset, wide))
        exact = scale.type if isinstance(scale.type, ir.F64Type) else single
        return convert(mul(convert(value, exact), convert(scale, exact)), kind)

    return [_scaled(op, body)]
