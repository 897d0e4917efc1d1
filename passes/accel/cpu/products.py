"""Products of tiles as contractions."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, linalg
from mlc.dialects.accel import factor_type
from mlc.dialects.accel.compute import TRANSPOSED
from mlc.passes.accel.cpu.memory import as_tensor
from mlc.passes.accel.cpu.tiles import owned
from mlc.passes.common.constants import i32
from mlc.passes.common.linalg_builders import (
    affine_map,
    constant,
    dims,
    elementwise,
    is_unsigned,
    static_shape,
)

# What tf32 drops of the 23 bits of mantissa.
DROPPED = 13


def round_to_tf32(x: ir.Value) -> ir.Value:
    """An f32 with 10 bits of mantissa, to nearest, ties to even; infinity and NaN stay."""
    bits = arith.bitcast(i32(), x)

    def number(value: int) -> ir.Value:
        return constant(bits.type, value)

    odd = arith.andi(arith.shrui(bits, number(DROPPED)), number(1))
    half = arith.addi(odd, number((1 << DROPPED - 1) - 1))
    kept = arith.andi(arith.addi(bits, half), number(-(1 << DROPPED)))
    is_nan = arith.cmpf(arith.CmpFPredicate.UNO, x, x)
    return arith.select(is_nan, x, arith.bitcast(x.type, kept))


def _factor(op: ir.Operation, number: int, value: ir.Value) -> ir.Value:
    """An operand as a tensor of numbers that need at most to be extended: tf32 rounded, without unsigned
    integers, which a contraction does not know."""
    if isinstance(value.type, ir.MemRefType):
        value = as_tensor(value, writable=False)
    shape = static_shape(value)
    if op.attributes["precision"].value == "tf32":
        return elementwise([value], value.type, lambda numbers: round_to_tf32(numbers[0]))
    if is_unsigned(factor_type(op, number)):
        wide = i32()
        kind = ir.RankedTensorType.get(shape, wide)
        return elementwise([value], kind, lambda numbers: arith.extui(wide, numbers[0]))
    return value


def lower_mma(op: ir.Operation, operands: Sequence[ir.Value]) -> list[ir.Value]:
    """A contraction, whose operands are extended to the accumulator's type.

    No generic op, into which upstream would fuse what computes an operand, once for each element of the sum.
    """
    a, b = (_factor(op, number, operands[number]) for number in range(2))
    row, inner, column = dims(3)
    places = [[row, inner], [inner, column], [row, column]]
    for place, flag in zip(places, TRANSPOSED, strict=False):
        if flag in op.attributes:
            place.reverse()
    maps = [affine_map(3, place) for place in places]
    result = linalg.contract(a, b, outs=[owned(operands[2])], indexing_maps=maps)
    return [result]
