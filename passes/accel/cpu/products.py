"""Lowering of matrix multiplications of tiles to contractions."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, linalg
from mlc.dialects import accel
from mlc.dialects.accel import factor_type
from mlc.dialects.accel.compute import TRANSPOSED
from mlc.passes.accel.cpu.memory import as_tensor
from mlc.passes.accel.cpu.tiles import writable_tensor
from mlc.passes.common.constants import i32
from mlc.passes.common.linalg_builders import (
    affine_map,
    constant,
    dims,
    elementwise,
    is_unsigned,
    static_shape,
)

# Bits of the 23 of the mantissa that tf32 drops.
DROPPED = 13


def round_to_tf32(x: ir.Value) -> ir.Value:
    """Rounds an f32 to 10 bits of mantissa, to nearest, ties to even; infinity and NaN stay."""
    bits = arith.bitcast(i32(), x)

    def integer(value: int) -> ir.Value:
        return constant(bits.type, value)

    odd = arith.andi(arith.shrui(bits, integer(DROPPED)), integer(1))
    half = arith.addi(odd, integer((1 << DROPPED - 1) - 1))
    kept = arith.andi(arith.addi(bits, half), integer(-(1 << DROPPED)))
    is_nan = arith.cmpf(arith.CmpFPredicate.UNO, x, x)
    return arith.select(is_nan, x, arith.bitcast(x.type, kept))


def _factor(op: ir.Operation, position: int, value: ir.Value) -> ir.Value:
    """An operand as a tensor whose elements need at most to be extended: tf32 is rounded, and unsigned
    integers, which a contraction does not support, are extended."""
    if isinstance(value.type, ir.MemRefType):
        value = as_tensor(value, writable=False)
    shape = static_shape(value)
    if accel.Mma(op).precision == "tf32":
        return elementwise([value], value.type, lambda scalars: round_to_tf32(scalars[0]))
    if is_unsigned(factor_type(op, position)):
        wide = i32()
        extended = ir.RankedTensorType.get(shape, wide)
        return elementwise([value], extended, lambda scalars: arith.extui(wide, scalars[0]))
    return value


def lower_mma(op: ir.Operation, operands: Sequence[ir.Value]) -> list[ir.Value]:
    """Lowers `accel.mma` to a contraction, whose operands are extended to the accumulator's type.

    Upstream would fuse the computation of an operand into a generic op, and repeat it for each element of the
    sum."""
    a, b = (_factor(op, position, operands[position]) for position in range(2))
    row, inner, column = dims(3)
    indices = [[row, inner], [inner, column], [row, column]]
    for index, flag in zip(indices, TRANSPOSED, strict=False):
        if flag in op.attributes:
            index.reverse()
    maps = [affine_map(3, index) for index in indices]
    result = linalg.contract(a, b, outs=[writable_tensor(operands[2])], indexing_maps=maps)
    return [result]
