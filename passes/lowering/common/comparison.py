"""Which of two numbers comes first: the larger or the smaller one, NaN being larger than all others."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir
from mlc.passes.common.linalg_builders import constant, is_float, is_unsigned
from mlc.passes.lowering.common.conversions import convert


def comes_before(a: ir.Value, b: ir.Value, largest: bool) -> ir.Value:
    """Whether `a` comes before `b`, for each pair of elements where they are vectors; not where they are
    equal."""
    vectors = isinstance(a.type, ir.VectorType)
    kind = a.type.element_type if vectors else a.type
    if not is_float(kind):
        sign = "u" if is_unsigned(kind) else "s"
        return arith.cmpi(getattr(arith.CmpIPredicate, f"{sign}{'gt' if largest else 'lt'}"), a, b)
    if kind.width < 32:
        a, b = convert(a, ir.F32Type.get()), convert(b, ir.F32Type.get())
    # Unordered or greater: also where either is NaN, of which only the larger one may be.
    beyond = arith.cmpf(arith.CmpFPredicate.UGT if largest else arith.CmpFPredicate.ULT, a, b)
    smaller = b if largest else a
    return arith.andi(beyond, arith.cmpf(arith.CmpFPredicate.ORD, smaller, smaller))


def precedes(one: Sequence[ir.Value], other: Sequence[ir.Value], largest: bool) -> ir.Value:
    """Whether a pair of a number and its position comes before another: of equals that of the lower
    position."""
    (a, at), (b, there) = one, other
    before, behind = comes_before(a, b, largest), comes_before(b, a, largest)
    lower = arith.cmpi(arith.CmpIPredicate.slt, at, there)
    equal = arith.xori(behind, constant(ir.IntegerType.get_signless(1), 1))
    return arith.ori(before, arith.andi(equal, lower))
