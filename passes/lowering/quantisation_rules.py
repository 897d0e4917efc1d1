"""Linear quantisation, element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import ir, math
from mlc.passes.base import PassFailure
from mlc.passes.lowering.linalg_tools import (
    affine_map,
    dims,
    empty,
    generic,
    is_float,
    is_unsigned,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.rule import rule
from mlc.passes.lowering.scalars import add, clamp, convert, div, mul, sub


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


def _require_integers(kind: ir.Type, op: ir.Operation) -> None:
    if is_float(kind):
        raise PassFailure(f"quantisation to and from {kind} is not compiled yet", op.location)


def integer_range(kind: ir.IntegerType) -> tuple[int, int]:
    """The smallest and the largest number."""
    if is_unsigned(kind):
        return 0, (1 << kind.width) - 1
    return -(1 << (kind.width - 1)), (1 << (kind.width - 1)) - 1


@rule("quantize_linear")
def lower_quantize_linear(op: ir.Operation) -> list[ir.Value]:
    """In f32, where all numbers of at most 16 bits are exact; NaN becomes what the conversion makes of it."""
    kind, single = tensor_type(op.results[0]).element_type, ir.F32Type.get()
    _require_integers(kind, op)
    low, high = integer_range(kind)

    def body(x: ir.Value, scale: ir.Value, *zero_point: ir.Value) -> ir.Value:
        value = math.roundeven(div(convert(x, single), convert(scale, single)))
        for offset in zero_point:
            value = add(value, convert(offset, single))
        return convert(clamp(value, low, high), kind)

    return [_scaled(op, body)]


@rule("dequantize_linear")
def lower_dequantize_linear(op: ir.Operation) -> list[ir.Value]:
    """The difference is exact in 32-bit integers."""
    kind = tensor_type(op.results[0]).element_type
    _require_integers(tensor_type(op.operands[0]).element_type, op)
    single, wide = ir.F32Type.get(), ir.IntegerType.get_signless(32)

    def body(x: ir.Value, scale: ir.Value, *zero_point: ir.Value) -> ir.Value:
        value = convert(x, wide)
        for offset in zero_point:
            value = sub(value, convert(offset, wide))
        return convert(mul(convert(value, single), convert(scale, single)), kind)

    return [_scaled(op, body)]
