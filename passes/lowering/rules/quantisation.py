"""Linear quantisation as elementwise computations."""

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
from mlc.passes.lowering.common.scalars import add, compare, constant_like, div, mul, select, sub


def _parameter_map(op: graph.Quantisation, shape: Sequence[int]) -> ir.AffineMap:
    """Returns the map from the indices of x to those of scale and zero point."""
    axis, block = op.axis, op.block_size
    exprs, rank = dims(len(shape)), len(static_shape(op.scale))
    if rank == 0:
        return affine_map(len(shape), [])
    if block == 0:
        return affine_map(len(shape), [exprs[axis]])
    exprs[axis] = ir.AffineExpr.get_floor_div(exprs[axis], block)
    return affine_map(len(shape), exprs)


def _map_with_scale(op: ir.Operation, body: Callable[..., ir.Value]) -> ir.Value:
    """Computes `body(x, scale[, zero_point])` for every element."""
    quantisation, operands = graph.Quantisation(op), list(op.operands)
    element, shape = tensor_type(quantisation.result).element_type, static_shape(quantisation.x)
    identity = affine_map(len(shape), dims(len(shape)))
    maps = [identity, *([_parameter_map(quantisation, shape)] * (len(operands) - 1))]
    return generic(operands, maps, empty(shape, element), identity, lambda *scalars: body(*scalars[:-1]))


def integer_range(type_: ir.IntegerType) -> tuple[int, int]:
    """The smallest and the largest integer of a type."""
    if is_unsigned(type_):
        return 0, (1 << type_.width) - 1
    return -(1 << (type_.width - 1)), (1 << (type_.width - 1)) - 1


def _quotient(x: ir.Value, scale: ir.Value) -> ir.Value:
    """Computes `x / scale` in the type of scale, as an f32, or as an f64 if scale is one."""
    wide = scale.type if isinstance(scale.type, ir.F64Type) else ir.F32Type.get()
    quotient = div(convert(convert(x, scale.type), wide), convert(scale, wide))
    return convert(convert(quotient, scale.type), wide)


@rule("quantize_linear")
def lower_quantize_linear(op: ir.Operation) -> list[ir.Value]:
    """Computes `x / scale + zero_point`; integers are rounded half to even and clamped."""
    quantize_linear = graph.QuantizeLinear(op)
    element = tensor_type(quantize_linear.result).element_type
    if is_float(element):
        saturate = bool(quantize_linear.saturate)
        return [_map_with_scale(op, lambda x, scale, *zero: _to_float(x, scale, zero, element, saturate))]
    return [_map_with_scale(op, lambda x, scale, *zero: _to_integer(x, scale, zero, element))]


def _to_float(
    x: ir.Value, scale: ir.Value, zero_point: Sequence[ir.Value], element: ir.Type, saturate: bool
) -> ir.Value:
    """Rounds to a float. Those of 8 bits have no zero point: adding 0 would lose the sign of -0."""
    value = _quotient(x, scale)
    for offset in zero_point if element.width < 8 else ():
        value = add(value, convert(offset, value.type))
    return convert(value, element, saturate)


def _to_integer(x: ir.Value, scale: ir.Value, zero_point: Sequence[ir.Value], element: ir.Type) -> ir.Value:
    """Rounds and clamps in floats, where integers of at most 16 bits are exact."""
    value = math.roundeven(_quotient(x, scale))
    for offset in zero_point:
        value = add(value, convert(offset, value.type))
    low, high = (constant_like(value, limit) for limit in integer_range(element))
    # In this order of operands NaN becomes the bound.
    value = select(compare("greater", value, low), value, low)
    return convert(select(compare("less", value, high), value, high), element)


@rule("dequantize_linear")
def lower_dequantize_linear(op: ir.Operation) -> list[ir.Value]:
    """Computes `(x - zero_point) * scale`; the difference of integers is exact."""
    dequantize_linear = graph.DequantizeLinear(op)
    source, target = (
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
        return convert(mul(convert(value, exact), convert(scale, exact)), target)

    return [_map_with_scale(op, body)]
