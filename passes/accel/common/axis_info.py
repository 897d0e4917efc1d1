"""What is known of a vector's elements that follow each other along its last dim: how wide an access may be
that depends on them.

What an index is surely a multiple of: how wide an access may be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from mlc.bindings import arith, ir, scf, vector
from mlc.passes.common.rewriting import defining_op

# Zero is a multiple of everything.
ANYTHING = 1 << 30


def divisibility(value: ir.Value) -> int:
    """The largest number known to divide `value`, an index."""
    if isinstance(value, ir.BlockArgument):
        return _of_argument(value)
    op = value.owner.operation if not isinstance(value.owner, ir.Operation) else value.owner
    if op.name == arith.Constant.NAME:
        return abs(ir.IntegerAttr(arith.Constant(op).value).value) or ANYTHING
    rule = _DIVISORS.get(op.name)
    return rule(*map(divisibility, op.operands)) if rule else 1


def _of_argument(value: ir.BlockArgument) -> int:
    """Of a loop's counter: of its first value and its step."""
    loop = value.owner.owner.operation
    if loop.name != scf.For.NAME or value.arg_number != 0:
        return 1
    return math.gcd(divisibility(scf.For(loop).lower_bound), divisibility(scf.For(loop).step))


def product(a: int, b: int) -> int:
    """What divides a product, of what divides the factors."""
    return a * b if a * b < ANYTHING else math.gcd(a * b, ANYTHING)


_DIVISORS: dict[str, Callable[..., int]] = {
    **dict.fromkeys((arith.AddI.NAME, arith.SubI.NAME), math.gcd),
    **dict.fromkeys((arith.MaxSI.NAME, arith.MaxUI.NAME, arith.MinSI.NAME, arith.MinUI.NAME), math.gcd),
    # What is left of a number that both divide, and of the other one.
    **dict.fromkeys((arith.RemSI.NAME, arith.RemUI.NAME), math.gcd),
    **dict.fromkeys((arith.IndexCast.NAME, arith.IndexCastUI.NAME), lambda a: a),
    arith.MulI.NAME: product,
    arith.Select.NAME: lambda _condition, a, b: math.gcd(a, b),
}


@dataclass(frozen=True)
class Progression:
    """Integers that are `step` times the element's number along the last dim, plus what is the same along it
    and a multiple of `rest`. `constant` is the number that all elements are, where it is known."""

    step: int
    rest: int
    constant: int | None = None

    @property
    def multiple(self) -> int:
        """What divides every element."""
        return math.gcd(self.step, self.rest)


def progression(value: ir.Value) -> Progression | None:
    """Of a vector of integers, or an integer; None where nothing is known of its neighbours."""
    if not isinstance(value.type, ir.VectorType):
        return Progression(0, divisibility(value), _constant(value))
    op = defining_op(value)
    rule = _PROGRESSIONS.get(op.name) if op is not None else None
    known = rule(op) if rule is not None else None
    if known is None and value.type.rank and value.type.shape[-1] == 1:
        return Progression(0, 1)
    return known


def constancy(mask: ir.Value) -> int:
    """A power of two: elements of a vector of truths have the same one, of which so many follow each other
    along the last dim, the first at a multiple of it."""
    op = defining_op(mask)
    if op is None or not mask.type.rank:
        return 1
    if op.name == vector.CreateMask.NAME:
        return _power(divisibility(op.operands[len(op.operands) - 1]))
    if op.name == vector.ConstantMask.NAME:
        return _power(list(ir.DenseI64ArrayAttr(op.attributes["mask_dim_sizes"]))[-1])
    if op.name == arith.CmpI.NAME:
        return _constancy_of_comparison(op)
    if op.name == arith.Constant.NAME:
        return ANYTHING if ir.DenseElementsAttr(arith.Constant(op).value).is_splat else 1
    if op.name == vector.Broadcast.NAME and _repeats(op):
        return ANYTHING
    if op.name in (vector.Broadcast.NAME, arith.AndI.NAME, arith.OrI.NAME, arith.XOrI.NAME):
        return min(map(constancy, op.operands))
    return 1


# Comparisons whose truth changes where the left side reaches the right one.
_REACHES = frozenset(int(getattr(arith.CmpIPredicate, name)) for name in ("slt", "sge", "ult", "uge"))


def _constancy_of_comparison(op: ir.Operation) -> int:
    """Of a comparison of what grows by 1 with what is the same along the last dim."""
    left, right = map(progression, op.operands)
    if left is None or right is None or right.step:
        return 1
    if not left.step:
        return ANYTHING
    reaches = ir.IntegerAttr(op.attributes["predicate"]).value in _REACHES
    return _power(math.gcd(left.rest, right.rest)) if reaches and left.step == 1 else 1


def _power(number: int) -> int:
    """The largest power of two that divides a number."""
    return number & -number if number else ANYTHING


def _constant(value: ir.Value) -> int | None:
    op = defining_op(value, arith.Constant.NAME)
    return None if op is None else _splat(op)


def _splat(op: ir.Operation) -> int | None:
    """The integer that a constant is, or each of its elements."""
    attribute = op.attributes["value"]
    if isinstance(attribute, ir.DenseElementsAttr):
        attribute = attribute.get_splat_value() if attribute.is_splat else None
    return int(attribute.value) if isinstance(attribute, ir.IntegerAttr) else None


def _of_constant(op: ir.Operation) -> Progression | None:
    number = _splat(op)
    return None if number is None else Progression(0, abs(number) or ANYTHING, number)


def _of_step(_op: ir.Operation) -> Progression:
    return Progression(1, ANYTHING)


def _repeats(op: ir.Operation) -> bool:
    """Whether a broadcast repeats elements along its last dim."""
    kind = op.operands[0].type
    if not isinstance(kind, ir.VectorType) or not kind.rank:
        return True
    return bool(kind.shape[-1] == 1 and op.results[0].type.shape[-1] != 1)


def _of_broadcast(op: ir.Operation) -> Progression | None:
    source = progression(vector.Broadcast(op).source)
    if not _repeats(op):
        return source
    return Progression(0, 1) if source is None else Progression(0, source.multiple, source.constant)


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
    """A vector with other dims in front of the last one."""
    (operand,), (result,) = op.operands, op.results
    source, target = list(operand.type.shape), list(result.type.shape)
    if target[-1:] == [1]:
        known = progression(operand)
        return Progression(0, 1 if known is None else known.multiple)
    return progression(operand) if source[-1:] == target[-1:] else None


def _of_others(op: ir.Operation) -> Progression | None:
    """What is computed of numbers that are the same along the last dim is that, too."""
    known = [progression(operand) for operand in op.operands]
    same = all(each is not None and not each.step for each in known)
    return Progression(0, 1) if same else None


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
