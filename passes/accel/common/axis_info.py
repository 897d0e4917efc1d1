"""Axis info: contiguity, divisibility and constancy of indices and masks along a vector's last dim.

They determine how many elements one access takes: as many as are contiguous, aligned and equally masked.

An example with vectors of 64 elements: `base` is a splat of `%i * 16`, `range` is `vector.step`, 0 to 63.

    range * 4            Progression(step=4, rest=ANYTHING): elements are 4 apart
    base                 Progression(step=0, rest=16): uniform, a multiple of 16
    range * 4 + base     Progression(step=4, rest=16): not contiguous; 4 divides all elements
    its quotient by 16   None: divisions have no rule, although groups of 4 elements are equal
    its remainder by 16  None; of the scalar `%i * 16` the remainder has divisibility 16
    ... < 1000           constancy 1: only comparisons of contiguous indices have a rule
    range + base         Progression(step=1, rest=16): contiguous, from a multiple of 16 on
    ... < 1000           constancy 8, gcd(16, 1000): 8 consecutive elements are all less or all not

So a load at `range + base` with the mask `range + base < 1000` may take up to 8 elements per access; a load
at `range * 4 + base` takes single elements.

Source: Triton's `AxisInfo`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from mlc.bindings import arith, ir, scf, vector
from mlc.passes.common.rewriting import defining_op

# The divisibility of zero, a multiple of everything; the constancy of a uniform mask.
ANYTHING = 1 << 30


def divisibility(value: ir.Value) -> int:
    """Returns the largest integer that provably divides `value`, an index."""
    if isinstance(value, ir.BlockArgument):
        return _argument_divisibility(value)
    op = value.owner.operation if not isinstance(value.owner, ir.Operation) else value.owner
    if op.name == arith.Constant.NAME:
        return abs(ir.IntegerAttr(arith.Constant(op).value).value) or ANYTHING
    rule = _DIVISORS.get(op.name)
    return rule(*map(divisibility, op.operands)) if rule else 1


def _argument_divisibility(value: ir.BlockArgument) -> int:
    """Returns the divisibility of an induction variable: that of its lower bound and its step."""
    loop = value.owner.owner.operation
    if loop.name != scf.For.NAME or value.arg_number != 0:
        return 1
    return math.gcd(divisibility(scf.For(loop).lower_bound), divisibility(scf.For(loop).step))


def product(a: int, b: int) -> int:
    """Returns the divisibility of a product, given that of its factors."""
    return a * b if a * b < ANYTHING else math.gcd(a * b, ANYTHING)


_DIVISORS: dict[str, Callable[..., int]] = {
    **dict.fromkeys((arith.AddI.NAME, arith.SubI.NAME), math.gcd),
    **dict.fromkeys((arith.MaxSI.NAME, arith.MaxUI.NAME, arith.MinSI.NAME, arith.MinUI.NAME), math.gcd),
    # A common divisor of dividend and divisor divides the remainder.
    **dict.fromkeys((arith.RemSI.NAME, arith.RemUI.NAME), math.gcd),
    **dict.fromkeys((arith.IndexCast.NAME, arith.IndexCastUI.NAME), lambda a: a),
    arith.MulI.NAME: product,
    arith.Select.NAME: lambda _condition, a, b: math.gcd(a, b),
}


@dataclass(frozen=True)
class Progression:
    """Integers `step * i + u`: `i` is the index along the last dim, `u` a uniform multiple of `rest`.

    They are contiguous if `step` is 1, uniform if it is 0. `constant` is the value of all elements, if known.
    """

    step: int
    rest: int
    constant: int | None = None

    @property
    def divisibility(self) -> int:
        """The largest integer that provably divides every element."""
        return math.gcd(self.step, self.rest)


def progression(value: ir.Value) -> Progression | None:
    """Returns the progression that a vector of integers, or an integer, provably is, or None."""
    if not isinstance(value.type, ir.VectorType):
        return Progression(0, divisibility(value), _constant(value))
    op = defining_op(value)
    rule = _PROGRESSIONS.get(op.name) if op is not None else None
    known = rule(op) if rule is not None else None
    if known is None and value.type.rank and value.type.shape[-1] == 1:
        return Progression(0, 1)
    return known


def constancy(mask: ir.Value) -> int:
    """Returns the constancy of a vector of booleans along the last dim, a power of two: elements from one
    multiple of it to the next are equal."""
    op = defining_op(mask)
    if op is None or not mask.type.rank:
        return 1
    if op.name == vector.CreateMask.NAME:
        return _power_of_two(divisibility(vector.CreateMask(op).mask_dim_sizes[-1]))
    if op.name == vector.ConstantMask.NAME:
        return _power_of_two(vector.ConstantMask(op).mask_dim_sizes[-1])
    if op.name == arith.CmpI.NAME:
        return _comparison_constancy(arith.CmpI(op))
    if op.name == arith.Constant.NAME:
        return ANYTHING if ir.DenseElementsAttr(arith.Constant(op).value).is_splat else 1
    if op.name == vector.Broadcast.NAME and _repeats(vector.Broadcast(op)):
        return ANYTHING
    if op.name in (vector.Broadcast.NAME, arith.AndI.NAME, arith.OrI.NAME, arith.XOrI.NAME):
        return min(map(constancy, op.operands))
    return 1


# Comparisons whose result changes at the index where the left operand reaches the right one.
_REACHES = frozenset(int(getattr(arith.CmpIPredicate, name)) for name in ("slt", "sge", "ult", "uge"))


def _comparison_constancy(op: arith.CmpI) -> int:
    """Returns the constancy of a comparison of contiguous, or uniform, integers with uniform ones."""
    left, right = progression(op.lhs), progression(op.rhs)
    if left is None or right is None or right.step:
        return 1
    if not left.step:
        return ANYTHING
    reaches = ir.IntegerAttr(op.predicate).value in _REACHES
    return _power_of_two(math.gcd(left.rest, right.rest)) if reaches and left.step == 1 else 1


def _power_of_two(value: int) -> int:
    """Returns the largest power of two that divides `value`."""
    return value & -value if value else ANYTHING


def _constant(value: ir.Value) -> int | None:
    op = arith.Constant.defining(value)
    return None if op is None else _splat(op)


def _splat(op: arith.Constant) -> int | None:
    """Returns the value of an integer constant or of a splat, or None."""
    attribute = op.value
    if isinstance(attribute, ir.DenseElementsAttr):
        attribute = attribute.get_splat_value() if attribute.is_splat else None
    return int(attribute.value) if isinstance(attribute, ir.IntegerAttr) else None


def _of_constant(op: ir.Operation) -> Progression | None:
    value = _splat(arith.Constant(op))
    return None if value is None else Progression(0, abs(value) or ANYTHING, value)


def _of_step(_op: ir.Operation) -> Progression:
    return Progression(1, ANYTHING)


def _repeats(op: vector.Broadcast) -> bool:
    """Whether a broadcast repeats elements along its last dim."""
    source = op.source.type
    if not isinstance(source, ir.VectorType) or not source.rank:
        return True
    return bool(source.shape[-1] == 1 and op.vector.type.shape[-1] != 1)


def _of_broadcast(op: ir.Operation) -> Progression | None:
    source = progression(vector.Broadcast(op).source)
    if not _repeats(vector.Broadcast(op)):
        return source
    return Progression(0, 1) if source is None else Progression(0, source.divisibility, source.constant)


def _of_sum(op: ir.Operation) -> Progression | None:
    left, right = map(progression, op.operands)
    if left is None or right is None:
        return None
    sign = 1 if op.name == arith.AddI.NAME else -1
    constant = None
    if left.constant is not None and right.constant is not None:
        constant = left.constant + sign * right.constant
    return Progression(left.step + sign * right.step, math.gcd(left.rest, right.rest), constant)


def _of_product(op: ir.Operation) -> Progression | None:
    left, right = map(progression, op.operands)
    if left is None or right is None:
        return None
    if left.constant is not None:
        left, right = right, left
    if right.constant is not None:
        constant = None if left.constant is None else left.constant * right.constant
        return Progression(left.step * right.constant, product(left.rest, abs(right.constant)), constant)
    return None if left.step or right.step else Progression(0, product(left.rest, right.rest))


def _of_cast(op: ir.Operation) -> Progression | None:
    return progression(op.operands[0])


def _of_view(op: ir.Operation) -> Progression | None:
    """Returns the progression of a shape cast that keeps the last dim."""
    operand, result = vector.ShapeCast(op).source, vector.ShapeCast(op).result
    source, target = list(operand.type.shape), list(result.type.shape)
    if target[-1:] == [1]:
        known = progression(operand)
        return Progression(0, 1 if known is None else known.divisibility)
    return progression(operand) if source[-1:] == target[-1:] else None


def _of_others(op: ir.Operation) -> Progression | None:
    """Returns a uniform progression if all operands are uniform."""
    known = [progression(operand) for operand in op.operands]
    uniform = all(operand is not None and not operand.step for operand in known)
    return Progression(0, 1) if uniform else None


_PROGRESSIONS: dict[str, Callable[[ir.Operation], Progression | None]] = {
    arith.Constant.NAME: _of_constant,
    vector.Step.NAME: _of_step,
    vector.Broadcast.NAME: _of_broadcast,
    vector.ShapeCast.NAME: _of_view,
    arith.AddI.NAME: _of_sum,
    arith.SubI.NAME: _of_sum,
    arith.MulI.NAME: _of_product,
    **dict.fromkeys(
        (arith.IndexCast.NAME, arith.IndexCastUI.NAME, arith.ExtSI.NAME, arith.ExtUI.NAME, arith.TruncI.NAME),
        _of_cast,
    ),
    **dict.fromkeys((arith.Select.NAME, arith.CmpI.NAME, arith.MaxSI.NAME, arith.MinSI.NAME), _of_others),
}
